// The z-order of floating-point points and the levels of its cells (jz-tree paper, II.A and II.B).
//
// The order is that of the interleaved digits of the coordinates: points are compared on the axis
// that differs in the most significant digit; between axes that differ in the same one, the first
// axis decides.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/dispatch.hpp"
#include "geometry/digits.hpp"

namespace kith {

/// Where the digits of two points first differ in z-order.
struct ZDifference {
  int digit = kNoDigit;  ///< kNoDigit: the points are equal
  int axis = 0;
};

template <int D, class T>
ZDifference z_difference(const T* p, const T* q, Axes<D> axes) {
  ZDifference difference;
  for (int axis = 0; axis < axes.count(); ++axis) {
    const int digit = differing_digit(p[axis], q[axis]);
    // Equal coordinates have no differing digit at all and never decide, however large they are.
    if (digit > difference.digit) difference = {digit, axis};
  }
  return difference;
}

/// Strictly before in z-order. A strict weak order; equal points are equivalent.
template <int D, class T>
bool z_less(const T* p, const T* q, Axes<D> axes) {
  const ZDifference difference = z_difference(p, q, axes);
  return difference.digit != kNoDigit && p[difference.axis] < q[difference.axis];
}

/// The level of the smallest cell that holds two equal points.
inline constexpr int kPointLevel = std::numeric_limits<int>::min();
/// Above every level: the gap before the first point and after the last.
inline constexpr int kEndLevel = std::numeric_limits<int>::max();

/// The level of the smallest cell that holds both points: its volume is 2^level (eq. 5).
template <int D, class T>
int z_level(const T* p, const T* q, Axes<D> axes) {
  // The axis that decides gives the largest level of all axes, so a maximum replaces the search
  // for it.
  int level = kPointLevel;
  for (int axis = 0; axis < axes.count(); ++axis) {
    const int digit = differing_digit(p[axis], q[axis]);
    level = std::max(level, digit == kNoDigit ? kPointLevel : (digit + 1) * axes.count() - axis);
  }
  return level;
}

/// The extent of a cell of this level on an axis is 2^result. (Eq. 6 of the paper is misprinted;
/// this one gives extents whose product is the volume.)
inline int z_extent(int level, int axis, int dimension) {
  const int floor = level >= 0 ? level / dimension : -((-level + dimension - 1) / dimension);
  return floor + (axis >= dimension - (level - floor * dimension) ? 1 : 0);
}

/// The ends on an axis of the cell of this level around x.
template <class T>
void z_cell_ends(T x, int level, int axis, int dimension, double& lower, double& upper) {
  const double value = static_cast<double>(x);
  lower = upper = value;
  if (level == kPointLevel) return;
  const int extent = z_extent(level, axis, dimension);
  if (extent > kSignDigit<T>) {  // a cell across zero: everything
    lower = -std::numeric_limits<double>::infinity();
    upper = std::numeric_limits<double>::infinity();
    return;
  }
  const double toward_zero = std::ldexp(std::trunc(std::ldexp(value, -extent)), extent);
  const double away = toward_zero + std::copysign(std::ldexp(1.0, extent), value);
  lower = std::min(toward_zero, away);
  upper = std::max(toward_zero, away);
}

}  // namespace kith
