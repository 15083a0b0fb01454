// The rule of the kd order: which points go to the lesser side of a split, and along which axis.
//
// A set of more than 8 points is split in two at an exact rank, points being ordered by
// (coordinate, original index), so that equal coordinates unbalance nothing. The rank is a multiple
// of the full size of a child in the packed planes (a power of 8), the middle one: so the nodes of
// those planes are the sets that three splits make, and only the last node of a plane is not full.
// The points of a block ascend by index. The order follows from the points and the axis rule alone,
// not from how it is found; another machine, or many together, get the same one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <kith/tree.hpp>

#include "base/lanes.hpp"
#include "geometry/bounds.hpp"

namespace kith {

/// The key by which points are ordered. All keys of a set differ.
template <class T>
struct KdKey {
  T x;
  std::uint32_t index;

  // Without branches, which would be mispredicted half of the time.
  friend bool operator<(const KdKey& a, const KdKey& b) {
    return (a.x < b.x) | ((a.x == b.x) & (a.index < b.index));
  }
};

/// Points in a full child of the node that holds n points in as few planes as possible, n > 8.
inline std::size_t kd_child_size(std::size_t n) {
  std::size_t child = kLanes;
  while (child < (n + kLanes - 1) / kLanes) child *= kLanes;
  return child;
}

/// Points on the lesser side of the split of n > 8 points.
inline std::size_t kd_lesser_size(std::size_t n) {
  const std::size_t child = kd_child_size(n), children = (n + child - 1) / child;
  return (children + 1) / 2 * child;
}

/// The longest axis of a box, the first one of several.
template <int D, class T>
int widest_axis(const Bounds<D, T>& bounds, Axes<D> axes) {
  int widest = 0;
  for (int axis = 1; axis < axes.count(); ++axis)
    if (bounds.hi[axis] - bounds.lo[axis] > bounds.hi[widest] - bounds.lo[widest]) widest = axis;
  return widest;
}

/// Sums for the axis of the largest variance. Coordinates are rounded to 2^15 steps of the widest
/// extent and added as integers: the choice does not depend on the order of the points.
template <int D, class T>
class VarianceSums {
 public:
  VarianceSums(const Bounds<D, T>& bounds, Axes<D> axes) : axes_(axes) {
    const int widest = widest_axis(bounds, axes);
    const T extent = bounds.hi[widest] - bounds.lo[widest];
    scale_ = extent > 0 ? T(kSteps) / extent : T(0);
    if (!(scale_ < std::numeric_limits<T>::max())) scale_ = 0;  // too close to distinguish
    for (int axis = 0; axis < axes.count(); ++axis) lower_[axis] = bounds.lo[axis];
  }

  void add(const T* x) {
    ++count_;
    for (int axis = 0; axis < axes_.count(); ++axis) {
      const auto step = static_cast<std::uint64_t>((x[axis] - lower_[axis]) * scale_);
      sum_[axis] += step;
      sum2_[axis] += step * step;
    }
  }
  void add(const VarianceSums& other) {
    count_ += other.count_;
    for (int axis = 0; axis < axes_.count(); ++axis) {
      sum_[axis] += other.sum_[axis];
      sum2_[axis] += other.sum2_[axis];
    }
  }

  /// f(sum) for every sum, in a fixed order: for sums that are added up over ranks.
  template <class F>
  void for_each_sum(F f) {
    f(count_);
    for (int axis = 0; axis < axes_.count(); ++axis) {
      f(sum_[axis]);
      f(sum2_[axis]);
    }
  }

  /// The first axis of the largest variance.
  int axis() const {
    int best = 0;
    for (int axis = 1; axis < axes_.count(); ++axis)
      if (scaled_variance(axis) > scaled_variance(best)) best = axis;
    return best;
  }

 private:
  static constexpr int kSteps = (1 << 15) - 1;  // 2^32 squares stay below 2^63
  __extension__ using Wide = unsigned __int128;

  /// count^2 times the variance.
  Wide scaled_variance(int axis) const {
    return Wide{count_} * sum2_[axis] - Wide{sum_[axis]} * sum_[axis];
  }

  Axes<D> axes_;
  T scale_;
  T lower_[kAxisRoom<D>] = {};
  std::uint64_t count_ = 0;
  std::uint64_t sum_[kAxisRoom<D>] = {};
  std::uint64_t sum2_[kAxisRoom<D>] = {};
};

}  // namespace kith
