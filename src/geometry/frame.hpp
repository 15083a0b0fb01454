// From the caller's coordinates to the tree's and back: wrapping into the box and the power-of-two
// scale.
#pragma once

#include <cmath>
#include <limits>

#include <kith/box.hpp>

namespace kith {

/// The arithmetic of the frame for numbers.
namespace frames {
template <class T>
bool is_finite(T x) {
  return std::isfinite(x);
}
template <class T>
T remainder_of(T x, T y) {
  return std::fmod(x, y);
}
template <class T>
T times_power_of_two(T x, int exponent) {
  return std::ldexp(x, exponent);
}
template <class T>
T largest_like(T) {
  return std::numeric_limits<T>::max();
}
#define KITH_WRAP    \
  template <class V> \
  inline
#include "geometry/wrap-inl.h"
#undef KITH_WRAP
}  // namespace frames
using frames::wrapped;

/// The frame in which a tree stores coordinates: periodic axes from 0 to their side, everything
/// times one power of two that keeps squares from overflowing and from vanishing.
template <class T>
struct Frame {
  T origin[kMaxDimension] = {};  ///< in the caller's frame
  T period[kMaxDimension] = {};  ///< in the caller's frame, 0 = open
  T side[kMaxDimension] = {};    ///< the period in the tree's frame
  int exponent = 0;              ///< coordinates are multiplied by 2^exponent

  T operator()(T x, int axis) const {
    return frames::in_frame(x, origin[axis], period[axis], exponent);
  }

  T scaled(T x) const { return frames::scaled(x, exponent); }

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
