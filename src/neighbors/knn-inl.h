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

#include "neighbors/group-inl.h"
#include "neighbors/predictor.hpp"
#include "walk/best_first-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T>
class KnnSearch final : public GroupSearch<D, T> {
 public:
  explicit KnnSearch(const KnnJob<T>& job)
      : GroupSearch<D, T>(job),
        job_(job),
        need_(std::min(job.k + (job.exclude_self ? 1 : 0), job.source.points)),
        aim_(std::max<std::size_t>(1, need_), job.source.dimension, job.is_hilbert),
        most_(std::min(job.limit2, std::numeric_limits<T>::max())),
        best_first_(reach_) {
    const auto expected = static_cast<std::size_t>(aim_.blocks);
    max_picked_ = std::max<std::size_t>(256, 4 * expected);
    max_listed_ = std::max<std::size_t>(3072, 16 * expected);
  }

 private:
  using Base = GroupSearch<D, T>;
  using Base::collect, Base::counts_, Base::counts_of_, Base::forget, Base::is_listed_,
      Base::is_wrapped_, Base::list_, Base::listed2_, Base::near_, Base::picked, Base::queries_,
      Base::query_, Base::reach_, Base::reserve_slots, Base::slots;
  using typename Base::Box;

  void search_block() override {
    const Box box = this->box_of_block(this->block_);
    if (queries_ > 1 && this->is_point(box)) return search_equal_queries();
    const float log_diagonal2 = rough_log2(this->diagonal2(box));
    T r2 = 0;
    const bool has_guess = job_.is_grouped && predictor_.is_ready();
    if (has_guess) {
      r2 = std::min(most_, rough_exp2<T>(predictor_.predict(log_diagonal2, aim_)));
      if (r2 > listed2_ || (!is_listed_ && r2 * 3 < listed2_))
        this->list_group(std::min(most_, r2 * T(1.5)), max_listed_);
    }
    if (!has_guess || !is_listed_) {
      for (std::size_t j = 0; j < queries_; ++j) search_alone(j);
    } else if (is_wrapped_) {
      search_listed<true>(box, r2);
    } else {
      search_listed<false>(box, r2);
    }
    finish(log_diagonal2);
  }

  /// One search serves all.
  void search_equal_queries() {
    search_best_first(0);
    const std::size_t count = counts_of_[0];
    for (std::size_t j = 1; j < queries_; ++j) {
      std::copy_n(slots(0).d2, count, slots(j).d2);
      std::copy_n(slots(0).id, count, slots(j).id);
      counts_of_[j] = count;
    }
    finish(0, false);
  }

  // ---- with the group's list

