// THE distance, and bounds of it between boxes. Every kernel, rank and device computes these
// operations in this order, one rounding each, so that all of them give the same bits.
//
// The bounds need no margin. Rounding is monotone: a <= b gives fl(a) <= fl(b). For p in one box
// and q in another, on each axis gap_min <= |p - q| <= gap_max holds exactly, so also after
// rounding the same subtractions; squares and sums of non-negative numbers in the same order keep
// the inequality. Hence lower2 <= distance2(p, q) <= upper2 in floating point. On a periodic axis
// min(dx, L - dx) is not monotone in dx, so both ends of the gap are needed.
#pragma once

#include <algorithm>
#include <cmath>

#include "geometry/bounds.hpp"

namespace kith {

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
    for (int axis = 0; axis < axes.count(); ++axis) {
      const T dx = std::abs(p[axis] - q[axis]);
      sum = add_square(sum, side[axis] > 0 ? std::min(dx, side[axis] - dx) : dx);
    }
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
    for (int axis = 0; axis < axes.count(); ++axis) {
      const T gap = gap_min(p, q, axis);
      sum = add_square(sum, side[axis] > 0 ? std::min(gap, side[axis] - gap_max(p, q, axis)) : gap);
    }
    return sum;
  }

  /// No two points of the boxes are farther apart.
  T upper2(const Bounds<D, T>& p, const Bounds<D, T>& q) const {
    T sum = 0;
    for (int axis = 0; axis < axes.count(); ++axis) {
      const T gap = gap_max(p, q, axis);
      sum = add_square(sum, side[axis] > 0 ? std::min(gap, side[axis] - gap_min(p, q, axis)) : gap);
    }
    return sum;
  }

 private:
  static T add_square(T sum, T dx) {
    const T square = dx * dx;
    return sum + square;
  }
  static T gap_min(const Bounds<D, T>& p, const Bounds<D, T>& q, int axis) {
    return std::max(std::max(q.lo[axis] - p.hi[axis], p.lo[axis] - q.hi[axis]), T(0));
  }
  static T gap_max(const Bounds<D, T>& p, const Bounds<D, T>& q, int axis) {
    return std::max(q.hi[axis] - p.lo[axis], p.hi[axis] - q.lo[axis]);
  }
};

}  // namespace kith
