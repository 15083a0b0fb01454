// Distances by other norms, and bounds of them between boxes. A norm adds up one number per axis,
// in the order of the axes, to a key; neighbors are ordered by keys, and the distance is a
// function of the key.
//
//   p = 1          key = sum of |dx|               in T, one rounding each
//   p = 2          key = sum of dx * dx            in T: the same bits as distance.hpp
//   p = infinity   key = largest |dx|              exact
//   p = 3 ... 16   key = sum of |dx| * ... * |dx|  in double, for the range of its exponents;
//                                                  products from left to right, one rounding each
//   other p        key = sum of pow(|dx|, p)       in double
//
// For all but the last, bounds need no margin, by the argument of distance.hpp. pow of the C
// library need not be monotone, but its error is below kPowUlps units in the last place. If a <= b
// then pow(a) <= pow(b) (1 + e) with e = 2 kPowUlps epsilon, up to as many of the least subnormal
// numbers; a sum of up to 32 such terms, each rounding of which is monotone and loses at most half
// a unit, stays within (1 + e)(1 + 32 epsilon). So bounds are moved outwards by a relative
// kMargin = 64 epsilon and an absolute 1024 subnormal numbers. A bound that overflows while the key
// itself does not is caught by starting from the largest finite number.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/distance.hpp"

namespace kith {

template <class T>
struct SumNorm {
  using Key = T;
  static Key add(Key sum, T dx) { return sum + dx; }
  static Key lower(Key key) { return key; }
  static Key upper(Key key) { return key; }
  Key key_of(T length) const { return length; }
  T length_of(double key) const { return static_cast<T>(key); }
};

template <class T>
struct SquareNorm {
  using Key = T;
  static Key add(Key sum, T dx) {
    const T square = dx * dx;
    return sum + square;
  }
  static Key lower(Key key) { return key; }
  static Key upper(Key key) { return key; }
  Key key_of(T length) const { return length * length; }
  T length_of(double key) const { return std::sqrt(static_cast<T>(key)); }
};

template <class T>
struct LargestNorm {
  using Key = T;
  static Key add(Key most, T dx) { return std::max(most, dx); }
  static Key lower(Key key) { return key; }
  static Key upper(Key key) { return key; }
  Key key_of(T length) const { return length; }
  T length_of(double key) const { return static_cast<T>(key); }
};

template <class T>
struct WholeNorm {
  using Key = double;
  static constexpr int kMost = 16;
  int p;

  Key power(T dx) const {
    const auto x = static_cast<double>(dx);
    double product = x;
    for (int i = 1; i < p; ++i) product *= x;
    return product;
  }
  Key add(Key sum, T dx) const { return sum + power(dx); }
  static Key lower(Key key) { return key; }
  static Key upper(Key key) { return key; }
  Key key_of(T length) const { return power(length); }
  T length_of(double key) const { return static_cast<T>(std::pow(key, 1.0 / p)); }
};

template <class T>
struct PowerNorm {
  using Key = double;
  double p;

  Key add(Key sum, T dx) const { return sum + std::pow(static_cast<double>(dx), p); }
  static Key lower(Key key) {
    constexpr double kMost = std::numeric_limits<double>::max();
    return std::max(0.0, std::min(key, kMost) * (1 - kMargin) - kTiny);
  }
  static Key upper(Key key) { return key * (1 + kMargin) + kTiny; }
  Key key_of(T length) const { return std::pow(static_cast<double>(length), p); }
  T length_of(double key) const { return static_cast<T>(std::pow(key, 1 / p)); }

 private:
  // The manual of glibc states 1; other libraries stay within a few.
  static constexpr double kPowUlps = 8;
  static constexpr double kMargin = 64 * std::numeric_limits<double>::epsilon();
  static constexpr double kTiny = 1024 * std::numeric_limits<double>::denorm_min();
  static_assert(2 * kPowUlps + 32 < 64);
};

/// Norms that add up no powers; kernels serve them.
inline bool is_difference_norm(double p) { return p == 1 || std::isinf(p); }

/// f(norm) for a p other than 1, 2 and infinity.
template <class T, class F>
decltype(auto) with_power_norm(double p, F&& f) {
  if (p <= WholeNorm<T>::kMost && p == std::floor(p)) return f(WholeNorm<T>{static_cast<int>(p)});
  return f(PowerNorm<T>{p});
}
/// f(norm) for a p other than 2.
template <class T, class F>
decltype(auto) with_other_norm(double p, F&& f) {
  if (p == 1) return f(SumNorm<T>());
  if (std::isinf(p)) return f(LargestNorm<T>());
  return with_power_norm<T>(p, f);
}
/// f(norm) for any p.
template <class T, class F>
decltype(auto) with_norm(double p, F&& f) {
  if (p == 2) return f(SquareNorm<T>());
  return with_other_norm<T>(p, f);
}

/// A space with open (side 0) and periodic axes; coordinates lie in [0, side] on the periodic ones.
template <int D, class T, class Norm>
struct NormMetric {
  using Key = typename Norm::Key;
  Norm norm;
  Axes<D> axes;
  T side[kAxisRoom<D>] = {};

  Key key(const T* p, const T* q) const {
    Key sum = 0;
    for (int axis = 0; axis < axes.count(); ++axis)
      sum = norm.add(sum, axis_distance(p[axis], q[axis], side[axis]));
    return sum;
  }

  AxisGaps<T> gaps(T p_lo, T p_hi, T q_lo, T q_hi, int axis) const {
    return {p_lo, p_hi, q_lo, q_hi, side[axis]};
  }

  /// No two points of the boxes have a smaller key.
  Key lower(const Bounds<D, T>& p, const Bounds<D, T>& q) const {
    Key sum = 0;
    for (int axis = 0; axis < axes.count(); ++axis)
      sum = norm.add(sum, gaps(p.lo[axis], p.hi[axis], q.lo[axis], q.hi[axis], axis).least);
    return norm.lower(sum);
  }
  /// No two points of the boxes have a larger key.
  Key upper(const Bounds<D, T>& p, const Bounds<D, T>& q) const {
    Key sum = 0;
    for (int axis = 0; axis < axes.count(); ++axis)
      sum = norm.add(sum, gaps(p.lo[axis], p.hi[axis], q.lo[axis], q.hi[axis], axis).most);
    return norm.upper(sum);
  }
};

}  // namespace kith
