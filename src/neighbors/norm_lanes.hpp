// Keys and bounds by a norm without kernels, for 8 boxes or points of a tree at once: plain loops
// over lanes that the compiler makes vectors of.
#pragma once

#include <algorithm>

#include "geometry/norms.hpp"
#include "tree/planes_view.hpp"

namespace kith {

template <int D, class T, class Norm>
class NormLanes {
 public:
  using Key = typename Norm::Key;
  using Box = Bounds<D, T>;

  /// `side` per axis, 0 = open.
  NormLanes(const Norm& norm, int dimension, const T* side) : metric_{norm, Axes<D>(dimension)} {
    std::copy_n(side, dimension, metric_.side);
  }

  Axes<D> axes() const { return metric_.axes; }
  const Norm& norm() const { return metric_.norm; }

  /// Lower bounds of the keys between a box and those of a chunk. Unused lanes get any value.
  void lower(const Box& box, const T* chunk, Key* keys) const {
    add_gaps(box, chunk, keys, [](const AxisGaps<T>& gaps) { return gaps.least; });
    for (std::size_t i = 0; i < kLanes; ++i) keys[i] = metric_.norm.lower(keys[i]);
  }
  void upper(const Box& box, const T* chunk, Key* keys) const {
    add_gaps(box, chunk, keys, [](const AxisGaps<T>& gaps) { return gaps.most; });
    for (std::size_t i = 0; i < kLanes; ++i) keys[i] = metric_.norm.upper(keys[i]);
  }

  /// Keys between a point and those of a block. Unused lanes get any value.
  void keys(const T* point, const T* block, Key* keys) const {
    Key sum[kLanes] = {};  // no store through `keys` can change it
    for (int axis = 0; axis < axes().count(); ++axis) {
      const T x = point[axis], side = metric_.side[axis];
      const T* p = block + column_at(axis);
      if (side > 0)
        for (std::size_t i = 0; i < kLanes; ++i)
          sum[i] = metric_.norm.add(sum[i], axis_distance(x, p[i], side));
      else
        for (std::size_t i = 0; i < kLanes; ++i)
          sum[i] = metric_.norm.add(sum[i], axis_distance(x, p[i], T(0)));
    }
    std::copy_n(sum, kLanes, keys);
  }

 private:
  template <class Gap>
  void add_gaps(const Box& box, const T* chunk, Key* keys, Gap gap) const {
    Key sum[kLanes] = {};
    for (int axis = 0; axis < axes().count(); ++axis) {
      const T *lo = chunk + column_at(axis), *hi = chunk + column_at(axes().count() + axis);
      for (std::size_t i = 0; i < kLanes; ++i)
        sum[i] = metric_.norm.add(
            sum[i], gap(metric_.gaps(box.lo[axis], box.hi[axis], lo[i], hi[i], axis)));
    }
    std::copy_n(sum, kLanes, keys);
  }

  NormMetric<D, T, Norm> metric_;
};

}  // namespace kith
