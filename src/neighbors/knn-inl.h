// k nearest neighbours by "predict, collect, select".
//
// For a group of 64 queries that lie together: guess the radius of the k-th neighbour, list the blocks of points in
// reach of the group, filter the list for each 8 queries, pick from it for each query, collect all points within
// the radius without a branch. If enough came together the answer is among them, exactly; if not, the radius
// grows. A query without a usable guess or list searches alone: a descent of the tree gives a radius that
// certainly suffices. What is left over (many identical points, infinite distances) is walked best first.
#if defined(KITH_NEIGHBORS_KNN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_KNN_INL_H_
#undef KITH_NEIGHBORS_KNN_INL_H_
#else
#define KITH_NEIGHBORS_KNN_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "neighbors/knn_job.hpp"
#include "neighbors/predictor.hpp"
#include "neighbors/rows-inl.h"
#include "walk/best_first-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T>
class KnnSearch final : public KnnWorker {
 public:
  explicit KnnSearch(const KnnJob<T>& job)
      : job_(job),
        need_(std::min(job.k + (job.exclude_self ? 1 : 0), job.source.points)),
        aim_(std::max<std::size_t>(1, need_), job.source.dimension, job.source.is_hilbert),
        most_(std::min(job.limit2, std::numeric_limits<T>::max())),
        reach_(job.source, job.side),
        best_first_(reach_) {
    const auto expected = static_cast<std::size_t>(aim_.blocks);
    max_picked_ = std::max<std::size_t>(256, 4 * expected);
    max_listed_ = std::max<std::size_t>(3072, 16 * expected);
    reserve_slots(8 * kLanes);
  }

  void run(std::size_t group_begin, std::size_t group_end) override {
    for (std::size_t group = group_begin; group < group_end; ++group) {
      const std::size_t first = group * kGroupBlocks;
      const std::size_t last = std::min(job_.queries.block_count(), first + kGroupBlocks);
      set_group(first, last);
      for (std::size_t block = first; block < last; ++block) search_block(block);
    }
    hwy::FlushStream();
  }

 private:
  using Box = Bounds<D, T>;
  /// Any other dimension has one copy of the code, which asks each axis whether it is periodic.
  static constexpr bool kAlwaysWrap = D == kAnyDimension;

  // ---- queries

  Box box_of_block(std::size_t block) const {
    const Axes<D> axes = reach_.axes();
    const T* chunk = job_.queries.level[0].boxes + block / kLanes * reach_.chunk_stride() + block % kLanes;
    Box box;
    for (int axis = 0; axis < axes.count(); ++axis) {
      box.lo[axis] = chunk[static_cast<std::size_t>(axis) * kLanes];
      box.hi[axis] = chunk[static_cast<std::size_t>(axes.count() + axis) * kLanes];
    }
    return box;
  }

  T diagonal2(const Box& box) const {
    T sum = 0;
    for (int axis = 0; axis < reach_.axes().count(); ++axis) {
      const T width = box.hi[axis] - box.lo[axis];
      sum += width * width;
    }
    return std::min(std::numeric_limits<T>::max(), sum);  // finite even where queries are not
  }

  bool is_point(const Box& box) const {
    return std::equal(box.lo, box.lo + reach_.axes().count(), box.hi);
  }

  void set_group(std::size_t first, std::size_t last) {
    group_ = box_of_block(first);
    for (std::size_t block = first + 1; block < last; ++block)
      group_.add(box_of_block(block), reach_.axes());
    listed2_ = -1;
    is_listed_ = false;
  }

