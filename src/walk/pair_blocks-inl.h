// The blocks of one group of receivers against those of some groups of sources, sorted into
// classes.
//
// Classes are collected over the 64 points of the group; those of one block alone hold 3 entries on
// average.
#if defined(KITH_WALK_PAIR_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_WALK_PAIR_BLOCKS_INL_H_
#undef KITH_WALK_PAIR_BLOCKS_INL_H_
#else
#define KITH_WALK_PAIR_BLOCKS_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <hwy/highway.h>
#include <limits>
#include <vector>

#include "base/array.hpp"
#include "kernels/compress-inl.h"
#include "walk/pair_batches-inl.h"
#include "walk/pair_bounds-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <PairMeasure Measure, int D, class T, bool Weighted>
class PairBlocks {
 public:
  using Batches = PairBatches<Measure, D, T, Weighted>;
  using Geometry = PairGeometry<Measure, D, T>;

  PairBlocks(const PairJob<T>& job, const Geometry& geometry, Batches& batches)
      : job_(job),
        from_(*job.receivers),
        to_(*job.sources),
        geometry_(geometry),
        batches_(batches),
        axes_(geometry.axes),
        is_alone_(job.is_pairwise()) {}

  /// One group of 8 blocks with the listed groups.
  void search(std::size_t group, const std::vector<std::uint32_t>& list) {
    if (list.empty()) return;
    (*job_.checkpoint)();
    begin_ = group * kLanes;
    const std::size_t end = std::min(begin_ + kLanes, from_.nodes(0));
    batches_.receive(begin_, end);
    geometry_.side = may_wrap(group) ? job_.side : kOpenSides;
    const std::int32_t own = from_.region_of(1, group);
    // Regions follow each other along the tree, so a list holds each as one run.
    for (std::size_t i = 0; i < list.size();) {
      const std::int32_t other = to_.region_of(1, list[i]);
      std::size_t next = i + 1;
      while (next < list.size() && to_.region_of(1, list[next]) == other) ++next;
      batches_.tally().select(own, other);
      gather_boxes(list.data() + i, next - i);
      for (std::size_t block = begin_; block < end; ++block)
        if (from_.counts[0][block] > 0) classify(block, group, list.data() + i, next - i);
      classes_.run_all([&](PairClasses::Class& batch) HWY_ATTR { batches_.run(batch); });
      i = next;
    }
  }

 private:
  static constexpr T kOpenSides[kMaxDimension] = {};

  /// Whether a pair of the group that is in reach may be nearer the other way round the box.
  ///
  /// If the group is farther from both ends of an axis than the reach R, no pair is: such a pair is
  /// farther apart than R both ways. The margin is for the roundings of gaps and of R.
  bool may_wrap(std::size_t group) const {
    if (from_.planes() < 2) return true;
    const Bounds<D, T> box = box_of_lane(
        from_.view.plane(1).boxes + group / kLanes * chunk_stride(axes_), group % kLanes, axes_);
    const T reach = std::sqrt(job_.first.last());
    for (int place = 0; place < axes_.count(); ++place) {
      const int axis = job_.order[place];
      const T side = job_.side[axis];
      const bool is_second = Measure == PairMeasure::projected && place == axes_.count() - 1;
      const T away =
          (is_second ? job_.second_limit() : reach) + 16 * std::numeric_limits<T>::epsilon() * side;
      if (side > 0 && !(box.lo[axis] >= away && box.hi[axis] <= side - away)) return true;
    }
    return false;
  }

  const T* chunk(int plane, std::size_t i) const {
    return to_.view.plane(plane).boxes + i * chunk_stride(axes_);
  }

  /// The boxes of some groups of sources, 8 side by side.
  void gather_boxes(const std::uint32_t* list, std::size_t count) {
    const std::size_t stride = chunk_stride(axes_), chunks = (count + kLanes - 1) / kLanes;
    if (boxes_.size() < chunks * stride) boxes_ = Array<T>(2 * chunks * stride);
    found_.resize(count * kLanes + 2 * kLanes);
    lower_.resize(found_.size());
    upper_.resize(found_.size());
    if (to_.planes() < 2) return;
    for (std::size_t i = 0; i < chunks * kLanes; ++i) {
      const std::size_t node = list[std::min(i, count - 1)];
      const T* from = chunk(1, node / kLanes) + node % kLanes;
      T* to = boxes_.data() + i / kLanes * stride + i % kLanes;
      for (std::size_t row = 0; row < stride; row += kLanes) to[row] = from[row];
    }
  }

