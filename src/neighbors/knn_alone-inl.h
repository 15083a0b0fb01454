// The neighbors of one query without a list that it shares with others: from the root, within a
// radius that is guessed or certainly suffices.
#if defined(KITH_NEIGHBORS_KNN_ALONE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_KNN_ALONE_INL_H_
#undef KITH_NEIGHBORS_KNN_ALONE_INL_H_
#else
#define KITH_NEIGHBORS_KNN_ALONE_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <hwy/highway.h>
#include <limits>

#include "neighbors/enough-inl.h"
#include "neighbors/knn_rows-inl.h"
#include "neighbors/predictor.hpp"
#include "walk/at_zero.hpp"
#include "walk/nearest_first-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T, class Norm = Squares>
class KnnAlone {
 public:
  KnnAlone(const KnnJob<T>& job, GroupSearch<D, T, Norm>& group, KnnRows<D, T, Norm>& rows)
      : aim_(std::max<std::size_t>(1, rows.need()), job.source.dimension, job.is_hilbert,
             Norm::kPower),
        max_picked_(std::max<std::size_t>(256, 4 * static_cast<std::size_t>(aim_.blocks))),
        max_listed_(std::max<std::size_t>(D == kAnyDimension ? 3072 : 768,
                                          16 * static_cast<std::size_t>(aim_.blocks))),
        max_sorted_(48 + 2 * static_cast<std::size_t>(aim_.points)),
        job_(job),
        need_(rows.need()),
        group_(group),
        queries_(group.queries),
        candidates_(group.candidates),
        rows_(rows),
        enough_(group.sources, need_),
        nearest_first_(group.sources, need_),
        at_zero_(job.source, job.side) {}

  const Aim& aim() const { return aim_; }
  /// Beyond this many blocks in reach a query does better without a list.
  std::size_t max_picked() const { return max_picked_; }
  std::size_t max_listed() const { return max_listed_; }

  /// One search serves all, unless each has its own limit.
  void search_equal_queries() {
    rows_.search_best_first(0);
    for (std::size_t j = 1; j < queries_.size(); ++j) {
      if (queries_.has_own_limits())
        rows_.search_best_first(j);
      else
        candidates_.copy_slot(0, j);
    }
  }

  void search_each() {
    for (std::size_t j = 0; j < queries_.size(); ++j) search(j);
  }

  /// Searches from the root: within a guess, if there is one or the tree suggests it, then within
  /// a radius that certainly suffices.
  HWY_NOINLINE void search(std::size_t j, T r2 = 0) {
    ++group_.counts.alone;
    T sure = rows_.most2(j);
    if (!is_own() && !(r2 > 0)) {
      sure = std::min(sure, descend(j, r2));
      r2 = std::min(r2, sure);
    }
    for (int attempt = 0; attempt < 3 && r2 > 0; ++attempt) {
      if (!candidates_.collect_from_root(j, r2, max_picked_)) break;
      if (is_complete(j, r2)) return trim(j);
      if (is_own() || r2 >= sure) break;
      r2 = std::min(sure, grown(j, r2));
    }
    if (need_ > candidates_.kPointsPerCheck) return rows_.search_best_first(j);  // it stops in time
    r2 = std::min(rows_.most2(j), enough(j));
    if (r2 != 0 || !search_at_zero(j)) search_within(j, r2);
  }

  /// Sorting networks are for few candidates; very many are sorted piece by piece anyway.
  HWY_INLINE void trim(std::size_t j) {
    std::size_t& count = candidates_.count(j);
    if (HWY_LIKELY(count <= max_sorted_) || count > candidates_.kPointsPerCheck) return;
    const Slots<T> slot = candidates_.slots(j);
    count = keep_within(slot.d2, slot.index, count, rank_bound(slot.d2, count, need_));
  }

  /// Nothing within r2 is missing; is that enough? With a radius limit, there may be no more.
  bool is_complete(std::size_t j, T r2) const {
    const T most2 = rows_.most2(j);
    return candidates_.count(j) >= need_ || (r2 >= most2 && most2 == rows_.limit2(j));
  }

