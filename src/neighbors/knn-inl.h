// k nearest neighbors by "predict, collect, select".
//
// For a group of 64 queries that lie together: guess the radius of the k-th neighbor, list the
// blocks of points in reach of the group, filter the list for each 8 queries, pick from it for each
// query, collect all points within the radius without a branch. If enough came together the answer
// is among them, exactly; if not, the radius grows. A query without a usable guess or list searches
// alone, from a radius that certainly suffices, nearest nodes first. What is left over (many
// identical points, infinite distances) is walked best first.
//
// Radii and distances are keys of the norm, squares for the Euclidean one, whence their names.
#if defined(KITH_NEIGHBORS_KNN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_KNN_INL_H_
#undef KITH_NEIGHBORS_KNN_INL_H_
#else
#define KITH_NEIGHBORS_KNN_INL_H_
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
class KnnSearch final : public KnnRows<D, T, Norm> {
 public:
  explicit KnnSearch(const KnnJob<T>& job)
      : KnnRows<D, T, Norm>(job),
        aim_(std::max<std::size_t>(1, need_), job.source.dimension, job.is_hilbert, Norm::kPower),
        enough_(sources_, need_),
        nearest_first_(sources_, need_),
        at_zero_(job.source, job.side) {
    const auto expected = static_cast<std::size_t>(aim_.blocks);
    max_picked_ = std::max<std::size_t>(256, 4 * expected);
    // In more dimensions groups reach more blocks, and many of them: at d = 5, 768 would take twice
    // the time.
    max_listed_ = std::max<std::size_t>(D == kAnyDimension ? 3072 : 768, 16 * expected);
    max_sorted_ = 48 + 2 * static_cast<std::size_t>(aim_.points);
  }

 private:
  using Base = KnnRows<D, T, Norm>;
  using Base::collect, Base::counts_, Base::counts_of_, Base::is_listed_, Base::is_wrapped_,
      Base::has_nodes_, Base::job_, Base::limit2_, Base::list_, Base::listed2_, Base::most2_,
      Base::near_, Base::need_, Base::picked, Base::queries_, Base::query_, Base::reserve_slots,
      Base::slots, Base::sources_;

  void search_block() override {
    const Bounds<D, T> box = this->box_of_block(this->position_ / kLanes);
    this->set_limits();
    if (queries_ > 1 && this->is_point(box)) return search_equal_queries();
    const T diagonal2 = this->finite_diagonal2(box);
    const float log_diagonal2 = rough_log2(diagonal2);
    const T most2 =
        this->has_own_limits() ? *std::max_element(most2_, most2_ + queries_) : most2_[0];
    const bool has_guess = job_.is_grouped && predictor_.is_ready();
    T r2 = 0;
    if (has_guess) {
      r2 = std::min(most2, rough_exp2<T>(predictor_.predict(log_diagonal2, aim_)));
      const T within2 = std::min(most2, r2 * kSpare);
      make_list(r2, within2, std::max(within2, diagonal2));
    }
    const bool has_ties = r2 == 0 && at_zero_group_ == this->groups_;
    if (has_guess && is_listed_ && !has_ties)
      search_listed(box, r2);
    else
      search_each_alone();
    this->sort_rows();
    if (job_.is_grouped) learn(log_diagonal2);
    this->deliver_rows();
  }

  void learn(float log_diagonal2) {
    Lesson lesson(predictor_.guess());
    for (std::size_t j = 0; j < queries_; ++j)
      lesson.add(rough_log2(std::max(T(0), this->last2(j))));
    predictor_.learn(lesson, log_diagonal2);
  }

  /// One search serves all, unless each has its own limit.
  void search_equal_queries() {
    this->search_best_first(0);
    for (std::size_t j = 1; j < queries_; ++j) {
      if (this->has_own_limits())
        this->search_best_first(j);
      else
        copy_slot(0, j);
    }
    this->sort_rows();
    this->deliver_rows();
  }
  void copy_slot(std::size_t from, std::size_t to) {
    const std::size_t count = counts_of_[to] = counts_of_[from];
    std::copy_n(slots(from).d2, count, slots(to).d2);
    std::copy_n(slots(from).index, count, slots(to).index);
  }

  // ---- with the group's list

  /// Lists what is within `within2` of the group, unless a list serves already. Where points near
  /// it are much closer to each other than to the queries, nodes far below `scale2`, the size of
  /// things here, stay whole.
  void make_list(T r2, T within2, T scale2) {
    const bool is_coarse = has_nodes_ && scale2 * kFar < scale2_;
    const bool is_missed = !is_listed_ && r2 * 3 < listed2_;
    if (r2 <= listed2_ && !is_coarse && !is_missed) return;
    this->list_group(within2, max_listed_);
    if (is_listed_) return;
    scale2_ = scale2;
    this->list_group_nodes(within2, scale2 * kSmall, max_listed_);
  }