  /// Sorts the pairs of one block with those of the listed groups into classes.
  HWY_NOINLINE void classify(std::size_t block, std::size_t group, const std::uint32_t* list,
                             std::size_t count) {
    const Bounds<D, T> q = box_of_lane(
        from_.view.plane(0).boxes + block / kLanes * chunk_stride(axes_), block % kLanes, axes_);
    const Tag<T> tag;
    found_count_ = 0;
    const bool has_boxes = to_.planes() > 1;
    for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) {
      unsigned in = (1U << std::min(count - i, hn::Lanes(tag))) - 1;
      if (has_boxes)
        in &= in_reach(geometry_.bounds(
            q, boxes_.data() + i / kLanes * chunk_stride(axes_) + i % kLanes, kLanes));
      for (; in != 0; in &= in - 1) {
        const std::uint32_t other =
            list[i + static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(in))];
        unsigned wanted = 0xff;
        if (job_.is_own && other == group) wanted = 0xfeU << (block - begin_) & 0xff;
        find_near(q, other, wanted);
      }
    }
    const auto tagged = static_cast<std::uint32_t>(block - begin_) << 29;
    for (std::size_t i = 0; i < found_count_; ++i) sort_in(block, tagged, i);
    if (job_.is_own && std::binary_search(list, list + count, static_cast<std::uint32_t>(group)))
      batches_.run_self(tagged | static_cast<std::uint32_t>(block));
  }

  HWY_INLINE unsigned in_reach(const PairVerdict<T>& verdict) const {
    const Tag<T> tag;
    const auto is_near = hn::Le(verdict.lower, hn::Set(tag, job_.first.last()));
    return bits_of(tag, hn::AndNot(verdict.is_beyond, is_near));
  }

  /// The cells of bounds in the tables of the bins; those in `mask` get a sign.
  HWY_INLINE auto cells_of(Vec<T> bound, hn::Mask<Tag<T>> mask) const {
    const IntTag<T> integers;
    const BitCells& cells = job_.first.cells();
    const auto bits =
        hn::BitCast(integers, to_floats<T>(hn::IfThenElse(mask, hn::Neg(bound), bound)));
    const auto sign = hn::Set(integers, std::numeric_limits<std::int32_t>::min());
    const auto place = hn::Sub(hn::ShiftRightSame(hn::AndNot(sign, bits), cells.shift),
                               hn::Set(integers, cells.base));
    const auto cell = hn::Min(hn::Max(place, hn::Zero(integers)), hn::Set(integers, cells.last));
    return hn::Or(cell, hn::And(sign, bits));
  }

  /// Appends the blocks of a group that are in reach, with the cells of their bounds. The sign of
  /// `upper` says that pairs may wrap, the sign of `lower` that the second coordinate has to be
  /// looked at.
  HWY_INLINE void find_near(const Bounds<D, T>& q, std::uint32_t group, unsigned wanted) {
    const Tag<T> tag;
    const IntTag<T> index;
    const std::size_t count = to_.nodes(0);
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
      const std::size_t first = group * kLanes + lane;
      if (first >= count) break;
      const auto verdict = geometry_.bounds(q, chunk(0, group) + lane, kLanes);
      const unsigned in = in_reach(verdict) & wanted >> lane &
                          ((1U << std::min(count - first, hn::Lanes(tag))) - 1);
      append(index, hn::Iota(index, static_cast<std::int32_t>(first)), in,
             found_.data() + found_count_);
      append(index, cells_of(verdict.lower, verdict.is_open), in, lower_.data() + found_count_);
      append(index, cells_of(verdict.upper, verdict.wraps), in, upper_.data() + found_count_);
      found_count_ += count_bits(in);
    }
  }

  HWY_INLINE void sort_in(std::size_t block, std::uint32_t tagged, std::size_t i) {
    constexpr auto kCell = std::numeric_limits<std::int32_t>::max();
    const auto source = static_cast<std::uint32_t>(found_[i]);
    const PairClass pair{job_.first.first()[lower_[i] & kCell], job_.first.end()[upper_[i] & kCell],
                         upper_[i] < 0};
    if (pair.begin >= pair.end && !is_alone_ && lower_[i] >= 0) {
      batches_.tally().add(pair.begin, from_.template sum<Weighted>(0, block) *
                                           to_.template sum<Weighted>(0, source));
      return;
    }
    classes_.add(pair.coarse().code(), tagged | source,
                 [&](PairClasses::Class& batch) HWY_ATTR { batches_.run(batch); });
  }

  const PairJob<T>& job_;
  const PairSide<T>&from_, &to_;
  Geometry geometry_;
  Batches& batches_;
  Axes<D> axes_;
  bool is_alone_;  ///< every pair is looked at: no pair of blocks is settled as a whole
  PairClasses classes_;
  std::size_t begin_ = 0;  ///< first block of the receiving group
  Array<T> boxes_;
  std::vector<std::int32_t> found_, lower_, upper_;
  std::size_t found_count_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
