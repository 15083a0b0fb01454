// Slots for the candidates of 8 queries: collected from blocks, sorted, and written to rows.
#if defined(KITH_NEIGHBORS_CANDIDATES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_CANDIDATES_INL_H_
#undef KITH_NEIGHBORS_CANDIDATES_INL_H_
#else
#define KITH_NEIGHBORS_CANDIDATES_INL_H_
#endif

#include <algorithm>
#include <hwy/highway.h>
#include <limits>

#include "kernels/select-inl.h"
#include "neighbors/query_block.hpp"
#include "neighbors/rows-inl.h"
#include "walk/sources-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T, class Norm = Squares>
class Candidates {
 public:
  static constexpr bool kIsSquared = Norm::kPower == 2;
  using Queries = QueryBlock<D, T, kIsSquared>;

  /// About a millisecond each.
  static constexpr std::size_t kBlocksPerCheck = std::size_t{1} << 15;
  static constexpr std::size_t kPointsPerCheck = std::size_t{1} << 18;

  Candidates(const SearchJob<T>& job, Sources<D, T, Norm>& sources, const Queries& queries)
      : job_(job), sources_(sources), queries_(queries), selector_(job.checkpoint) {
    reserve(8 * kLanes);
  }

  std::size_t& count(std::size_t j) { return counts_[j]; }
  std::size_t count(std::size_t j) const { return counts_[j]; }
  const std::size_t* counts() const { return counts_; }
  Slots<T> slots(std::size_t j) const {
    return Slots<T>{d2_.data(), index_.data(), stride_}.from(j);
  }

  void clear() { std::fill(counts_, counts_ + kLanes, 0); }

  /// Room for `count` candidates in each slot; keeps those that are there.
  void reserve(std::size_t count) {
    if (HWY_LIKELY(count + 4 * kLanes <= stride_)) return;
    const std::size_t stride = (2 * count + 8 * kLanes) / kSortedRun * kSortedRun;
    Array<T> d2(kLanes * stride);
    Array<std::uint32_t> index(kLanes * stride);
    for (std::size_t j = 0; stride_ > 0 && j < kLanes; ++j) {
      std::copy_n(slots(j).d2, stride_, d2.data() + j * stride);
      std::copy_n(slots(j).index, stride_, index.data() + j * stride);
    }
    d2_ = std::move(d2);
    index_ = std::move(index);
    stride_ = stride;
  }

  /// The points of some blocks within r2 of query j; there is room for all of them.
  template <bool Wrap>
  HWY_INLINE void collect(std::size_t j, const std::uint32_t* picked, std::size_t blocks, T r2) {
    const Slots<T> slot = slots(j);
    if (HWY_UNLIKELY(blocks > kBlocksPerCheck)) return collect_many<Wrap>(j, picked, blocks, r2);
    counts_[j] =
        sources_.template collect<Wrap>(picked, blocks, queries_.point(j), r2, slot.d2, slot.index);
  }
  /// All points within r2 of query j, from the root; false if over `limit` blocks are in reach.
  bool collect_from_root(std::size_t j, T r2, std::size_t limit) {
    return job_.is_periodic ? collect_from_root<true>(j, r2, limit)
                            : collect_from_root<false>(j, r2, limit);
  }

  /// Removes the point with this index from the candidates of query j.
  void remove(std::size_t j, std::uint32_t index) {
    const Slots<T> slot = slots(j);
    const std::size_t count = counts_[j];
    const auto at =
        static_cast<std::size_t>(std::find(slot.index, slot.index + count, index) - slot.index);
    if (at == count) return;
    slot.d2[at] = slot.d2[count - 1];
    slot.index[at] = slot.index[count - 1];
    --counts_[j];
  }
  /// Removes the queries themselves.
  void remove_queries() {
    for (std::size_t j = 0; j < queries_.size(); ++j) remove(j, queries_.index(j));
  }

  void copy_slot(std::size_t from, std::size_t to) {
    const std::size_t count = counts_[to] = counts_[from];
    std::copy_n(slots(from).d2, count, slots(to).d2);
    std::copy_n(slots(from).index, count, slots(to).index);
  }

  /// The first `keep` of each slot.
  void sort(std::size_t keep) {
    std::fill(counts_ + queries_.size(), counts_ + kLanes, 0);
    for (std::size_t j = 0; j < queries_.size(); j += kColumns)
      selector_.sort(slots(j), counts_ + j, keep);
  }

  /// The row of query j, in place: its first candidates, sorted before.
  HWY_INLINE Found<T> found(std::size_t j, std::size_t count) const {
    if (!job_.wants_d2) return measured(j, count);
    return {queries_.row(j), count, slots(j).index, slots(j).d2};
  }
  /// The same with distances, even if visitors want d2.
  HWY_INLINE Found<T> measured(std::size_t j, std::size_t count) const {
    to_distances<kIsSquared>(slots(j).d2, count, job_.unscale);
    return {queries_.row(j), count, slots(j).index, slots(j).d2};
  }

  /// Writes neighbors from `at` of the arrays on; a long row piece by piece.
  HWY_INLINE void write_row(const Found<T>& found, std::size_t at) const {
    if (HWY_LIKELY(found.count <= kPointsPerCheck)) return write_neighbors(job_, found, at);
    for (std::size_t begin = 0; begin < found.count; begin += kPointsPerCheck) {
      sources_.look();
      const std::size_t count = std::min(kPointsPerCheck, found.count - begin);
      write_neighbors(job_, {found.row, count, found.index + begin, found.distance + begin},
                      at + begin);
    }
  }

 private:
  /// From a large part of the tree, which takes its time.
  template <bool Wrap>
  HWY_NOINLINE void collect_many(std::size_t j, const std::uint32_t* picked, std::size_t blocks,
                                 T r2) {
    const Slots<T> slot = slots(j);
    std::size_t count = 0;
    for (std::size_t begin = 0; begin < blocks; begin += kBlocksPerCheck) {
      sources_.look();
      count += sources_.template collect<Wrap>(
          picked + begin, std::min(kBlocksPerCheck, blocks - begin), queries_.point(j), r2,
          slot.d2 + count, slot.index + count);
    }
    counts_[j] = count;
  }

  template <bool Wrap>
  bool collect_from_root(std::size_t j, T r2, std::size_t limit) {
    const PointProbe<D, T> probe(queries_.point(j), kLanes, sources_.axes());
    if (!sources_.template list<Wrap>(probe, r2, limit, in_reach_)) return false;
    reserve(in_reach_.size * kLanes);
    collect<Wrap>(j, in_reach_.source.data(), in_reach_.size, r2);
    return true;
  }

  const SearchJob<T>& job_;
  Sources<D, T, Norm>& sources_;
  const Queries& queries_;
  Selector<T> selector_;
  InteractionList<T> in_reach_;
  std::size_t counts_[kLanes] = {};
  Array<T> d2_;
  Array<std::uint32_t> index_;
  std::size_t stride_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