  void search_block(std::size_t block) {
    block_ = block;
    query_ = job_.queries.blocks + block * reach_.block_stride();
    queries_ = std::min(kLanes, job_.queries.points - block * kLanes);
    const Box box = box_of_block(block);
    if (queries_ > 1 && is_point(box)) return search_equal_queries();
    const float log_diagonal2 = rough_log2(diagonal2(box));
    T r2 = 0;
    const bool has_guess = job_.is_grouped && predictor_.is_ready();
    if (has_guess) {
      r2 = std::min(most_, rough_exp2<T>(predictor_.predict(log_diagonal2, aim_)));
      if (r2 > listed2_ || (!is_listed_ && r2 * 3 < listed2_)) list_group(std::min(most_, r2 * T(1.5)));
    }
    if (!has_guess || !is_listed_) {
      for (std::size_t j = 0; j < queries_; ++j) search_alone(j);
    } else if (kAlwaysWrap || is_wrapped_) {
      search_listed<true>(box, r2);
    } else {
      search_listed<kAlwaysWrap>(box, r2);
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

  void list_group(T r2) {
    listed2_ = r2;
    is_wrapped_ = kAlwaysWrap || leaves_box(r2);
    const BoxProbe<D, T> probe(group_, reach_.axes());
    is_listed_ = is_wrapped_ ? reach_.template list<true>(probe, r2, max_listed_, list_)
                             : reach_.template list<kAlwaysWrap>(probe, r2, max_listed_, list_);
    if (is_listed_ && picked_stride_ < list_.size + 2 * kLanes) {
      picked_stride_ = 2 * list_.size + 4 * kLanes;
      picked_ = Array<std::uint32_t>(kLanes * picked_stride_);
    }
  }

  /// Could a pair within r2 of the group be nearer around the box? The margin covers every rounding.
  bool leaves_box(T r2) const {
    if (!job_.is_periodic) return false;
    const T r = std::sqrt(r2) * T(1.00001);
    for (int axis = 0; axis < reach_.axes().count(); ++axis) {
      const T side = job_.side[axis], far = r + T(1e-6) * side;
      if (side > 0 && !(group_.lo[axis] - far > 0 && group_.hi[axis] + far < side)) return true;
    }
    return false;
  }

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
      if (blocks[j] <= max_picked_) collect<Wrap>(j, picked(j), blocks[j], radius2[j]);
    for (std::size_t j = 0; j < queries_; ++j) {
      if (HWY_UNLIKELY(blocks[j] > max_picked_))
        search_alone(j);
      else if (HWY_UNLIKELY(!is_complete(j, radius2[j])))
        rescan<Wrap>(j, radius2[j]);
    }
  }

  template <bool Wrap>
  HWY_INLINE void collect(std::size_t j, const std::uint32_t* picked, std::size_t blocks, T r2) {
    const Slots<T> slot = slots(j);
    counts_of_[j] = reach_.template collect<Wrap>(picked, blocks, query_ + j, r2, slot.d2, slot.id);
  }

  /// Nothing within r2 is missing; is that enough? With a radius limit, there may be no more.
  bool is_complete(std::size_t j, T r2) const {
    return counts_of_[j] >= need_ || (r2 >= most_ && most_ == job_.limit2);
  }

  /// A larger radius, from the number of points that the last one held.
  T grown(T r2, std::size_t count) const {
    const float factor =
        1.1f * std::pow(aim_.points / static_cast<float>(std::max<std::size_t>(1, count)), aim_.exponent);
    return std::min(most_, r2 * static_cast<T>(std::clamp(factor, 1.3f, 4.f)));
  }

  template <bool Wrap>
  HWY_NOINLINE void rescan(std::size_t j, T r2) {
    while (true) {
      ++counts_.rescanned;
      r2 = grown(r2, counts_of_[j]);
      if (!(r2 > 0 && r2 <= listed2_)) return search_alone(j, r2);
      const std::size_t blocks = reach_.template pick<Wrap>(list_, query_ + j, r2, picked(j));
      if (blocks > max_picked_) return search_alone(j, r2);
      reserve_slots(blocks * kLanes);
      collect<Wrap>(j, picked(j), blocks, r2);
      if (is_complete(j, r2)) return;
    }
  }

  // ---- without it

  /// Searches from the root, from a guess or, if there is none, a radius that the tree suggests.
  HWY_NOINLINE void search_alone(std::size_t j, T r2 = 0) {
    ++counts_.alone;
    T guess, sure = descend(j, guess);
    sure = std::min(sure, most_);
    if (!(r2 > 0)) r2 = guess;
    r2 = std::min(r2, sure);
    for (int attempt = 0; attempt < 8; ++attempt) {
      const PointProbe<D, T> probe(query_ + j, kLanes, reach_.axes());
      const bool is_listed = kAlwaysWrap || job_.is_periodic
                                 ? reach_.template list<true>(probe, r2, max_picked_, alone_)
                                 : reach_.template list<kAlwaysWrap>(probe, r2, max_picked_, alone_);
      if (!is_listed) break;
      reserve_slots(alone_.size * kLanes);
      if (kAlwaysWrap || job_.is_periodic)
        collect<true>(j, alone_.block.data(), alone_.size, r2);
      else
        collect<kAlwaysWrap>(j, alone_.block.data(), alone_.size, r2);
      if (is_complete(j, r2)) return;
      if (r2 >= sure) break;
      r2 = std::min(sure, grown(std::max(r2, std::numeric_limits<T>::min()), counts_of_[j]));
    }
    search_best_first(j);
  }

  /// Follows the node whose farthest corner is nearest. Returns a squared radius within which enough points
  /// certainly lie, and sets the guess that the size of the last node with enough points suggests.
  T descend(std::size_t j, T& guess) const {
    const BlockView<T>& tree = job_.source;
    const PointProbe<D, T> q(query_ + j, kLanes, reach_.axes());
    T sure = std::numeric_limits<T>::max();
    guess = sure;
    std::size_t chunk = 0, points = kLanes;
    for (int level = 1; level < tree.levels; ++level) points *= kLanes;
    for (int level = tree.levels - 1; level >= 0 && points >= need_; --level, points /= kLanes) {
      const auto& at = tree.level[static_cast<std::size_t>(level)];
      const T* boxes = at.boxes + chunk * reach_.chunk_stride();
      alignas(64) T upper[kLanes];
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(Tag<T>()))
        hn::Store(boxes_upper2(q, boxes + lane, kLanes, reach_.side(), reach_.axes()), Tag<T>(),
                  upper + lane);
      // The last node of a level may be short of points: not counted on.
      const std::size_t first = chunk * kLanes;
      const std::size_t full = first + 1 < at.nodes ? std::min(kLanes, at.nodes - 1 - first) : 0;
      if (full == 0) break;
      const auto nearest = static_cast<std::size_t>(std::min_element(upper, upper + full) - upper);
      sure = std::min(sure, upper[nearest]);
      guess = guess_from(boxes + nearest, points);
      chunk = first + nearest;
    }
    return sure;
  }

