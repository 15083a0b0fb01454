#include "mpi/unique_ids.hpp"

#include <algorithm>
#include <span>

#include "mpi/mail.hpp"
#include "mpi/sample_splitters.hpp"

namespace kith::mpi {
namespace {

using Ids = std::span<const std::uint64_t>;

/// Runs of ascending ids, merged two by two until two are left.
class MergedIds {
 public:
  MergedIds(Ids ids, const Runs& runs, const Workers& workers) : workers_(workers), ids_(ids) {
    for (const std::size_t at : runs.offset) end_.push_back(at / sizeof(std::uint64_t));
    while (end_.size() > 3) merge_pairs();
  }

  /// An id that occurs twice, or nothing.
  const std::uint64_t* twice() const {
    for (std::size_t run = 0; run + 1 < end_.size(); ++run) {
      const Ids each = of_run(run);
      if (const auto at = std::adjacent_find(each.begin(), each.end()); at != each.end())
        return &*at;
    }
    return end_.size() < 3 ? nullptr : in_both(of_run(0), of_run(1));
  }

 private:
  Ids of_run(std::size_t run) const { return ids_.subspan(end_[run], end_[run + 1] - end_[run]); }

  static const std::uint64_t* in_both(Ids a, Ids b) {
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

/// Ascending ids by the rank of their part of all ids, in bytes.
Runs runs_of_ids(Ids ids, const std::vector<std::uint64_t>& splitters) {
  Runs runs;
  auto begin = ids.begin();
  for (std::size_t r = 0; begin != ids.end(); ++r) {
    const auto end =
        r < splitters.size() ? std::lower_bound(begin, ids.end(), splitters[r]) : ids.end();
    if (end != begin)
      runs.add(static_cast<int>(r), static_cast<std::size_t>(end - begin) * sizeof(std::uint64_t));
    begin = end;
  }
  return runs;
}

}  // namespace

void check_unique_ids(Call& call, const Array<std::uint64_t>& ids) {
  const Ids own(ids.data(), ids.size());
  const std::size_t count = own.size();
  const auto splitters =
      sample_splitters<std::uint64_t>(call, count, [&](std::size_t i) { return own[i]; });
  Runs out;
  call.prepare([&] { out = runs_of_ids(own, splitters); });
  const Arrived arrived = call.exchange(out, reinterpret_cast<const std::byte*>(own.data()));
  call.phase([&](Workers& workers) {
    const MergedIds merged(rows_of<std::uint64_t>(arrived.bytes), arrived.runs, workers);
    if (const std::uint64_t* twice = merged.twice())
      refuse("domains: two points with the id {}; ids must be different", *twice);
  });
}

}  // namespace kith::mpi
