// All pairs of two trees, sorted into bins: receivers x sources, plane by plane.
//
// A node of the receivers carries the list of the source nodes that it has to look at, of its own
// plane where the trees are deep enough; children refine their parent's list. A pair of nodes is
// dropped (too far), settled (all its pairs are in one bin) or kept. Pairs of blocks are sorted
// into classes by the limits that lie between their bounds, and each class is one batch for a
// kernel with that number of limits: no pair is compared with a limit that cannot matter. Classes
// are collected over 64 receivers; those of one block alone hold 3 entries on average.
//
// This is a walk of its own because its verdict is a class, made for 8 boxes at once, and because
// a tree with itself sees every pair of nodes once.
#if defined(KITH_WALK_PAIR_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_WALK_PAIR_WALK_INL_H_
#undef KITH_WALK_PAIR_WALK_INL_H_
#else
#define KITH_WALK_PAIR_WALK_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <hwy/highway.h>
#include <limits>
#include <memory>
#include <vector>

#include "base/array.hpp"
#include "kernels/compress-inl.h"
#include "kernels/pair_kernels-inl.h"
#include "kernels/pair_scatter-inl.h"
#include "walk/pair_job.hpp"
#include "walk/pair_tally.hpp"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// Bounds of the first coordinate between a box and some others; whether pairs may be nearer the
/// other way round the box, and whether the second coordinate may be too large (`is_open`) or
/// surely is (`is_beyond`).
template <class T>
struct PairVerdict {
  Vec<T> lower, upper;
  hn::Mask<Tag<T>> wraps, is_open, is_beyond;
};

template <bool Projected, int D, class T>
struct PairGeometry {
  Axes<D> axes;
  const int* order;
  const T* side;
  T second_limit;  ///< of the last axis, if Projected

  /// Boxes in columns: lower ends, then upper ends, `stride` apart.
  HWY_INLINE PairVerdict<T> bounds(const Bounds<D, T>& q, const T* HWY_RESTRICT columns,
                                   std::size_t stride) const {
    const Tag<T> tag;
    const auto none = hn::FirstN(tag, 0);
    PairVerdict<T> result{hn::Zero(tag), hn::Zero(tag), none, none, none};
    const int count = axes.count();
    for (int place = 0; place < count; ++place) {
      const int axis = order[place];
      const auto lo = hn::LoadU(tag, columns + static_cast<std::size_t>(axis) * stride);
      const auto hi = hn::LoadU(tag, columns + static_cast<std::size_t>(count + axis) * stride);
      const auto q_lo = hn::Set(tag, q.lo[axis]), q_hi = hn::Set(tag, q.hi[axis]);
      auto least = gaps::least(q_lo, q_hi, lo, hi), most = gaps::most(q_lo, q_hi, lo, hi);
      if (side[axis] > 0) {
        const auto around = hn::Set(tag, side[axis]), gap = least, span = most;
        least = gaps::wrapped_least(gap, span, around);
        most = gaps::wrapped_most(gap, span, around);
        // Where no span exceeds the way around it, no pair is nearer that way.
        result.wraps = hn::Or(result.wraps, hn::Lt(hn::Sub(around, span), span));
      }
      if (Projected && place == count - 1) {
        const auto far = hn::Set(tag, second_limit);
        result.is_open = hn::Ge(most, far);
        result.is_beyond = hn::Ge(least, far);
      } else {
        result.lower = add_square(result.lower, least, place);
        result.upper = add_square(result.upper, most, place);
      }
    }
    return result;
  }
};

/// Batches of block pairs by class. A class finds its place by a hash; one that finds its place
/// taken by another drives that out.
class PairClasses {
 public:
  static constexpr std::size_t kRoom = 128;
  struct Class {
    std::uint32_t code = 0, count = 0;
    std::uint32_t entries[kRoom];
  };

  PairClasses() : places_(std::size_t{1} << kBits) {}

  /// run(class) is called for a batch that is full or driven out.
  template <class Run>
  HWY_INLINE void add(std::uint32_t code, std::uint32_t entry, const Run& run) {
    const std::uint32_t at = (code * 0x9e3779b1U) >> (32 - kBits);
    Class& to = places_[at];
    if (to.code != code && to.count > 0) {
      run(to);
      to.count = 0;
    }
    if (to.count == 0) {
      to.code = code;
      used_.push_back(at);
    }
    to.entries[to.count++] = entry;
    if (to.count < kRoom) return;
    run(to);
    to.count = 0;
  }

