// Radii as the searches compare them: squared, in the scalar type and the scale of the tree.
#pragma once

#include <cmath>
#include <limits>

#include "base/fail.hpp"
#include "geometry/frame.hpp"

namespace kith {

/// The largest d2 of a neighbour within `radius`. Strict: the largest below the square; -1 if
/// nothing is.
template <class T>
T limit2(double radius, bool is_strict, const Frame<T>& frame) {
  const T r = std::ldexp(static_cast<T>(radius), frame.exponent);
  const T r2 = r * r;
  if (!is_strict) return r2;
  return r2 > 0 ? std::nextafter(r2, T(0)) : T(-1);
}

/// Infinity stands for no limit.
inline void check_radius(const char* call, const char* name, double radius) {
  if (!(radius >= 0)) refuse("{}: {} = {}; give a length of 0 or more", call, name, radius);
}

}  // namespace kith
