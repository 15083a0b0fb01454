// A tight box: the least and the largest coordinate of some points on each axis.
#pragma once

#include <limits>

#include "base/dispatch.hpp"

namespace kith {

/// lo > hi on every axis means that the box is empty.
template <int D, class T>
struct Bounds {
  T lo[kAxisRoom<D>];
  T hi[kAxisRoom<D>];

  static Bounds empty() {
    Bounds bounds;
    for (T& value : bounds.lo) value = std::numeric_limits<T>::infinity();
    for (T& value : bounds.hi) value = -std::numeric_limits<T>::infinity();
    return bounds;
  }

  void add(const T* lower, const T* upper, Axes<D> axes) {
    for (int axis = 0; axis < axes.count(); ++axis) {
      lo[axis] = lower[axis] < lo[axis] ? lower[axis] : lo[axis];
      hi[axis] = upper[axis] > hi[axis] ? upper[axis] : hi[axis];
    }
  }
  void add(const T* point, Axes<D> axes) { add(point, point, axes); }
  void add(const Bounds& other, Axes<D> axes) { add(other.lo, other.hi, axes); }
};

}  // namespace kith