  template <class Run>
  void run_all(const Run& run) {
    for (const std::uint32_t at : used_) {
      if (places_[at].count > 0) run(places_[at]);
      places_[at].count = 0;
    }
    used_.clear();
  }

 private:
  static constexpr int kBits = 9;
  std::vector<Class> places_;
  std::vector<std::uint32_t> used_;
};

/// The class of a pair of blocks: limits [begin, end) may lie among its pairs.
struct PairClass {
  static constexpr std::size_t kMostLimits = 16;  ///< beyond: all of them
  std::size_t begin, end;
  bool wraps;

  std::uint32_t code() const {
    return static_cast<std::uint32_t>(begin << 6 | (end - begin) << 1 | (wraps ? 1 : 0));
  }
  static PairClass of(std::uint32_t code) {
    const std::size_t begin = code >> 6;
    return {begin, begin + (code >> 1 & 31), (code & 1) != 0};
  }
};

/// The bins of 64 pairs; see scatter().
template <int D, class T>
using Scatter = void (*)(const PairBatch<D, T>&, std::size_t, Axes<D>, const ScatterQuestion<T>&,
                         std::int32_t*);

/// Projected: node boxes are compared across the line of sight and along it.
template <bool Projected, int D, class T, bool Weighted>
class PairWalk final : public PairWorker {
  static constexpr bool kProjected = Projected, kHasKernels = D != kAnyDimension;
  static constexpr std::size_t kMostCompared = Weighted ? 4 : 6;
  using Tally = PairTally<Weighted>;
  using Sum = typename Tally::Sum;

 public:
  /// `scatter` without and with wrapping.
  PairWalk(const PairJob<T>& job, Scatter<D, T> plain, Scatter<D, T> wrapped)
      : job_(job),
        scatter_{plain, wrapped},
        from_(*job.receivers),
        to_(*job.sources),
        axes_(from_.view.dimension),
        geometry_{axes_, job.order, job.side, far(job)},
        has_bounds_(job.kind != PairKind::survey_projected),
        is_alone_(!has_bounds_ || job.with_lengths || job.words > 0 || is_binned_twice(job)),
        tally_(job.bins() + 1, job.with_lengths, job.words, job.table),
        lists_(2 * kMaxPlanes) {
    for (int place = 0; place < axes_.count(); ++place) side_[place] = job.side[job.order[place]];
    batch_.rows = rows_.get();
    batch_.blocks = to_.view.blocks;
    batch_.stride = block_stride<T>(axes_);
    batch_.side = side_;
    batch_.order = job.order;
    batch_.second_limit = far(job);
    ask_.bins = &job.first;
    ask_.second = {static_cast<T>(job.second), job.second_width, T(1) / job.second_width,
                   job.second_is_closed};
    ask_.is_binned_twice = is_binned_twice(job);
    if (job.with_lengths) ask_.length2 = length2_;
  }

  std::vector<PairPart> run(int plane, std::size_t node) override {
    lists_[0].assign(1, 0);
    descend(0, {plane, node}, to_.planes());
    return tally_.take();
  }

 private:
  struct Place {
    int plane;
    std::size_t node;
  };

  /// Where the bins of the second coordinate end.
  static T far(const PairJob<T>& job) { return static_cast<T>(job.second) * job.second_width; }
  static bool is_binned_twice(const PairJob<T>& job) {
    return job.second > 1 || job.kind == PairKind::angle || job.kind == PairKind::survey_angle;
  }
  const T* chunk(const PairSide<T>& side, int plane, std::size_t i) const {
    return side.view.plane(plane).boxes + i * chunk_stride(axes_);
  }
  Bounds<D, T> box(const PairSide<T>& side, Place at) const {
    return box_of_lane(chunk(side, at.plane, at.node / kLanes), at.node % kLanes, axes_);
  }
  static Sum sum(const PairSide<T>& side, int plane, std::size_t node) {
    if constexpr (Weighted)
      return side.weights[static_cast<std::size_t>(plane)][node];
    else
      return side.counts[static_cast<std::size_t>(plane)][node];
  }
  static std::int32_t region(const PairSide<T>& side, int plane, std::size_t node) {
    if (side.region.empty()) return 0;
    if (plane >= side.planes()) return plane == 1 ? side.region[1][0] : -1;
    return side.region[static_cast<std::size_t>(plane)][node];
  }

