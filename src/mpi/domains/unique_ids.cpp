#include "mpi/domains/unique_ids.hpp"

#include <algorithm>
#include <span>

#include "mpi/domains/sample_sort.hpp"

namespace kith::mpi {
namespace {

using Ids = std::span<const std::uint64_t>;

/// Runs of ascending ids, merged two by two until two are left.
class IdRuns {
 public:
  IdRuns(Ids ids, const Runs& runs, const Workers& workers)
      : workers_(workers), ids_(ids), end_(runs.offset) {
    while (end_.size() > 3) merge_pairs();
  }

  /// An id that occurs twice, or null.
  const std::uint64_t* find_duplicate() const {
    for (std::size_t run = 0; run + 1 < end_.size(); ++run) {
      const Ids each = of_run(run);
      if (const auto at = std::adjacent_find(each.begin(), each.end()); at != each.end())
        return &*at;
    }
    return end_.size() < 3 ? nullptr : find_common(of_run(0), of_run(1));
  }

 private:
  Ids of_run(std::size_t run) const { return ids_.subspan(end_[run], end_[run + 1] - end_[run]); }

  static const std::uint64_t* find_common(Ids a, Ids b) {
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      const std::uint64_t x = a[i], y = b[j];
      if (x == y) return &a[i];
      i += x < y;
      j += y < x;
    }
    return nullptr;
  }

  void merge_pairs() {
    std::vector<std::size_t> end{0};
    std::vector<std::uint64_t> merged(ids_.size());
    for (std::size_t run = 0; run + 1 < end_.size(); run += 2) {
      workers_.check_cancelled();
      const Ids first = of_run(run), second = run + 2 < end_.size() ? of_run(run + 1) : Ids();
      std::merge(first.begin(), first.end(), second.begin(), second.end(),
                 merged.begin() + static_cast<std::ptrdiff_t>(end.back()));
      end.push_back(end.back() + first.size() + second.size());
    }
    end_ = std::move(end);
    memory_ = std::move(merged);
    ids_ = memory_;
  }

  const Workers& workers_;
  Ids ids_;
  std::vector<std::uint64_t> memory_;
  std::vector<std::size_t> end_;
};

}  // namespace

void check_unique_ids(Call& call, const Array<std::uint64_t>& ids) {
  const Ids own(ids.data(), ids.size());
  const Received<std::uint64_t> received = deal_in_order(call, own).arrived;
  call.phase([&](Workers& workers) {
    const IdRuns ids_by_run(received.all(), received.runs, workers);
    if (const std::uint64_t* duplicate = ids_by_run.find_duplicate())
      refuse("domains: two points with the id {}; ids must be different", *duplicate);
  });
}

}  // namespace kith::mpi
