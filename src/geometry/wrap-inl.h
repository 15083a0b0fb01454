// From the caller's coordinates to the tree's, on the CPU and on devices: included by
// geometry/frame.hpp and by gpu/input.cl, in the common subset of C++ and OpenCL C. Both have
// is_finite, remainder_of (fmod), times_power_of_two (ldexp) and largest_like for their numbers V.

/// r in [0, side) with x = origin + r + a multiple of the side, up to the rounding of x - origin.
KITH_WRAP V wrapped(V x, V origin, V side) {
  const V zero = 0;
  V r = x - origin;
  if (!is_finite(r)) r = remainder_of(x, side) - remainder_of(origin, side);
  if (!(r >= 0 && r < side)) {
    r = remainder_of(r, side);
    if (r < 0) r += side;
    if (r >= side) r = 0;
  }
  return r + zero;  // turns -0.0 into +0.0
}

/// x * 2^exponent. Coordinates stay finite: those of far queries may overflow in the scale of a
/// tree of tiny numbers. Their squared distances are infinite all the same.
KITH_WRAP V scaled(V x, int exponent) {
  const V most = largest_like(x), product = times_power_of_two(x, exponent);
  return product < -most ? -most : most < product ? most : product;
}

/// A coordinate in the tree's frame; a period of 0 means an open axis.
KITH_WRAP V in_frame(V x, V origin, V period, int exponent) {
  const V zero = 0;
  if (period > 0) x = wrapped(x, origin, period);
  return (exponent == 0 ? x : scaled(x, exponent)) + zero;
}
