// THE distance, and bounds of it between boxes. Every kernel, rank and device computes these
// operations in this order, one rounding each, so that all of them give the same bits.
//
// The bounds need no margin. Rounding is monotone: a <= b gives fl(a) <= fl(b). For p in one box
// and q in another, on each axis gap_min <= |p - q| <= gap_max holds exactly, so also after
// rounding the same subtractions; squares and sums of non-negative numbers in the same order keep
// the inequality. Hence lower2 <= distance2(p, q) <= upper2 in floating point. On a periodic axis
// min(dx, L - dx) is not monotone in dx, so both ends of the gap are needed. Gaps and ways around
// the box are written once, in gaps-inl.h; axes-inl.h adds them up, for CPUs and devices.
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
template <class T>
T magnitude(T x) {
  return std::abs(x);
}
#define KITH_GAPS    \
  template <class V> \
  inline
#include "geometry/axes-inl.h"
#undef KITH_GAPS
}  // namespace gaps
using gaps::axis_distance;

/// The least and the largest distance of two intervals on an axis (side 0: open).
template <class T>
struct AxisGaps {
  T least, most;

  AxisGaps(T p_lo, T p_hi, T q_lo, T q_hi, T side)
      : least(gaps::axis_least(p_lo, p_hi, q_lo, q_hi, side)),
        most(gaps::axis_most(p_lo, p_hi, q_lo, q_hi, side)) {}
};

/// The squared diagonal of a box: on open axes, no two of its points are farther apart.
template <int D, class T>
T diagonal2(const Bounds<D, T>& box, Axes<D> axes) {
  return gaps::box_diagonal2(box.lo, box.hi, axes.count());
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
    return gaps::point_distance2(p, q, side, axes.count());
  }

  /// p - q by minimum image, axis by axis.
  void displacement(const T* p, const T* q, T* out) const {
    for (int axis = 0; axis < axes.count(); ++axis)
      out[axis] = kith::displacement(p[axis], q[axis], side[axis]);
  }

  /// No two points of the boxes are closer.
  T lower2(const Bounds<D, T>& p, const Bounds<D, T>& q) const {
    return gaps::box_lower2(p.lo, p.hi, q.lo, q.hi, side, axes.count());
  }

  /// No two points of the boxes are farther apart.
  T upper2(const Bounds<D, T>& p, const Bounds<D, T>& q) const {
    return gaps::box_upper2(p.lo, p.hi, q.lo, q.hi, side, axes.count());
  }
};

}  // namespace kith
