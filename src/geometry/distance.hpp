// THE distance, and bounds of it between boxes. Every kernel, rank and device computes these
// operations in this order, one rounding each, so that all of them give the same bits.
//
// The bounds need no margin. Rounding is monotone: a <= b gives fl(a) <= fl(b). For p in one box
// and q in another, on each axis gap_min <= |p - q| <= gap_max holds exactly, so also after
// rounding the same subtractions; squares and sums of non-negative numbers in the same order keep
// the inequality. Hence lower2 <= distance2(p, q) <= upper2 in floating point. On a periodic axis
// min(dx, L - dx) is not monotone in dx, so both ends of the gap are needed. Gaps and ways around
// the box are written once, in gaps-inl.h.
#pragma once

#include <algorithm>
#include <cmath>

#include "geometry/bounds.hpp"

namespace kith {

/// The arithmetic of one axis for numbers.
namespace gaps {
template <class T>
T minus(T a, T b) {
  return a - b;
}
template <class T>
T times(T a, T b) {
  return a * b;
}
template <class T>
T plus(T a, T b) {
  return a + b;
}
template <class T>
T larger(T a, T b) {
  return std::max(a, b);
}
template <class T>
T smaller(T a, T b) {
  return std::min(a, b);
}
template <class T>
T zero_like(T) {
  return 0;
}
#define KITH_GAPS_INLINE inline
#include "geometry/gaps-inl.h"
#undef KITH_GAPS_INLINE
}  // namespace gaps

/// The least and the largest distance of two intervals on an axis (side 0: open).
template <class T>
struct AxisGaps {
  T least, most;

  AxisGaps(T p_lo, T p_hi, T q_lo, T q_hi, T side)
      : least(gaps::least(p_lo, p_hi, q_lo, q_hi)), most(gaps::most(p_lo, p_hi, q_lo, q_hi)) {
    if (!(side > 0)) return;
    const T open_least = least;
    least = gaps::wrapped_least(open_least, most, side);
    most = gaps::wrapped_most(open_least, most, side);
  }
};

/// The distance of two coordinates on an axis (side 0: open).
template <class T>
T axis_distance(T p, T q, T side) {
  const T dx = std::abs(p - q);
  return side > 0 ? gaps::wrapped(dx, side) : dx;
}

/// The squared diagonal of a box: on open axes, no two of its points are farther apart.
template <int D, class T>
T diagonal2(const Bounds<D, T>& box, Axes<D> axes) {
  T sum = 0;
  for (int axis = 0; axis < axes.count(); ++axis)
    sum = gaps::add_square(sum, box.hi[axis] - box.lo[axis], axis);
  return sum;
}

/// p - q by the shorter way round an axis of this side (0: open). Its absolute value has the bits
/// of the distance's dx, and displacement(q, p) is -displacement(p, q). At exactly half a side both
/// ways are equally long: the direct one, p - q, is taken.
template <class T>
T displacement(T p, T q, T side) {
  const T direct = p - q;
  const T dx = std::abs(direct);
  if (side > 0 && side - dx < dx) return direct > 0 ? -(side - dx) : side - dx;
  return direct;
}

/// A space with open (side 0) and periodic axes; coordinates lie in [0, side] on the periodic ones.
template <int D, class T>
struct Metric {
  Axes<D> axes;
  T side[kAxisRoom<D>] = {};

  /// The squared distance of two points.
  T distance2(const T* p, const T* q) const {
    T sum = 0;
    for (int axis = 0; axis < axes.count(); ++axis)
      sum = gaps::add_square(sum, axis_distance(p[axis], q[axis], side[axis]), axis);
    return sum;
  }

  /// p - q by minimum image, axis by axis.
  void displacement(const T* p, const T* q, T* out) const {
    for (int axis = 0; axis < axes.count(); ++axis)
      out[axis] = kith::displacement(p[axis], q[axis], side[axis]);
  }

  /// No two points of the boxes are closer.
  T lower2(const Bounds<D, T>& p, const Bounds<D, T>& q) const {
    T sum = 0;
    for (int axis = 0; axis < axes.count(); ++axis)
      sum = gaps::add_square(sum, gaps_of(p, q, axis).least, axis);
    return sum;
  }

  /// No two points of the boxes are farther apart.
  T upper2(const Bounds<D, T>& p, const Bounds<D, T>& q) const {
    T sum = 0;
    for (int axis = 0; axis < axes.count(); ++axis)
      sum = gaps::add_square(sum, gaps_of(p, q, axis).most, axis);
    return sum;
  }

 private:
  AxisGaps<T> gaps_of(const Bounds<D, T>& p, const Bounds<D, T>& q, int axis) const {
    return {p.lo[axis], p.hi[axis], q.lo[axis], q.hi[axis], side[axis]};
  }
};

}  // namespace kith
