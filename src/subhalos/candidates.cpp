#include "subhalos/candidates.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/checked_sort.hpp"
#include "parallel/pieces.hpp"

namespace kith {
namespace {

/// Regions as chains of members. A region that joins another is appended to it and never parted, so
/// a candidate remains a run of the chain.
class Regions {
 public:
  Regions(std::size_t members, std::size_t min_size, const Workers& workers)
      : min_size_(min_size),
        next_(filled(workers, members, kNoMember)),
        head_(filled(workers, members, kNoMember)),
        tail_(filled(workers, members, kNoMember)),
        size_(filled<std::uint32_t>(workers, members)) {}

  void begin(std::uint32_t member) {
    head_[member] = tail_[member] = member;
    size_[member] = 1;
  }
  void append(std::uint32_t head, std::uint32_t member) {
    head_[member] = head;
    next_[tail_[head]] = member;
    tail_[head] = member;
    ++size_[head];
  }
  /// The region that has both; the longer one keeps its head, the first of equals.
  std::uint32_t join(std::uint32_t first, std::uint32_t second) {
    if (first == second) return first;
    if (size_[first] < size_[second]) std::swap(first, second);
    if (size_[second] >= min_size_) candidates_.push_back({second, size_[second]});
    for (std::uint32_t i = second; i != kNoMember; i = next_[i]) head_[i] = first;
    next_[tail_[first]] = second;
    tail_[first] = tail_[second];
    size_[first] += size_[second];
    return first;
  }
  std::uint32_t head(std::uint32_t member) const { return head_[member]; }

  /// Candidates as runs of the one chain that is left, which begins here.
  Candidates chain(std::uint32_t first) const {
    Candidates found;
    found.order.reserve(next_.size());
    std::vector<std::uint32_t> place(next_.size());
    for (std::uint32_t i = first; i != kNoMember; i = next_[i]) {
      place[i] = static_cast<std::uint32_t>(found.order.size());
      found.order.push_back(i);
    }
    for (const auto& [head, size] : candidates_)
      found.runs.push_back({place[head], std::size_t{place[head]} + size});
    found.runs.push_back({0, found.order.size()});
    return found;
  }

 private:
  struct Candidate {
    std::uint32_t head, size;
  };

  std::size_t min_size_;
  std::vector<std::uint32_t> next_, head_, tail_, size_;
  std::vector<Candidate> candidates_;
};

std::vector<std::uint32_t> by_density(const DensityField& field, const Workers& workers) {
  std::vector<std::pair<double, std::uint32_t>> sorted(field.density.size());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    sorted[i] = {-field.density[i], static_cast<std::uint32_t>(i)};
  checked_sort(sorted.begin(), sorted.end(), [&] { workers.check_cancelled(); });
  std::vector<std::uint32_t> order;
  order.reserve(sorted.size());
  for (const auto& each : sorted) order.push_back(each.second);
  return order;
}

}  // namespace

Candidates find_candidates(const DensityField& field, std::size_t min_size,
                           const Workers& workers) {
  const std::vector<std::uint32_t> order = by_density(field, workers);
  Regions regions(order.size(), min_size, workers);
  for_each_in_order(workers, order.size(), [&](std::size_t k) {
    const std::uint32_t member = order[k];
    const auto [nearest, second] = field.denser[member];
    if (nearest == kNoMember) return regions.begin(member);
    std::uint32_t head = regions.head(nearest);
    if (second != kNoMember) head = regions.join(head, regions.head(second));
    regions.append(head, member);
  });
  // Regions that never met do so at the density 0.
  std::uint32_t head = regions.head(order.front());
  for_each_in_order(workers, order.size(),
                    [&](std::size_t k) { head = regions.join(head, regions.head(order[k])); });
  return regions.chain(head);
}

}  // namespace kith