  /// A larger radius, from the number of points that the last one held.
  T grown(std::size_t j, T r2) const {
    const auto count = static_cast<float>(std::max<std::size_t>(1, candidates_.count(j)));
    const float log_factor = aim_.exponent * (rough_log2(aim_.points) - rough_log2(count));
    return std::min(rows_.most2(j),
                    r2 * rough_exp2<T>(rough_log2(1.0) + std::clamp(log_factor, 0.38f, 2.f)));
  }

  /// Points at distance 0 of the group were looked for, since there are very many.
  bool has_ties() const { return at_zero_group_ == group_.list.groups; }

 private:
  /// The queries are the points of the tree.
  bool is_own() const { return job_.queries.blocks == job_.source.blocks; }

  /// For queries that have enough points at distance 0, such as many whose squares vanish: those of
  /// the least index count. Points at distance 0 of a query are at distance 0 of its group's box,
  /// and the first of these are found once for the group; false if they do not suffice.
  HWY_NOINLINE bool search_at_zero(std::size_t j) {
    if constexpr (Norm::kPower != 2) return false;  // differences vanish between equal points only
    if (!has_ties()) at_zero_.find(group_.list.box, need_ + kSpareTies);
    at_zero_group_ = group_.list.groups;
    T point[kAxisRoom<D>];
    load_lane(queries_.point(j), 0, group_.sources.axes(), point);
    candidates_.reserve(need_);
    const Slots<T> slot = candidates_.slots(j);
    std::fill_n(slot.d2, need_, T(0));
    candidates_.count(j) = at_zero_.first(point, need_, slot.index);
    return candidates_.count(j) == need_;
  }

  void search_within(std::size_t j, T r2) {
    candidates_.reserve(nearest_first_.room());
    const bool is_done =
        job_.is_periodic ? search_within<true>(j, r2) : search_within<false>(j, r2);
    if (!is_done || !is_complete(j, r2)) rows_.search_best_first(j);
  }
  template <bool Wrap>
  bool search_within(std::size_t j, T r2) {
    return nearest_first_.template search<Wrap>(queries_.point(j), r2, candidates_.slots(j),
                                                candidates_.count(j));
  }

  T enough(std::size_t j) {
    const T* point = queries_.point(j);
    return enough_.around(point, is_own() ? queries_.block() : group_.sources.nearest_block(point));
  }

  /// A squared radius within which enough points certainly lie; sets the guess that the size of the
  /// last node with enough points suggests.
  T descend(std::size_t j, T& guess) const {
    T sure = std::numeric_limits<T>::max();
    guess = sure;
    group_.sources.follow_nearest(queries_.point(j), need_,
                                  [&](T upper, const Bounds<D, T>& box, std::size_t points) {
                                    sure = std::min(sure, upper);
                                    guess = guess_from(box, points);
                                  });
    return sure;
  }

  /// The squared radius of a ball that should hold the points aimed at, if a node of this box holds
  /// that many.
  T guess_from(const Bounds<D, T>& box, std::size_t points) const {
    const float share = std::pow(aim_.points / static_cast<float>(points), aim_.exponent);
    return group_.finite_diagonal2(box) *
           static_cast<T>((Norm::kPower == 2 ? 0.14f : 0.37f) * share);
  }

  /// How many more points at distance 0 of a group are found than a query needs. With 64, a set
  /// over 30 decades (bench/peers/shapes.cpp) takes 31 % longer at k = 1.
  static constexpr std::size_t kSpareTies = 16;

  const Aim aim_;
  const std::size_t max_picked_;
  /// In more dimensions groups reach more blocks, and many of them: at d = 5, 768 would take twice
  /// the time.
  const std::size_t max_listed_;
  const std::size_t max_sorted_;

  const KnnJob<T>& job_;
  const std::size_t need_;
  GroupSearch<D, T, Norm>& group_;
  const QueryBlock<D, T, Norm::kPower == 2>& queries_;
  Candidates<D, T, Norm>& candidates_;
  KnnRows<D, T, Norm>& rows_;
  Enough<D, T, Norm> enough_;
  NearestFirst<D, T, Norm> nearest_first_;
  AtZero<D, T> at_zero_;
  std::size_t at_zero_group_ = 0;  ///< whose points it has
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
