// How a dimension and a scalar type become template arguments. Two places have their own dispatch:
// SIMD code, which must not pass through a function that is compiled for another target, and
// programs, which see <kith/...> alone.
#pragma once

#include <kith/box.hpp>
#include <kith/points.hpp>

namespace kith {

/// The template argument for a dimension that is known at run time only.
inline constexpr int kAnyDimension = 0;

/// The number of axes: a constant for the compiled dimensions, a value for every other.
template <int D>
struct Axes {
  constexpr explicit Axes(int) {}
  static constexpr int count() { return D; }
};

template <>
struct Axes<kAnyDimension> {
  constexpr explicit Axes(int count) : count_(count) {}
  constexpr int count() const { return count_; }

 private:
  int count_;
};

/// Room for one value per axis.
template <int D>
inline constexpr int kAxisRoom = D == kAnyDimension ? kMaxDimension : D;

template <class F>
decltype(auto) with_scalar(Scalar scalar, F&& f) {
  if (scalar == Scalar::float32) return f.template operator()<float>();
  return f.template operator()<double>();
}

/// Calls f<D>() with D = 2, 3 or kAnyDimension: the dimensions with specialized code.
template <class F>
decltype(auto) with_dimension(int dimension, F&& f) {
  switch (dimension) {
    case 2: return f.template operator()<2>();
    case 3: return f.template operator()<3>();
    default: return f.template operator()<kAnyDimension>();
  }
}

}  // namespace kith
