// Rows of k nearest neighbors, however their candidates are found: how many are needed, how far
// they may be, the search of last resort, and delivery.
#if defined(KITH_NEIGHBORS_KNN_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_KNN_ROWS_INL_H_
#undef KITH_NEIGHBORS_KNN_ROWS_INL_H_
#else
#define KITH_NEIGHBORS_KNN_ROWS_INL_H_
#endif

#include <algorithm>
#include <hwy/highway.h>
#include <limits>

#include "neighbors/empty_rows.hpp"
#include "neighbors/group-inl.h"
#include "walk/best_first.hpp"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// A query of the best-first search.
template <int D, class T, class Norm>
class PointQuery {
 public:
  PointQuery(const Sources<D, T, Norm>& sources, const T* point)
      : sources_(sources), q_(point, kLanes, sources.axes()) {}

  HWY_NOINLINE void lower(int plane, std::size_t chunk, T* HWY_RESTRICT bounds) const {
    const T* boxes = sources_.tree().chunk(plane, chunk, sources_.axes());
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(Tag<T>()))
      hn::Store(lower2<true>(q_, ChunkColumns<D, T>{boxes + lane, sources_.axes()}, sources_.side(),
                             sources_.axes(), sources_.norm()),
                Tag<T>(), bounds + lane);
  }
  HWY_NOINLINE void keys(std::size_t block, T* HWY_RESTRICT keys) const {
    const T* points = sources_.tree().block(block, sources_.axes());
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(Tag<T>()))
      hn::Store(distance2<true>(q_, PointColumns<T>{points + lane}, sources_.side(),
                                sources_.axes(), sources_.norm()),
                Tag<T>(), keys + lane);
  }

 private:
  const Sources<D, T, Norm>& sources_;
  PointProbe<D, T> q_;
};

/// Candidates become rows of k.
template <int D, class T, class Norm = Squares>
class KnnRows {
 public:
  KnnRows(const KnnJob<T>& job, GroupSearch<D, T, Norm>& group)
      : job_(job),
        group_(group),
        candidates_(group.candidates),
        need_(std::min(job.k + (job.exclude_self ? 1 : 0), job.source.points)),
        best_first_(job.source) {
    const T limit2 = group.queries.shared_limit2();
    std::fill(limit2_, limit2_ + kLanes, limit2);
    std::fill(most2_, most2_ + kLanes, finite(limit2));
  }

  /// Neighbors to collect, the query itself included.
  std::size_t need() const { return need_; }
  T limit2(std::size_t j) const { return limit2_[j]; }
  /// The largest squared radius to try: the limit, or the largest finite number.
  T most2(std::size_t j) const { return most2_[j]; }
  const T* most2() const { return most2_; }
  T largest_most2() const {
    if (!group_.queries.has_own_limits()) return most2_[0];
    return *std::max_element(most2_, most2_ + group_.queries.size());
  }

  /// The limits of the queries that are set.
  void set_limits() {
    if (!group_.queries.has_own_limits()) return;
    for (std::size_t j = 0; j < group_.queries.size(); ++j) {
      limit2_[j] = group_.queries.limit2(j);
      most2_[j] = finite(limit2_[j]);
    }
  }

  HWY_NOINLINE void search_best_first(std::size_t j) {
    ++group_.counts.best_first;
    const auto& found =
        best_first_.search(PointQuery<D, T, Norm>(group_.sources, group_.queries.point(j)), need_,
                           limit2_[j], kNoIndex, [&] { group_.sources.look(); });
    candidates_.reserve(found.size());
    const Slots<T> slot = candidates_.slots(j);
    for (std::size_t i = 0; i < found.size(); ++i) {
      slot.d2[i] = found[i].key;
      slot.index[i] = found[i].index;
    }
    candidates_.count(j) = found.size();
  }

  void sort() {
    if (job_.exclude_self) candidates_.remove_queries();
    candidates_.sort(job_.k);
  }
  /// Of a sorted row: the squared radius of the k-th neighbor, or how far was searched if there are
  /// fewer.
  T last2(std::size_t j) const {
    return candidates_.count(j) < job_.k ? most2_[j] : candidates_.slots(j).d2[job_.k - 1];
  }
  void deliver() {
    for (std::size_t j = 0; j < group_.queries.size(); ++j) deliver(j);
  }

  /// To its row.
  HWY_INLINE void write(const Found<T>& found) const {
    const std::size_t at = found.row * job_.k;
    candidates_.write_row(found, at);
    if (HWY_UNLIKELY(found.count < job_.k)) pad_row(job_, at + found.count, at + job_.k);
  }

 private:
  static T finite(T limit2) { return std::min(limit2, std::numeric_limits<T>::max()); }

  HWY_INLINE void deliver(std::size_t j) const {
    const std::size_t count = std::min(candidates_.count(j), job_.k);
    if (job_.visit && is_visited(j)) return (*job_.visit)(candidates_.found(j, count));
    write(job_.edges2 ? candidates_.measured(j, count) : candidates_.found(j, count));
  }
  HWY_INLINE bool is_visited(std::size_t j) const {
    return !job_.edges2 || last2(j) >= job_.edges2[group_.queries.group()];
  }

  const KnnJob<T>& job_;
  GroupSearch<D, T, Norm>& group_;
  Candidates<D, T, Norm>& candidates_;
  const std::size_t need_;
  T limit2_[kLanes];
  T most2_[kLanes];
  BestFirst<T, T> best_first_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
