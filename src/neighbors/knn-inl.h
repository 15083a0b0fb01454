// k nearest neighbours by "predict, collect, select".
//
// For a group of 64 queries that lie together: guess the radius of the k-th neighbour, list the
// blocks of points in reach of the group, filter the list for each 8 queries, pick from it for each
// query, collect all points within the radius without a branch. If enough came together the answer
// is among them, exactly; if not, the radius grows. A query without a usable guess or list searches
// alone: a descent of the tree gives a radius that certainly suffices. What is left over (many
// identical points, infinite distances) is walked best first.
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

#include "neighbors/knn_rows-inl.h"
#include "neighbors/predictor.hpp"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T>
class KnnSearch final : public KnnRows<D, T> {
 public:
  explicit KnnSearch(const KnnJob<T>& job)
      : KnnRows<D, T>(job),
        aim_(std::max<std::size_t>(1, need_), job.source.dimension, job.is_hilbert) {
    const auto expected = static_cast<std::size_t>(aim_.blocks);
    max_picked_ = std::max<std::size_t>(256, 4 * expected);
    max_listed_ = std::max<std::size_t>(3072, 16 * expected);
  }

 private:
  using Base = KnnRows<D, T>;
  using Base::collect, Base::counts_, Base::counts_of_, Base::is_listed_, Base::is_wrapped_,
      Base::job_, Base::limit2_, Base::list_, Base::listed2_, Base::most2_, Base::near_,
      Base::need_, Base::picked, Base::queries_, Base::query_, Base::reserve_slots, Base::slots,
      Base::sources_;

  void search_block() override {
    const Bounds<D, T> box = this->box_of_block(this->position_ / kLanes);
    this->set_limits();
    if (queries_ > 1 && this->is_point(box)) return search_equal_queries();
    const float log_diagonal2 = rough_log2(this->finite_diagonal2(box));
    T r2 = 0;
    const T most2 = job_.limits2 ? *std::max_element(most2_, most2_ + queries_) : most2_[0];
    const bool has_guess = job_.is_grouped && predictor_.is_ready();
    if (has_guess) {
      r2 = std::min(most2, rough_exp2<T>(predictor_.predict(log_diagonal2, aim_)));
      if (r2 > listed2_ || (!is_listed_ && r2 * 3 < listed2_))
        this->list_group(std::min(most2, r2 * T(1.5)), max_listed_);
    }
    if (!has_guess || !is_listed_) {
      for (std::size_t j = 0; j < queries_; ++j) search_alone(j);
    } else if (is_wrapped_) {
      search_listed<true>(box, r2);
    } else {
      search_listed<false>(box, r2);
    }
    T last2[kLanes];
    this->finish(last2);
    if (job_.is_grouped) learn(last2, log_diagonal2);
  }

  void learn(const T* last2, float log_diagonal2) {
    float log_r2[kLanes];
    for (std::size_t j = 0; j < queries_; ++j) log_r2[j] = rough_log2(std::max(T(0), last2[j]));
    predictor_.learn(log_r2, queries_, log_diagonal2);
  }

  /// One search serves all, unless they have limits of their own.
  void search_equal_queries() {
    this->search_best_first(0);
    for (std::size_t j = 1; j < queries_; ++j) {
      if (job_.limits2)
        this->search_best_first(j);
      else
        copy_slot(0, j);
    }
    T last2[kLanes];
    this->finish(last2);
  }
  void copy_slot(std::size_t from, std::size_t to) {
    const std::size_t count = counts_of_[to] = counts_of_[from];
    std::copy_n(slots(from).d2, count, slots(to).d2);
    std::copy_n(slots(from).index, count, slots(to).index);
  }

  // ---- with the group's list

  template <bool Wrap>
  void search_listed(const Bounds<D, T>& box, T r2) {
    sources_.template filter<Wrap>(list_, BoxProbe<D, T>(box, sources_.axes()), r2, near_);
    std::size_t blocks[kLanes], most = 0;
    T radius2[kLanes];
    for (std::size_t j = 0; j < queries_; ++j) {
      radius2[j] = job_.limits2 ? std::min(r2, most2_[j]) : r2;
      blocks[j] = sources_.template pick<Wrap>(near_, query_ + j, radius2[j], picked(j));
      if (HWY_UNLIKELY(D != kAnyDimension && static_cast<float>(blocks[j]) > 1.6f * aim_.blocks)) {
        // Too many blocks: the points are denser here than the guess knew.
        radius2[j] *= static_cast<T>(aim_.blocks / static_cast<float>(blocks[j]));
        blocks[j] = sources_.template pick<Wrap>(near_, query_ + j, radius2[j], picked(j));
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
    }
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
      const std::size_t blocks = sources_.template pick<Wrap>(list_, query_ + j, r2, picked(j));
      if (blocks > max_picked_) return search_alone(j, r2);
      reserve_slots(blocks * kLanes);
      this->template collect<Wrap>(j, picked(j), blocks, r2);
      if (is_complete(j, r2)) return;
    }
  }

  // ---- without it

  /// Searches from the root, from a guess or, if that is none or was much too small, from what the
  /// tree suggests.
  HWY_NOINLINE void search_alone(std::size_t j, T r2 = 0) {
    ++counts_.alone;
    T sure = most2_[j];
    for (int attempt = 0; attempt < 10; ++attempt) {
      if ((attempt == 0 && !(r2 > 0)) || attempt == 2) {
        T guess = r2;
        sure = std::min(most2_[j], descend(j, guess));
        r2 = std::min(std::max(r2, guess), sure);
      }
      if (!this->list_alone(j, r2, max_picked_)) break;
      this->collect_alone(j, r2);
      if (is_complete(j, r2)) return;
      if (r2 >= sure && attempt > 2) break;
      r2 = std::min(sure, grown(j, std::max(r2, std::numeric_limits<T>::min())));
    }
    this->search_best_first(j);
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
    return diagonal2(box, sources_.axes()) * static_cast<T>(0.14f * share);
  }

  const Aim aim_;
  std::size_t max_picked_, max_listed_;
  Predictor predictor_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
