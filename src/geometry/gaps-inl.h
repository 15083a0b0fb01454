// The arithmetic of one axis: all distances and bounds of the library are computed by these lines.
//
// One text for numbers, vectors and devices, since exactness rests on their being the same. It has
// no include guard: geometry/distance.hpp includes it for numbers, kernels/lanes-inl.h once per
// SIMD target for vectors, each in a namespace `gaps`, and gpu/geometry.cl for kernels. Each has
// minus, times, plus, larger, smaller and zero_like for its kind of value V, and KITH_GAPS, the
// words before the type of a function.

/// How far apart two coordinates are on a periodic axis, if `dx` is how far they are inside it.
KITH_GAPS V wrapped(V dx, V side) { return smaller(dx, minus(side, dx)); }

/// The least distance of a point in [p_lo, p_hi] and one in [q_lo, q_hi] on an open axis.
KITH_GAPS V least(V p_lo, V p_hi, V q_lo, V q_hi) {
  return larger(larger(minus(q_lo, p_hi), minus(p_lo, q_hi)), zero_like(p_lo));
}

/// The largest distance of a point in [p_lo, p_hi] and one in [q_lo, q_hi] on an open axis.
KITH_GAPS V most(V p_lo, V p_hi, V q_lo, V q_hi) {
  return larger(minus(q_hi, p_lo), minus(p_hi, q_lo));
}

/// The least and the largest distance on a periodic axis, from those on an open one. wrapped() is
/// not monotone in dx, so each end needs both.
KITH_GAPS V wrapped_least(V least, V most, V side) { return smaller(least, minus(side, most)); }
KITH_GAPS V wrapped_most(V least, V most, V side) { return smaller(most, minus(side, least)); }

/// sum + dx * dx, rounded twice. The first sum is 0, and adding a square to it changes no bit.
KITH_GAPS V add_square(V sum, V dx, int axis) {
  const V square = times(dx, dx);
  return axis == 0 ? square : plus(sum, square);
}
