// Distances and their bounds, axis by axis, for numbers on the CPU and on devices: included by
// geometry/distance.hpp and by gpu/geometry.cl, in the common subset of C++ and OpenCL C. Both also
// define magnitude. A side of 0 means an open axis.
#include "geometry/gaps-inl.h"

/// The distance of two coordinates on an axis.
KITH_GAPS V axis_distance(V p, V q, V side) {
  const V dx = magnitude(minus(p, q));
  return side > 0 ? wrapped(dx, side) : dx;
}

/// The least distance of a point in [p_lo, p_hi] and one in [q_lo, q_hi] on an axis.
KITH_GAPS V axis_least(V p_lo, V p_hi, V q_lo, V q_hi, V side) {
  const V gap = least(p_lo, p_hi, q_lo, q_hi);
  return side > 0 ? wrapped_least(gap, most(p_lo, p_hi, q_lo, q_hi), side) : gap;
}

/// The largest distance of a point in [p_lo, p_hi] and one in [q_lo, q_hi] on an axis.
KITH_GAPS V axis_most(V p_lo, V p_hi, V q_lo, V q_hi, V side) {
  const V span = most(p_lo, p_hi, q_lo, q_hi);
  return side > 0 ? wrapped_most(least(p_lo, p_hi, q_lo, q_hi), span, side) : span;
}

/// The squared distance of two points.
KITH_GAPS V point_distance2(const V* p, const V* q, const V* side, int axes) {
  V sum = 0;
  for (int axis = 0; axis < axes; ++axis)
    sum = add_square(sum, axis_distance(p[axis], q[axis], side[axis]), axis);
  return sum;
}

/// No two points of the boxes are closer.
KITH_GAPS V box_lower2(const V* p_lo, const V* p_hi, const V* q_lo, const V* q_hi, const V* side,
                       int axes) {
  V sum = 0;
  for (int axis = 0; axis < axes; ++axis)
    sum = add_square(sum, axis_least(p_lo[axis], p_hi[axis], q_lo[axis], q_hi[axis], side[axis]),
                     axis);
  return sum;
}

/// No two points of the boxes are farther apart.
KITH_GAPS V box_upper2(const V* p_lo, const V* p_hi, const V* q_lo, const V* q_hi, const V* side,
                       int axes) {
  V sum = 0;
  for (int axis = 0; axis < axes; ++axis)
    sum = add_square(sum, axis_most(p_lo[axis], p_hi[axis], q_lo[axis], q_hi[axis], side[axis]),
                     axis);
  return sum;
}

/// The squared diagonal of a box: on open axes, no two of its points are farther apart.
KITH_GAPS V box_diagonal2(const V* lo, const V* hi, int axes) {
  V sum = 0;
  for (int axis = 0; axis < axes; ++axis) sum = add_square(sum, minus(hi[axis], lo[axis]), axis);
  return sum;
}
