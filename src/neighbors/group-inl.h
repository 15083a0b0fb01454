// The parts of searches for groups of queries: the sources, the queries, the group's list of
// blocks in reach, and the candidates of 8 queries.
#if defined(KITH_NEIGHBORS_GROUP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_GROUP_INL_H_
#undef KITH_NEIGHBORS_GROUP_INL_H_
#else
#define KITH_NEIGHBORS_GROUP_INL_H_
#endif

#include <algorithm>
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include <limits>

#include "neighbors/candidates-inl.h"
#include "neighbors/group_list-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// Radii, limits and distances inside are keys of the norm, squares for the Euclidean one.
template <int D, class T, class Norm = Squares>
struct GroupSearch {
  const SearchJob<T>& job;
  SearchCounts& counts;
  Sources<D, T, Norm> sources;
  QueryBlock<D, T, Norm::kPower == 2> queries;
  GroupList<D, T, Norm> list;
  Candidates<D, T, Norm> candidates;

  GroupSearch(const SearchJob<T>& search, SearchCounts& counted)
      : job(search),
        counts(counted),
        sources(search.source, search.side, search.checkpoint, norm_of(search)),
        queries(search),
        list(search, sources),
        candidates(search, sources, queries) {}

  /// Calls search_block() for each block of queries that is set.
  template <class SearchBlock>
  void for_each_block(std::size_t group_begin, std::size_t group_end, SearchBlock search_block) {
    for (std::size_t group = group_begin; group < group_end; ++group) {
      const std::size_t first = group * kGroupBlocks;
      const std::size_t last = std::min(job.queries.block_count(), first + kGroupBlocks);
      Bounds<D, T> box = queries.box_of(first);
      for (std::size_t block = first + 1; block < last; ++block)
        box.add(queries.box_of(block), sources.axes());
      list.set_group(box);
      for (std::size_t block = first; block < last; ++block) {
        if (job.checkpoint) (*job.checkpoint)();
        queries.set_block(block);
        search_block();
      }
    }
    hwy::FlushStream();
  }

  /// The key of a box's corners, a finite number.
  T finite_diagonal2(const Bounds<D, T>& box) const {
    return std::min(std::numeric_limits<T>::max(),
                    diagonal_key(box, sources.axes(), sources.norm()));
  }

  static Norm norm_of(const SearchJob<T>& search) {
    if constexpr (Norm::kPower == 2)
      return {};
    else
      return {search.p == 1};
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
