// The blocks of one group of receivers against those of some groups of sources, sorted into
// classes.
//
// Classes are collected over the 64 points of the group; those of one block alone hold 3 entries on
// average.
#if defined(KITH_PAIRS_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_PAIRS_BLOCKS_INL_H_
#undef KITH_PAIRS_BLOCKS_INL_H_
#else
#define KITH_PAIRS_BLOCKS_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <hwy/highway.h>
#include <limits>
#include <vector>

#include "base/array.hpp"
#include "kernels/compress-inl.h"
#include "pairs/batches-inl.h"
#include "pairs/bounds-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <PairMeasure Measure, int D, class T, bool Weighted>
class PairBlocks {
 public:
  using Batches = PairBatches<Measure, D, T, Weighted>;
  using Geometry = PairGeometry<Measure, D, T>;
  using Scalar = T;
  static constexpr int kDimension = D;
  static constexpr bool kIsWeighted = Weighted;

  /// `scatter` without and with wrapping.
  PairBlocks(const PairJob<T>& job, const Geometry& geometry, Scatter<D, T> plain,
             Scatter<D, T> wrapped)
      : job_(job),
        from_(*job.receivers),
        to_(*job.sources),
        geometry_(geometry),
        batches_(job, plain, wrapped),
        axes_(geometry.axes),
        is_alone_(job.is_pairwise()) {}

  PairTally<Weighted>& tally() { return batches_.tally(); }

  /// One group of 8 blocks with the listed groups.
  void search(std::size_t group, const std::vector<std::uint32_t>& list) {
    if (list.empty()) return;
    (*job_.checkpoint)();
    begin_ = group * kLanes;
    const std::size_t end = std::min(begin_ + kLanes, from_.nodes(0));
    batches_.receive(begin_, end);
    const bool wraps = may_wrap(group);
    for (int axis = 0; axis < axes_.count(); ++axis)
      geometry_.side[axis] = wraps ? job_.side[axis] : T(0);
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
    bounds_.resize(found_.size());
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
    const Geometry geometry = geometry_;  // a copy that no store can change
    Found found{found_.data(), bounds_.data()};
    const bool has_boxes = to_.planes() > 1;
    for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) {
      unsigned in = (1U << std::min(count - i, hn::Lanes(tag))) - 1;
      if (has_boxes)
        in &= geometry.in_reach(geometry.bounds(
            q, boxes_.data() + i / kLanes * chunk_stride(axes_) + i % kLanes, kLanes));
      for (; in != 0; in &= in - 1) {
        const std::uint32_t other =
            list[i + static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(in))];
        unsigned wanted = 0xff;
        if (job_.is_own && other == group) wanted = 0xfeU << (block - begin_) & 0xff;
        find_near(geometry, q, other, wanted, found);
      }
    }
    const auto tagged = static_cast<std::uint32_t>(block - begin_) << 29;
    sort_in(block, tagged, static_cast<std::size_t>(found.source - found_.data()));
    if (job_.is_own && std::binary_search(list, list + count, static_cast<std::uint32_t>(group)))
      batches_.run_self(tagged | static_cast<std::uint32_t>(block));
  }

  /// Blocks in reach, and for each the cells of its bounds: upper << kUpper | lower, and whether
  /// pairs may wrap and the second coordinate must be computed.
  struct Found {
    std::int32_t* HWY_RESTRICT source;
    std::int32_t* HWY_RESTRICT bounds;
  };
  static constexpr int kUpper = 12;
  static constexpr std::int32_t kCell = (1 << kUpper) - 1;
  static constexpr std::int32_t kWraps = 1 << 30, kOpen = std::numeric_limits<std::int32_t>::min();

  /// The cells of bounds in the tables of the bins.
  HWY_INLINE auto cells_of(Vec<T> bound) const {
    const IntTag<T> integers;
    const BitCells& cells = job_.first.cells();
    const auto bits = hn::BitCast(integers, to_floats<T>(bound));
    const auto place =
        hn::Sub(hn::ShiftRightSame(bits, cells.shift), hn::Set(integers, cells.base));
    return hn::Min(hn::Max(place, hn::Zero(integers)), hn::Set(integers, cells.last));
  }

  /// `bit` in the lanes of the mask.
  HWY_INLINE static auto flag(hn::Mask<Tag<T>> mask, std::int32_t bit) {
    const IntTag<T> integers;
#if HWY_TARGET <= HWY_AVX3
    return hn::IfThenElseZero(hn::Mask<IntTag<T>>{mask.raw}, hn::Set(integers, bit));
#else
    const Tag<T> tag;
    const auto sign = hn::IfThenElseZero(mask, hn::Set(tag, T(-1)));  // a sign in the float, too
    const auto bits = hn::BitCast(integers, to_floats<T>(sign));
    return hn::And(hn::BroadcastSignBit(bits), hn::Set(integers, bit));
#endif
  }

  /// Appends the blocks of a group that are in reach.
  HWY_INLINE void find_near(const Geometry& geometry, const Bounds<D, T>& q, std::uint32_t group,
                            unsigned wanted, Found& found) const {
    const Tag<T> tag;
    const IntTag<T> index;
    const std::size_t count = to_.nodes(0);
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
      const std::size_t first = group * kLanes + lane;
      if (first >= count) break;
      const auto verdict = geometry.bounds(q, chunk(0, group) + lane, kLanes);
      const unsigned in = geometry.in_reach(verdict) & wanted >> lane &
                          ((1U << std::min(count - first, hn::Lanes(tag))) - 1);
      const auto cells =
          hn::Or(hn::ShiftLeft<kUpper>(cells_of(verdict.upper)), cells_of(verdict.lower));
      const auto flags = hn::Or(flag(verdict.wraps, kWraps), flag(verdict.is_open, kOpen));
      append(index, hn::Iota(index, static_cast<std::int32_t>(first)), in, found.source);
      append(index, hn::Or(cells, flags), in, found.bounds);
      found.source += count_bits(in);
      found.bounds += count_bits(in);
    }
  }

  /// Sorts the blocks that were found for a block into classes.
  HWY_INLINE void sort_in(std::size_t block, std::uint32_t tagged, std::size_t count) {
    const std::uint32_t* const first = job_.first.first();
    const std::uint32_t* const end = job_.first.end();
    const std::int32_t *const sources = found_.data(), *const bounds = bounds_.data();
    for (std::size_t i = 0; i < count; ++i) {
      const auto source = static_cast<std::uint32_t>(sources[i]);
      const std::int32_t bound = bounds[i];
      const PairClass pair{first[bound & kCell], end[bound >> kUpper & kCell],
                           (bound & kWraps) != 0};
      if (pair.begin >= pair.end && !is_alone_ && bound >= 0) [[unlikely]] {
        batches_.tally().add(pair.begin, from_.template sum<Weighted>(0, block) *
                                             to_.template sum<Weighted>(0, source));
        continue;
      }
      classes_.add(pair.coarse().code(), tagged | source,
                   [&](PairClasses::Class& batch) HWY_ATTR { batches_.run(batch); });
    }
  }

  const PairJob<T>& job_;
  const PairSide<T>&from_, &to_;
  Geometry geometry_;
  Batches batches_;
  Axes<D> axes_;
  bool is_alone_;  ///< every pair is visited: no pair of blocks is settled as a whole
  PairClasses classes_;
  std::size_t begin_ = 0;  ///< first block of the receiving group
  Array<T> boxes_;
  std::vector<std::int32_t> found_, bounds_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