  /// A node of the receivers with the list at `depth` of source nodes of a plane.
  void descend(std::size_t depth, Place at, int plane) {
    if (at.plane == 1 && plane == 1) return search_blocks(at.node, lists_[depth]);
    if (plane > at.plane) {
      refine(at, plane, lists_[depth], lists_[depth + 1]);
      return descend(depth + 1, at, plane - 1);
    }
    const std::size_t end = std::min((at.node + 1) * kLanes, from_.nodes(at.plane - 1));
    for (std::size_t node = at.node * kLanes; node < end; ++node) {
      const Place child{at.plane - 1, node};
      if (plane < at.plane) {
        descend(depth, child, plane);
      } else {
        refine(child, plane, lists_[depth], lists_[depth + 1]);
        descend(depth + 1, child, plane - 1);
      }
    }
  }

  /// The children of listed source nodes, less those that are too far, settled, or before the
  /// receiver.
  HWY_NOINLINE void refine(Place at, int plane, const std::vector<std::uint32_t>& list,
                           std::vector<std::uint32_t>& out) {
    out.clear();
    const Tag<T> tag;
    const bool has_box = at.plane < from_.planes();
    const Bounds<D, T> q = has_box ? box(from_, at) : Bounds<D, T>::empty();
    const std::size_t count = to_.nodes(plane - 1);
    const int shift = 3 * (plane - 1 - at.plane);
    for (const std::uint32_t parent : list)
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
        const std::size_t first = parent * kLanes + lane;
        if (first >= count) break;
        alignas(64) T lower[kLanes] = {}, upper[kLanes] = {};
        unsigned in = ~0U, open = 0;
        if (has_box) {
          const auto verdict = geometry_.bounds(q, chunk(to_, plane - 1, parent) + lane, kLanes);
          hn::Store(verdict.lower, tag, lower);
          hn::Store(verdict.upper, tag, upper);
          in = in_reach(verdict);
          open = bits_of(tag, verdict.is_open);
        }
        in &= static_cast<unsigned>((std::uint64_t{1} << std::min(count - first, hn::Lanes(tag))) -
                                    1);
        for (; in != 0; in &= in - 1) {
          const auto i = static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(in));
          const std::size_t node = first + i;
          const bool may_settle = has_box && !is_alone_ && (open >> i & 1) == 0;
          if (job_.is_own && (node + 1) << shift <= at.node) continue;
          const bool is_later = !job_.is_own || node << shift > at.node;
          if (may_settle && is_later && settle(at, {plane - 1, node}, lower[i], upper[i])) continue;
          out.push_back(static_cast<std::uint32_t>(node));
        }
      }
  }

  HWY_INLINE unsigned in_reach(const PairVerdict<T>& verdict) const {
    const Tag<T> tag;
    const auto is_near = hn::Le(verdict.lower, hn::Set(tag, job_.reach2));
    return bits_of(tag, hn::AndNot(verdict.is_beyond, is_near));
  }

  bool settle(Place at, Place source, T lower, T upper) {
    const std::size_t bin = job_.first.bin(lower);
    if (bin != job_.first.bin(upper)) return false;
    const std::int32_t receiver_region = region(from_, at.plane, at.node),
                       source_region = region(to_, source.plane, source.node);
    if (receiver_region < 0 || source_region < 0) return false;
    tally_.select(receiver_region, source_region);
    tally_.add(bin, sum(from_, at.plane, at.node) * sum(to_, source.plane, source.node));
    return true;
  }

  /// The blocks of one group of 8 with those of the listed groups.
  void search_blocks(std::size_t group, const std::vector<std::uint32_t>& list) {
    if (list.empty()) return;
    (*job_.checkpoint)();
    begin_ = group * kLanes;
    const std::size_t end = std::min(begin_ + kLanes, from_.nodes(0));
    for (std::size_t block = begin_; block < end; ++block)
      rows_->load(block - begin_, from_.view.blocks + block * block_stride<T>(axes_), job_.order,
                  axes_);
    const std::int32_t own = region(from_, 1, group);
    // Regions follow each other along the tree, so a list holds each as one run.
    for (std::size_t i = 0; i < list.size();) {
      const std::int32_t other = region(to_, 1, list[i]);
      std::size_t next = i + 1;
      while (next < list.size() && region(to_, 1, list[next]) == other) ++next;
      tally_.select(own, other);
      gather_boxes(list.data() + i, next - i);
      for (std::size_t block = begin_; block < end; ++block)
        if (from_.counts[0][block] > 0) classify(block, group, list.data() + i, next - i);
      classes_.run_all([&](PairClasses::Class& batch) HWY_ATTR { run(batch); });
      i = next;
    }
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
      const T* from = chunk(to_, 1, node / kLanes) + node % kLanes;
      T* to = boxes_.data() + i / kLanes * stride + i % kLanes;
      for (std::size_t row = 0; row < stride; row += kLanes) to[row] = from[row];
    }
  }

  /// Sorts the pairs of one block with those of the listed groups into classes.
  HWY_NOINLINE void classify(std::size_t block, std::size_t group, const std::uint32_t* list,
                             std::size_t count) {
    const Bounds<D, T> q = box(from_, {0, block});
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
      search_self(block, tagged);
  }

  /// The cells of bounds in the tables of the bins; those in `mask` get a sign.
  HWY_INLINE auto cells_of(Vec<T> bound, hn::Mask<Tag<T>> mask) const {
    const hn::Rebind<float, Tag<T>> floats;
    const hn::Rebind<std::int32_t, Tag<T>> integers;
    const BitCells& cells = job_.first.cells();
    const auto marked = hn::IfThenElse(mask, hn::Neg(bound), bound);
    const auto bits = [&]() HWY_ATTR {
      if constexpr (sizeof(T) == 4)
        return hn::BitCast(integers, marked);
      else
        return hn::BitCast(integers, hn::DemoteTo(floats, marked));
    }();
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
    const hn::Rebind<std::int32_t, Tag<T>> index;
    const std::size_t count = to_.nodes(0);
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
      const std::size_t first = group * kLanes + lane;
      if (first >= count) break;
      const auto verdict = geometry_.bounds(q, chunk(to_, 0, group) + lane, kLanes);
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
    PairClass pair{0, job_.first.size(), upper_[i] < 0};
    if (has_bounds_) {
      pair.begin = job_.first.first()[lower_[i] & kCell];
      pair.end = job_.first.end()[upper_[i] & kCell];
      if (pair.begin >= pair.end && !is_alone_ && lower_[i] >= 0) {
        tally_.add(pair.begin, sum(from_, 0, block) * sum(to_, 0, source));
        return;
      }
    }
    if (pair.end - pair.begin > PairClass::kMostLimits) {
      pair.begin = 0;
      pair.end = 31;  // stands for all
    }
    classes_.add(pair.code(), tagged | source,
                 [&](PairClasses::Class& batch) HWY_ATTR { run(batch); });
  }

  void search_self(std::size_t block, std::uint32_t tagged) {
    const std::uint32_t entry = tagged | static_cast<std::uint32_t>(block);
    batch_.entries = &entry;
    batch_.count = 1;
    scatter_one({0, job_.first.size(), true}, 0, true);
  }

  HWY_NOINLINE void run(const PairClasses::Class& batch) {
    if (++runs_ % kRunsPerCheck == 0) (*job_.checkpoint)();
    PairClass pair = PairClass::of(batch.code);
    if (pair.end - pair.begin == 31) pair.end = job_.first.size();
    batch_.entries = batch.entries;
    batch_.count = batch.count;
    const std::size_t limits = pair.end - pair.begin;
    if constexpr (kHasKernels) {
      // One limit more than there are between the bounds: the last bin ends with the second
      // coordinate, not with a limit.
      const bool is_compared = !is_alone_ && limits + (kProjected ? 1 : 0) <= kMostCompared;
      if (is_compared) return compare(pair);
    }
    for (std::size_t i = 0; i < batch_.count; ++i) scatter_one(pair, i, false);
  }

  /// The kernel for this number of limits.
  void compare(const PairClass& pair) {
    if constexpr (kHasKernels) {
      Sum within[kMostCompared] = {};
      // With a second coordinate not all pairs count: the total is one more limit, if it matters.
      const bool is_inner = pair.end < job_.first.size();
      const std::size_t limits = pair.end - pair.begin + (kProjected && is_inner ? 1 : 0);
      switch (limits) {
        case 0: break;
        case 1: count<1>(pair, within); break;
        case 2: count<2>(pair, within); break;
        case 3: count<Weighted ? 4 : 3>(pair, within); break;
        case 4: count<4>(pair, within); break;
        default: count<Weighted ? 4 : 6>(pair, within);
      }
      Sum before = 0;
      for (std::size_t k = 0; k < limits; ++k) {
        tally_.add(pair.begin + k, within[k] - before);
        before = within[k];
      }
      if (!kProjected && is_inner) tally_.add(pair.end, total() - before);
    }
  }

  template <int Limits>
  void count(const PairClass& pair, Sum* within) {
    const T* limits = job_.first.limits() + pair.begin;
    if constexpr (Weighted) {
      const double* from = from_.weight.data() + begin_ * kLanes;
      if (pair.wraps)
        weigh_within<Limits, true, kProjected, D, T>(batch_, from, to_.weight.data(), limits,
                                                     within);
      else
        weigh_within<Limits, false, kProjected, D, T>(batch_, from, to_.weight.data(), limits,
                                                      within);
    } else {
      if (pair.wraps)
        count_within<Limits, true, kProjected, D, T>(batch_, limits, within);
      else
        count_within<Limits, false, kProjected, D, T>(batch_, limits, within);
    }
  }

  /// All pairs of the batch.
  Sum total() const {
    Sum result = 0;
    for (std::size_t i = 0; i < batch_.count; ++i)
      result += sum(from_, 0, begin_ + batch_.slot(i)) *
                sum(to_, 0, batch_.entries[i] & PairBatch<D, T>::kBlockMask);
    return result;
  }

  void scatter_one(const PairClass& pair, std::size_t i, bool is_self) {
    alignas(64) std::int32_t bin[kLanes * kLanes];
    alignas(64) double length[kLanes * kLanes];
    ask_.begin = pair.begin;
    ask_.end = pair.end;
    scatter_[pair.wraps](batch_, i, axes_, ask_, bin);
    if (ask_.length2)
      for (std::size_t k = 0; k < kLanes * kLanes; ++k)
        length[k] = std::isnan(length2_[k]) ? 0 : std::sqrt(static_cast<double>(length2_[k]));
    const std::size_t source = batch_.entries[i] & PairBatch<D, T>::kBlockMask,
                      receiver = begin_ + batch_.slot(i);
    PairLanes lanes;
    if constexpr (Weighted) {
      lanes.receiver_weight = from_.weight.data() + receiver * kLanes;
      lanes.source_weight = to_.weight.data() + source * kLanes;
      lanes.receiver_words = from_.words.data() + receiver * kLanes * job_.words;
      lanes.source_words = to_.words.data() + source * kLanes * job_.words;
    }
    tally_.scatter(bin, ask_.length2 ? length : nullptr, lanes, is_self);
  }

  static constexpr std::size_t kRunsPerCheck = 256;

  const PairJob<T>& job_;
  Scatter<D, T> scatter_[2];
  const PairSide<T>&from_, &to_;
  Axes<D> axes_;
  PairGeometry<kProjected, D, T> geometry_;
  bool has_bounds_;  ///< of the first coordinate; else the reach alone decides
  bool is_alone_;    ///< every pair is looked at: no node is settled as a whole
  Tally tally_;
  std::vector<std::vector<std::uint32_t>> lists_;
  std::unique_ptr<PairRows<D, T>> rows_ = std::make_unique<PairRows<D, T>>();
  PairBatch<D, T> batch_;
  ScatterQuestion<T> ask_;
  PairClasses classes_;
  T side_[kMaxDimension] = {};
  T length2_[kLanes * kLanes] = {};
  std::size_t begin_ = 0;  ///< first block of the receiving group
  Array<T> boxes_;
  std::vector<std::int32_t> found_, lower_, upper_;
  std::size_t found_count_ = 0, runs_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
