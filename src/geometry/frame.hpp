// From the caller's coordinates to the tree's and back: wrapping into the box and the power-of-two
// scale.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <kith/box.hpp>

namespace kith {

/// r in [0, side) with x = origin + r + a multiple of the side, up to the rounding of x - origin.
template <class T>
T wrapped(T x, T origin, T side) {
  T r = x - origin;
  if (!std::isfinite(r)) r = std::fmod(x, side) - std::fmod(origin, side);
  if (!(r >= 0 && r < side)) {
    r = std::fmod(r, side);
    if (r < 0) r += side;
    if (r >= side) r = 0;
  }
  return r + T(0);  // makes +0.0 of -0.0
}

/// The frame in which a tree stores coordinates: periodic axes from 0 to their side, everything
/// times one power of two that keeps squares from overflowing and from vanishing.
template <class T>
struct Frame {
  T origin[kMaxDimension] = {};  ///< in the caller's frame
  T period[kMaxDimension] = {};  ///< in the caller's frame, 0 = open
  T side[kMaxDimension] = {};    ///< the period in the tree's frame
  int exponent = 0;              ///< coordinates are multiplied by 2^exponent

  T operator()(T x, int axis) const {
    if (period[axis] > 0) x = wrapped(x, origin[axis], period[axis]);
    return (exponent == 0 ? x : scaled(x)) + T(0);
  }

  /// Coordinates stay finite: those of far queries may overflow in the scale of a tree of tiny
  /// numbers. Their squared distances are infinite all the same.
  T scaled(T x) const {
    constexpr T kMost = std::numeric_limits<T>::max();
    return std::clamp(std::ldexp(x, exponent), -kMost, kMost);
  }

  /// A coordinate of the tree in the caller's frame.
  double original(T x, int axis) const {
    const double value = std::ldexp(static_cast<double>(x), -exponent);
    return period[axis] > 0 ? value + static_cast<double>(origin[axis]) : value;
  }
};

/// The exponent of the scale for data whose largest magnitude (coordinates on open axes, sides of
/// periodic ones) is `largest`: 0 unless that lies outside [2^-32, 2^48] (float) or [2^-256, 2^384]
/// (double).
template <class T>
int scale_exponent(T largest) {
  constexpr bool kIsFloat = sizeof(T) == sizeof(float);
  const T least = std::ldexp(T(1), kIsFloat ? -32 : -256);
  const T most = std::ldexp(T(1), kIsFloat ? 48 : 384);
  if (largest == 0 || (largest >= least && largest <= most)) return 0;
  return -std::ilogb(largest);
}

}  // namespace kith