  /// The squared radius of a ball that should hold the points aimed at, if a node of this box holds so many.
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
    const std::uint32_t* id = reach_.index_of(query_, reach_.axes());
    std::fill(counts_of_ + queries_, counts_of_ + kLanes, 0);
    if (job_.exclude_self)
      for (std::size_t j = 0; j < queries_; ++j) forget(j, id[j]);
    for (std::size_t j = 0; j < queries_; j += kColumns)
      selector_.sort(slots(j), counts_of_ + j, job_.k);
    float log_r2[kLanes];
    for (std::size_t j = 0; j < queries_; ++j) {
      const Slots<T> slot = slots(j);
      const std::size_t count = std::min(counts_of_[j], job_.k);
      log_r2[j] = rough_log2(count < job_.k || count == 0 ? most_ : slot.d2[count - 1]);
      to_distances(slot.d2, count, job_.unscale);
      const std::size_t row = job_.in_tree_order ? block_ * kLanes + j : id[j];
      const Found<T> found{row, count, slot.id, slot.d2};
      if (job_.visit)
        (*job_.visit)(found);
      else
        write_row(job_, found);
    }
    if (is_lesson && job_.is_grouped) predictor_.learn(log_r2, queries_, log_diagonal2);
  }

  /// Removes the query itself from its candidates.
  void forget(std::size_t j, std::uint32_t self) {
    const Slots<T> slot = slots(j);
    const std::size_t count = counts_of_[j];
    const auto at = static_cast<std::size_t>(std::find(slot.id, slot.id + count, self) - slot.id);
    if (at == count) return;
    slot.d2[at] = slot.d2[count - 1];
    slot.id[at] = slot.id[count - 1];
    --counts_of_[j];
  }

  Slots<T> slots(std::size_t j) const {
    return Slots<T>{d2_.data(), id_.data(), slot_stride_}.from(j);
  }
  std::uint32_t* picked(std::size_t j) const { return picked_.data() + j * picked_stride_; }

  /// Room for `count` candidates in each slot; keeps what is there.
  void reserve_slots(std::size_t count) {
    if (HWY_LIKELY(count + 4 * kLanes <= slot_stride_)) return;
    const std::size_t stride = (2 * count + 8 * kLanes) / kSortedRun * kSortedRun;
    Array<T> d2(kLanes * stride);
    Array<std::uint32_t> id(kLanes * stride);
    for (std::size_t j = 0; slot_stride_ > 0 && j < kLanes; ++j) {
      std::copy_n(slots(j).d2, slot_stride_, d2.data() + j * stride);
      std::copy_n(slots(j).id, slot_stride_, id.data() + j * stride);
    }
    d2_ = std::move(d2);
    id_ = std::move(id);
    slot_stride_ = stride;
  }

  const KnnJob<T>& job_;
  const std::size_t need_;  ///< neighbours to collect, the query itself included
  const Aim aim_;
  const T most_;  ///< the largest squared radius to try: the limit, or what is finite
  std::size_t max_picked_, max_listed_;
  Reach<D, T> reach_;
  BestFirst<D, T> best_first_;
  Predictor predictor_;
  Selector<T> selector_;

  Box group_;
  T listed2_ = -1;  ///< the group's list holds all blocks within
  bool is_listed_ = false, is_wrapped_ = false;
  BlockList<T> list_, near_, alone_;
  Array<std::uint32_t> picked_;
  std::size_t picked_stride_ = 0;

  std::size_t block_ = 0;
  const T* query_ = nullptr;  ///< the block of queries
  std::size_t queries_ = 0;
  std::size_t counts_of_[kLanes] = {};
  Array<T> d2_;
  Array<std::uint32_t> id_;
  std::size_t slot_stride_ = 0;
};

template <class T>
std::unique_ptr<KnnWorker> make_worker(const KnnJob<T>& job) {
  switch (job.source.dimension) {
    case 2: return std::make_unique<KnnSearch<2, T>>(job);
    case 3: return std::make_unique<KnnSearch<3, T>>(job);
    default: return std::make_unique<KnnSearch<kAnyDimension, T>>(job);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