  void search_listed(const Bounds<D, T>& box, T r2) {
    is_wrapped_ ? search_listed<true>(box, r2) : search_listed<false>(box, r2);
  }
  /// The blocks of a list within r2 of a query; more than max_picked_ are not distinguished.
  template <bool Wrap>
  HWY_INLINE std::size_t pick(const InteractionList<T>& list, std::size_t j, T r2) {
    const std::size_t count = sources_.template pick<Wrap>(list, query_ + j, r2, picked(j));
    if (HWY_LIKELY(!has_nodes_)) return count;
    return sources_.template expand<Wrap>(query_ + j, r2, picked(j), count, max_picked_);
  }
  template <bool Wrap>
  void search_listed(const Bounds<D, T>& box, T r2) {
    sources_.template filter<Wrap>(list_, BoxProbe<D, T>(box, sources_.axes()), r2, near_);
    std::size_t blocks[kLanes], most = 0;
    T radius2[kLanes];
    for (std::size_t j = 0; j < queries_; ++j) {
      radius2[j] = this->has_own_limits() ? std::min(r2, most2_[j]) : r2;
      blocks[j] = pick<Wrap>(near_, j, radius2[j]);
      if (HWY_UNLIKELY(D != kAnyDimension && static_cast<float>(blocks[j]) > 1.6f * aim_.blocks)) {
        // Too many blocks: the points are denser here than the guess knew.
        const float share = aim_.blocks / static_cast<float>(blocks[j]);
        radius2[j] *= static_cast<T>(Norm::kPower == 2 ? share : std::sqrt(share));
        blocks[j] = pick<Wrap>(near_, j, radius2[j]);
      }
      most = std::max(most, std::min(blocks[j], max_picked_));
    }
    reserve_slots(most * kLanes);
    for (std::size_t j = 0; j < queries_; ++j)
      if (blocks[j] <= max_picked_)
        this->template collect<Wrap>(j, picked(j), blocks[j], radius2[j]);
    for (std::size_t j = 0; j < queries_; ++j) {
      if (HWY_UNLIKELY(blocks[j] > max_picked_))
        search_alone(j);
      else if (HWY_UNLIKELY(!is_complete(j, radius2[j])))
        rescan<Wrap>(j, radius2[j]);
      else
        trim(j);
    }
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
    const std::size_t count = std::max<std::size_t>(1, counts_of_[j]);
    const float factor = 1.1f * std::pow(aim_.points / static_cast<float>(count), aim_.exponent);
    return std::min(most2_[j], r2 * static_cast<T>(std::clamp(factor, 1.3f, 4.f)));
  }

  template <bool Wrap>
  HWY_NOINLINE void rescan(std::size_t j, T r2) {
    while (true) {
      ++counts_.rescanned;
      const T last = r2;
      r2 = grown(j, last);
      // The least number does not grow by a factor, the largest not at all.
      if (!(r2 > last && r2 <= listed2_)) return search_alone(j, r2);
      const std::size_t blocks = pick<Wrap>(list_, j, r2);
      if (blocks > max_picked_) return search_alone(j, r2);
      reserve_slots(blocks * kLanes);
      this->template collect<Wrap>(j, picked(j), blocks, r2);
      if (is_complete(j, r2)) return trim(j);
    }
  }

  // ---- without one

  void search_each_alone() {
    for (std::size_t j = 0; j < queries_; ++j) search_alone(j);
  }

  /// Searches from the root: within a guess, if there is one or the tree suggests it, then within
  /// what is enough for certain.
  HWY_NOINLINE void search_alone(std::size_t j, T r2 = 0) {
    ++counts_.alone;
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

  /// For queries that have enough points at distance 0, such as many whose squares vanish: those of
  /// the least index count. Points at distance 0 of a query are at distance 0 of its group's box,
  /// and the first of these are found once for the group; false if they do not suffice.
  HWY_NOINLINE bool search_first(std::size_t j) {
    if constexpr (Norm::kPower != 2) return false;  // differences vanish between equal points only
    if (at_zero_group_ != this->groups_) at_zero_.find(this->group_, need_ + kGroupQueries);
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

  bool is_own() const { return job_.queries.blocks == job_.source.blocks; }

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

  /// Nodes are small below this share of the radius, in keys, and lists are of use down to this
  /// share of theirs.
  static constexpr T kSmall = T(Norm::kPower == 2 ? 0.25 : 0.5);
  static constexpr T kFar = T(Norm::kPower == 2 ? 16 : 4);
  /// Lists reach farther than the guess, so that it may grow.
  static constexpr T kSpare = T(Norm::kPower == 2 ? 1.5 : 1.225);

  const Aim aim_;
  std::size_t max_picked_, max_listed_, max_sorted_;
  Enough<D, T, Norm> enough_;
  NearestFirst<D, T, Norm> nearest_first_;
  AtZero<D, T> at_zero_;
  T scale2_ = 0;                   ///< of the nodes in the list
  std::size_t at_zero_group_ = 0;  ///< whose points it has
  Predictor predictor_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
