// Radii as the searches compare them: squared, in the scalar type and the scale of the tree.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include <kith/neighbors.hpp>

#include "base/fail.hpp"
#include "geometry/frame.hpp"
#include "geometry/norms.hpp"

namespace kith {

/// The largest d2 of a neighbor within `radius`. Strict: the largest below the square; -1 if
/// nothing is.
template <class T>
T limit2(double radius, bool is_strict, const Frame<T>& frame) {
  const T r = std::ldexp(static_cast<T>(radius), frame.exponent);
  const T r2 = r * r;
  if (!is_strict) return r2;
  return r2 > 0 ? std::nextafter(r2, T(0)) : T(-1);
}

/// The same for the keys of the norm of p, see geometry/norms.hpp.
template <class T>
double key_limit(double radius, bool is_strict, double p, const Frame<T>& frame) {
  const T r = std::ldexp(static_cast<T>(radius), frame.exponent);
  return with_norm<T>(p, [&](const auto& norm) {
    const auto key = norm.key_of(r);
    using Key = std::remove_const_t<decltype(key)>;
    if (!is_strict) return static_cast<double>(key);
    return key > 0 ? static_cast<double>(std::nextafter(key, Key(0))) : -1.0;
  });
}

/// Below the limit, no product of k with a number of rows wraps around.
inline void check_k(const char* call, std::size_t k) {
  if (k == 0) refuse("{}: k = 0; ask for at least 1 neighbor", call);
  if (k > kMaxNeighbors)
    refuse("{}: k = {}; a tree has fewer than {} points: ask for fewer", call, k, kMaxNeighbors);
}

inline void check_norm(const char* call, double p) {
  if (!(p >= 1)) refuse("{}: p = {}; a norm has p of 1 or more, infinity included", call, p);
}

/// Infinity means no limit.
inline void check_radius(const char* call, const char* name, double radius) {
  if (!(radius >= 0)) refuse("{}: {} = {}; give a length of 0 or more", call, name, radius);
}

}  // namespace kith
