// A point or a box against the eight points of a block or the eight boxes of a chunk, for code that
// is compiled once for all SIMD targets: the text of gaps-inl.h over eight numbers, in loops that
// compilers turn into vectors. Bits are those of Metric.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "geometry/distance.hpp"

namespace kith {

/// One number for each lane, as vectors of 16 bytes, which every CPU has. Longer ones are taken
/// apart into numbers by GCC.
template <class T>
struct Eight {
  static constexpr std::size_t kCount = 8, kWidth = 16 / sizeof(T), kParts = kCount / kWidth;
  typedef T Part __attribute__((vector_size(16)));
  Part part[kParts];

  static Eight all(T value) {
    Eight made;
    for (Part& part : made.part) part = Part{} + value;
    return made;
  }
  static Eight load(const T* from) {
    Eight made;
    std::memcpy(made.part, from, sizeof made.part);
    return made;
  }
  T operator[](std::size_t lane) const { return part[lane / kWidth][lane % kWidth]; }
};

// ---- the arithmetic of one axis, found by gaps-inl.h

template <class T, class F>
Eight<T> of_parts(const Eight<T>& a, const Eight<T>& b, F f) {
  Eight<T> made;
  for (std::size_t i = 0; i < Eight<T>::kParts; ++i) made.part[i] = f(a.part[i], b.part[i]);
  return made;
}
template <class T>
Eight<T> minus(const Eight<T>& a, const Eight<T>& b) {
  return of_parts(a, b, [](auto x, auto y) { return x - y; });
}
template <class T>
Eight<T> times(const Eight<T>& a, const Eight<T>& b) {
  return of_parts(a, b, [](auto x, auto y) { return x * y; });
}
template <class T>
Eight<T> plus(const Eight<T>& a, const Eight<T>& b) {
  return of_parts(a, b, [](auto x, auto y) { return x + y; });
}
template <class T>
Eight<T> larger(const Eight<T>& a, const Eight<T>& b) {
  return of_parts(a, b, [](auto x, auto y) { return x < y ? y : x; });
}
template <class T>
Eight<T> smaller(const Eight<T>& a, const Eight<T>& b) {
  return of_parts(a, b, [](auto x, auto y) { return y < x ? y : x; });
}
template <class T>
Eight<T> zero_like(const Eight<T>&) {
  return Eight<T>::all(0);
}
template <class T>
Eight<T> magnitude(const Eight<T>& a) {
  return of_parts(a, a, [](auto x, auto) { return x < -x ? -x : x; });
}

/// Columns of eight numbers for each axis.
template <class T>
struct ColumnsOfEight {
  const T *lo, *hi;  ///< the same for points

  Eight<T> low(int axis) const { return Eight<T>::load(lo + axis * Eight<T>::kCount); }
  Eight<T> high(int axis) const { return Eight<T>::load(hi + axis * Eight<T>::kCount); }
};

/// A bit for each lane that is at most a limit; NaN is not.
template <class T>
[[gnu::always_inline]] inline unsigned lanes_within(const Eight<T>& values, T limit) {
  std::uint64_t any = 0;
  decltype(values.part[0] <= values.part[0]) is_within[Eight<T>::kParts];
  for (std::size_t i = 0; i < Eight<T>::kParts; ++i) {
    is_within[i] = values.part[i] <= (typename Eight<T>::Part{} + limit);
    std::uint64_t halves[2];
    std::memcpy(halves, &is_within[i], sizeof halves);
    any |= halves[0] | halves[1];
  }
  unsigned lanes = 0;
  for (std::size_t lane = 0; any != 0 && lane < Eight<T>::kCount; ++lane)
    lanes |= (is_within[lane / Eight<T>::kWidth][lane % Eight<T>::kWidth] != 0 ? 1u : 0u) << lane;
  return lanes;
}

/// The squared distances of a point.
template <int D, class T>
[[gnu::always_inline]] inline Eight<T> distances2(const Metric<D, T>& metric, const T* x,
                                                  const T* columns) {
  Eight<T> sum = Eight<T>::all(0);
  for (int axis = 0; axis < metric.axes.count(); ++axis) {
    const Eight<T> q = Eight<T>::load(columns + axis * Eight<T>::kCount);
    Eight<T> dx = magnitude(minus(Eight<T>::all(x[axis]), q));
    if (metric.side[axis] > 0) dx = gaps::wrapped(dx, Eight<T>::all(metric.side[axis]));
    sum = gaps::add_square(sum, dx, axis);
  }
  return sum;
}

/// Metric::lower2 of a box.
template <int D, class T>
[[gnu::always_inline]] inline Eight<T> lowers2(const Metric<D, T>& metric, const Bounds<D, T>& box,
                                               const ColumnsOfEight<T>& columns) {
  Eight<T> sum = Eight<T>::all(0);
  for (int axis = 0; axis < metric.axes.count(); ++axis) {
    const Eight<T> lo = Eight<T>::all(box.lo[axis]), hi = Eight<T>::all(box.hi[axis]);
    const Eight<T> low = columns.low(axis), high = columns.high(axis);
    Eight<T> gap = gaps::least(lo, hi, low, high);
    if (metric.side[axis] > 0)
      gap =
          gaps::wrapped_least(gap, gaps::most(lo, hi, low, high), Eight<T>::all(metric.side[axis]));
    sum = gaps::add_square(sum, gap, axis);
  }
  return sum;
}

}  // namespace kith