  template <bool Wrap>
  void search_listed(const Box& box, T r2) {
    reach_.template filter<Wrap>(list_, BoxProbe<D, T>(box, reach_.axes()), r2, near_);
    std::size_t blocks[kLanes], most = 0;
    T radius2[kLanes];
    for (std::size_t j = 0; j < queries_; ++j) {
      blocks[j] = reach_.template pick<Wrap>(near_, query_ + j, r2, picked(j));
      radius2[j] = r2;
      if (HWY_UNLIKELY(D != kAnyDimension && static_cast<float>(blocks[j]) > 1.6f * aim_.blocks)) {
        // Too many blocks: the points are denser here than the guess knew.
        radius2[j] = r2 * static_cast<T>(aim_.blocks / static_cast<float>(blocks[j]));
        blocks[j] = reach_.template pick<Wrap>(near_, query_ + j, radius2[j], picked(j));
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
    return counts_of_[j] >= need_ || (r2 >= most_ && most_ == job_.limit2);
  }

  /// A larger radius, from the number of points that the last one held.
  T grown(T r2, std::size_t count) const {
    const float factor =
        1.1f *
        std::pow(aim_.points / static_cast<float>(std::max<std::size_t>(1, count)), aim_.exponent);
    return std::min(most_, r2 * static_cast<T>(std::clamp(factor, 1.3f, 4.f)));
  }

  template <bool Wrap>
  HWY_NOINLINE void rescan(std::size_t j, T r2) {
    while (true) {
      ++counts_.rescanned;
      const T last = r2;
      r2 = grown(last, counts_of_[j]);
      // The least number does not grow by a factor, the largest not at all.
      if (!(r2 > last && r2 <= listed2_)) return search_alone(j, r2);
      const std::size_t blocks = reach_.template pick<Wrap>(list_, query_ + j, r2, picked(j));
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
    T sure = most_;
    for (int attempt = 0; attempt < 10; ++attempt) {
      if ((attempt == 0 && !(r2 > 0)) || attempt == 2) {
        T guess = r2;
        sure = std::min(most_, descend(j, guess));
        r2 = std::min(std::max(r2, guess), sure);
      }
      if (!this->list_alone(j, r2, max_picked_)) break;
      this->collect_alone(j, r2);
      if (is_complete(j, r2)) return;
      if (r2 >= sure && attempt > 2) break;
      r2 = std::min(sure, grown(std::max(r2, std::numeric_limits<T>::min()), counts_of_[j]));
    }
    search_best_first(j);
  }

  /// Follows the node whose farthest corner is nearest. Returns a squared radius within which
  /// enough points certainly lie, and sets the guess that the size of the last node with enough
  /// points suggests.
  T descend(std::size_t j, T& guess) const {
    const PlanesView<T>& tree = job_.source;
    const PointProbe<D, T> q(query_ + j, kLanes, reach_.axes());
    T sure = std::numeric_limits<T>::max();
    guess = sure;
    std::size_t chunk = 0, points = kLanes;
    for (int plane = 0; plane < tree.entry(); ++plane) points *= kLanes;
    for (int plane = tree.entry(); plane >= 0 && points >= need_; --plane, points /= kLanes) {
      const std::size_t nodes = tree.plane(plane).nodes;
      const T* boxes = tree.chunk(plane, chunk, reach_.axes());
      alignas(64) T upper[kLanes];
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(Tag<T>()))
        hn::Store(boxes_upper2(q, boxes + lane, kLanes, reach_.side(), reach_.axes()), Tag<T>(),
                  upper + lane);
      // The last node of a plane may be short of points: not counted on.
      const std::size_t first = chunk * kLanes;
      const std::size_t full = first + 1 < nodes ? std::min(kLanes, nodes - 1 - first) : 0;
      if (full == 0) break;
      const auto nearest = static_cast<std::size_t>(std::min_element(upper, upper + full) - upper);
      sure = std::min(sure, upper[nearest]);
      guess = guess_from(boxes + nearest, points);
      chunk = first + nearest;
    }
    return sure;
  }

  /// The squared radius of a ball that should hold the points aimed at, if a node of this box holds
  /// so many.
  T guess_from(const T* box, std::size_t points) const {
    T diagonal2 = 0;
    for (int axis = 0; axis < reach_.axes().count(); ++axis) {
      const T* lower = box + static_cast<std::size_t>(axis) * kLanes;
      const T width = lower[static_cast<std::size_t>(reach_.axes().count()) * kLanes] - lower[0];
      diagonal2 += width * width;
    }
    const float share = std::pow(aim_.points / static_cast<float>(points), aim_.exponent);
    return diagonal2 * static_cast<T>(0.14f * share);
  }

  HWY_NOINLINE void search_best_first(std::size_t j) {
    ++counts_.best_first;
    const auto& found = best_first_.search(query_ + j, need_, job_.limit2);
    reserve_slots(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      slots(j).d2[i] = found[i].d2;
      slots(j).id[i] = found[i].id;
    }
    counts_of_[j] = found.size();
  }

  // ---- results

  void finish(float log_diagonal2, bool is_lesson = true) {
    std::fill(counts_of_ + queries_, counts_of_ + kLanes, 0);
    if (job_.exclude_self)
      for (std::size_t j = 0; j < queries_; ++j) forget(j, this->query_id(j));
    for (std::size_t j = 0; j < queries_; j += kColumns)
      this->selector_.sort(slots(j), counts_of_ + j, job_.k);
    float log_r2[kLanes];
    for (std::size_t j = 0; j < queries_; ++j) {
      const Slots<T> slot = slots(j);
      const std::size_t count = std::min(counts_of_[j], job_.k);
      log_r2[j] = rough_log2(count < job_.k ? most_ : slot.d2[count - 1]);
      to_distances(slot.d2, count, job_.unscale);
      deliver({this->row_of(j), count, slot.id, slot.d2});
    }
    if (is_lesson && job_.is_grouped) predictor_.learn(log_r2, queries_, log_diagonal2);
  }

  HWY_INLINE void deliver(const Found<T>& found) const {
    if (job_.visit) return (*job_.visit)(found);
    const std::size_t at = found.row * job_.k;
    write_neighbors(job_, found, at);
    if (HWY_UNLIKELY(found.count < job_.k)) pad_row(job_, at + found.count, at + job_.k);
  }

  const KnnJob<T>& job_;
  const std::size_t need_;  ///< neighbours to collect, the query itself included
  const Aim aim_;
  const T most_;  ///< the largest squared radius to try: the limit, or what is finite
  std::size_t max_picked_, max_listed_;
  BestFirst<D, T> best_first_;
  Predictor predictor_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
