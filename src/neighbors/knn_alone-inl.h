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
class KnnAlone : public KnnRows<D, T, Norm> {
 public:
  explicit KnnAlone(const KnnJob<T>& job)
      : KnnRows<D, T, Norm>(job),
        aim_(std::max<std::size_t>(1, need_), job.source.dimension, job.is_hilbert, Norm::kPower),
        max_picked_(std::max<std::size_t>(256, 4 * static_cast<std::size_t>(aim_.blocks))),
        max_listed_(std::max<std::size_t>(D == kAnyDimension ? 3072 : 768,
                                          16 * static_cast<std::size_t>(aim_.blocks))),
        max_sorted_(48 + 2 * static_cast<std::size_t>(aim_.points)),
        enough_(this->sources_, need_),
        nearest_first_(this->sources_, need_),
        at_zero_(job.source, job.side) {}

 protected:
  using Base = KnnRows<D, T, Norm>;
  using Base::counts_of_, Base::job_, Base::limit2_, Base::most2_, Base::need_, Base::queries_,
      Base::query_, Base::reserve_slots, Base::slots, Base::sources_;

  /// One search serves all, unless each has its own limit.
  void search_equal_queries() {
    this->search_best_first(0);
    for (std::size_t j = 1; j < queries_; ++j) {
      if (this->has_own_limits())
        this->search_best_first(j);
      else
        copy_slot(0, j);
    }
  }

  void search_each_alone() {
    for (std::size_t j = 0; j < queries_; ++j) search_alone(j);
  }

  /// Searches from the root: within a guess, if there is one or the tree suggests it, then within
  /// what is enough for certain.
  HWY_NOINLINE void search_alone(std::size_t j, T r2 = 0) {
    ++this->counts_.alone;
    T sure = most2_[j];
    if (!is_own() && !(r2 > 0)) {
      sure = std::min(sure, descend(j, r2));
      r2 = std::min(r2, sure);
    }
    for (int attempt = 0; attempt < 3 && r2 > 0; ++attempt) {
      if (!this->list_alone(j, r2, max_picked_)) break;
      this->collect_alone(j, r2);
      if (is_complete(j, r2)) return trim(j);
      if (is_own() || r2 >= sure) break;
      r2 = std::min(sure, grown(j, r2));
    }
    if (need_ > Base::kPointsPerLook) return this->search_best_first(j);  // it stops in time
    r2 = std::min(most2_[j], enough(j));
    if (r2 != 0 || !search_first(j)) search_within(j, r2);
  }

  /// Sorting networks are for few candidates; very many are sorted piece by piece anyway.
  HWY_INLINE void trim(std::size_t j) {
    if (HWY_LIKELY(counts_of_[j] <= max_sorted_) || counts_of_[j] > Base::kPointsPerLook) return;
    const Slots<T> slot = slots(j);
    const T bound2 = rank_bound(slot.d2, counts_of_[j], need_);
    counts_of_[j] = keep_within(slot.d2, slot.index, counts_of_[j], bound2);
  }

  /// Nothing within r2 is missing; is that enough? With a radius limit, there may be no more.
  bool is_complete(std::size_t j, T r2) const {
    return counts_of_[j] >= need_ || (r2 >= most2_[j] && most2_[j] == limit2_[j]);
  }

  /// A larger radius, from the number of points that the last one held.
  T grown(std::size_t j, T r2) const {
    const auto count = static_cast<float>(std::max<std::size_t>(1, counts_of_[j]));
    const float log_factor = aim_.exponent * (rough_log2(aim_.points) - rough_log2(count));
    return std::min(most2_[j],
                    r2 * rough_exp2<T>(rough_log2(1.0) + std::clamp(log_factor, 0.38f, 2.f)));
  }

  bool is_own() const { return job_.queries.blocks == job_.source.blocks; }

  /// Points at distance 0 of the group were looked for, since there are very many.
  bool has_ties() const { return at_zero_group_ == this->groups_; }

  const Aim aim_;
  const std::size_t max_picked_;
  /// In more dimensions groups reach more blocks, and many of them: at d = 5, 768 would take twice
  /// the time.
  const std::size_t max_listed_;
  const std::size_t max_sorted_;

 private:
  void copy_slot(std::size_t from, std::size_t to) {
    const std::size_t count = counts_of_[to] = counts_of_[from];
    std::copy_n(slots(from).d2, count, slots(to).d2);
    std::copy_n(slots(from).index, count, slots(to).index);
  }

  /// For queries that have enough points at distance 0, such as many whose squares vanish: those of
  /// the least index count. Points at distance 0 of a query are at distance 0 of its group's box,
  /// and the first of these are found once for the group; false if they do not suffice.
  HWY_NOINLINE bool search_first(std::size_t j) {
    if constexpr (Norm::kPower != 2) return false;  // differences vanish between equal points only
    if (at_zero_group_ != this->groups_) at_zero_.find(this->group_, need_ + kSpareTies);
    at_zero_group_ = this->groups_;
    T point[kAxisRoom<D>];
    load_lane(query_, j, sources_.axes(), point);
    reserve_slots(need_);
    std::fill_n(slots(j).d2, need_, T(0));
    counts_of_[j] = at_zero_.first(point, need_, slots(j).index);
    return counts_of_[j] == need_;
  }

  void search_within(std::size_t j, T r2) {
    reserve_slots(nearest_first_.room());
    const bool is_done =
        job_.is_periodic
            ? nearest_first_.template search<true>(query_ + j, r2, slots(j), counts_of_[j])
            : nearest_first_.template search<false>(query_ + j, r2, slots(j), counts_of_[j]);
    if (!is_done || !is_complete(j, r2)) this->search_best_first(j);
  }

  T enough(std::size_t j) {
    const std::size_t block =
        is_own() ? this->position_ / kLanes : sources_.nearest_block(query_ + j);
    return enough_.around(query_ + j, block);
  }

  /// A squared radius within which enough points certainly lie; sets the guess that the size of the
  /// last node with enough points suggests.
  T descend(std::size_t j, T& guess) const {
    T sure = std::numeric_limits<T>::max();
    guess = sure;
    sources_.follow_nearest(query_ + j, need_,
                            [&](T upper, const Bounds<D, T>& box, std::size_t points) {
                              sure = std::min(sure, upper);
                              guess = guess_from(box, points);
                            });
    return sure;
  }

  /// The squared radius of a ball that should hold the points aimed at, if a node of this box holds
  /// so many.
  T guess_from(const Bounds<D, T>& box, std::size_t points) const {
    const float share = std::pow(aim_.points / static_cast<float>(points), aim_.exponent);
    return this->finite_diagonal2(box) *
           static_cast<T>((Norm::kPower == 2 ? 0.14f : 0.37f) * share);
  }

  /// How many more points at distance 0 of a group are found than a query needs. With 64, a set
  /// over 30 decades (bench/peers/shapes.cpp) takes 31 % longer at k = 1.
  static constexpr std::size_t kSpareTies = 16;

  Enough<D, T, Norm> enough_;
  NearestFirst<D, T, Norm> nearest_first_;
  AtZero<D, T> at_zero_;
  std::size_t at_zero_group_ = 0;  ///< whose points it has
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
