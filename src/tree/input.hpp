// The caller's points as the tree sees them: checked, wrapped, scaled.
#pragma once

#include <kith/tree.hpp>

#include "base/array.hpp"
#include "geometry/bounds.hpp"
#include "geometry/frame.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// What one pass over the input learned.
template <class T>
struct Input {
  const T* data = nullptr;
  std::ptrdiff_t stride = 0;
  int dimension = 0;
  std::size_t size = 0;  ///< points to be used
  Frame<T> frame;
  bool is_plain = true;             ///< coordinates are stored as they are (but for -0.0)
  Array<std::uint32_t> live;        ///< the points to be used, when some are dropped
  Bounds<kAnyDimension, T> bounds;  ///< of the coordinates in the tree's frame; not always tight

  /// Original index of the i-th point to be used.
  std::uint32_t index(std::size_t i) const {
    return live.empty() ? static_cast<std::uint32_t>(i) : live[i];
  }
  /// Its coordinates in the tree's frame.
  template <int D>
  void load(std::size_t i, Axes<D> axes, T* out) const {
    const T* row = data + static_cast<std::ptrdiff_t>(index(i)) * stride;
    if (is_plain)
      for (int axis = 0; axis < axes.count(); ++axis) out[axis] = row[axis] + T(0);
    else
      for (int axis = 0; axis < axes.count(); ++axis) out[axis] = frame(row[axis], axis);
  }
};

/// Checks the shape of a view and of the box; errors: invalid_argument, too_large.
void check_view(const char* call, const PointsView& points, const Box& box);

/// The frame of points in a box, before anything is known of their scale. Errors: invalid_argument
/// (a box that the scalar type cannot hold).
template <class T>
Frame<T> frame_of(const Box& box, int dimension);

/// The pass: finite? extent, need to wrap, scale. Errors: non_finite unless points may be dropped.
template <class T>
Input<T> read_input(const PointsView& points, const Box& box, NonFinite non_finite,
                    const Workers& workers);

/// The same for points that are to be compared with those of a tree: its frame is taken as it is.
/// Empty trees have a frame without a scale, which is as good as any.
template <class T>
Input<T> read_queries(const PointsView& points, const Frame<T>& frame, NonFinite non_finite,
                      const Workers& workers);

}  // namespace kith
