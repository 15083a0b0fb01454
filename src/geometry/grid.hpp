// Grids that give points of a bounded region integer cells along each axis: the first step to a
// place on a curve. Both are made from the region's bounds and the number of bits wanted per axis.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "geometry/bounds.hpp"
#include "geometry/digits.hpp"

namespace kith {

/// Equal cells over the bounds, for the Hilbert curve. The accuracy of a point's cell affects only
/// the speed of later steps, never a result.
template <int D, class T>
class EqualCells {
 public:
  /// The order of points in one cell does not matter.
  static constexpr bool kIsExact = false;

  EqualCells(const Bounds<D, T>& bounds, int bits, Axes<D> axes) : lo_(bounds) {
    T extent = 0;
    for (int axis = 0; axis < axes.count(); ++axis)
      extent = std::max(extent, bounds.hi[axis] - bounds.lo[axis]);
    last_ = static_cast<Last>((std::uint64_t{1} << bits) - 1);
    scale_ = std::ldexp(T(1), bits) / extent;
  }

  /// False when all points are equal, so close that a cell's side cannot be inverted, or infinitely
  /// far apart.
  bool can_split() const { return scale_ > 0 && std::isfinite(scale_); }

  std::uint64_t operator()(T x, int axis) const {
    const T cell = (x - lo_.lo[axis]) * scale_;
    if constexpr (D == kAnyDimension)
      return std::min(static_cast<std::uint64_t>(cell), last_);
    else
      return static_cast<std::uint32_t>(static_cast<int>(cell < last_ ? cell : last_));
  }

 private:
  /// A single axis has cells beyond 32 bits, and no T represents the last of them exactly; two or
  /// three axes have few cells each, for which the conversion to int is faster.
  using Last = std::conditional_t<D == kAnyDimension, std::uint64_t, T>;

  Bounds<D, T> lo_;
  Last last_;
  T scale_;
};

/// Cells of the binary digits themselves, for z-order: never shifted by the data's least
/// coordinate, so that the Morton position is a true prefix of the order.
template <int D, class T>
class DigitCells {
 public:
  static constexpr bool kIsExact = true;

  DigitCells(const Bounds<D, T>& bounds, int bits, Axes<D> axes) {
    int top = kNoDigit;
    for (int axis = 0; axis < axes.count(); ++axis) {
      // Only points that another thread of the caller overwrites have such bounds: empty, if all
      // are NaN. Digits would never separate them.
      if (!std::isfinite(bounds.lo[axis]) || !std::isfinite(bounds.hi[axis])) return;
      top = std::max(top, differing_digit(bounds.lo[axis], bounds.hi[axis]));
    }
    can_split_ = top != kNoDigit;
    const bool has_sign = top == kSignDigit<T>;
    // Where signs differ nothing is known of the digits below: start at the largest magnitude.
    if (has_sign) {
      top = kNoDigit;
      for (int axis = 0; axis < axes.count(); ++axis)
        for (const T x : {bounds.lo[axis], bounds.hi[axis]})
          if (x != 0) top = std::max(top, leading_digit(x));
    }
    if (can_split_) window_ = DigitWindow<T>(top, bits, has_sign);
  }

  bool can_split() const { return can_split_; }

  std::uint64_t operator()(T x, int) const { return window_(x); }

 private:
  DigitWindow<T> window_;
  bool can_split_ = false;
};

}  // namespace kith
