// The caller's points as the tree sees them: checked, wrapped, scaled.
//
// Three steps: measure the rows (extent.hpp), fit a frame to the extent and the box, see the rows
// in the frame. Over several ranks the extents are added up between the first and the second.
#pragma once

#include <kith/tree.hpp>

#include "base/shared.hpp"
#include "geometry/bounds.hpp"
#include "geometry/frame.hpp"
#include "parallel/workers.hpp"
#include "tree/extent.hpp"

namespace kith {

/// Rows in a frame. They are never copied: each is prepared when it is loaded.
template <class T>
struct Input : InputRows<T> {
  Frame<T> frame;
  bool is_plain = true;             ///< coordinates are stored as they are (but for -0.0)
  Bounds<kAnyDimension, T> bounds;  ///< of the coordinates in the tree's frame; not always tight

  /// The coordinates of the i-th point in the tree's frame.
  template <int D>
  void load(std::size_t i, Axes<D> axes, T* out) const {
    const T* row = this->row(i);
    if (is_plain)
      for (int axis = 0; axis < axes.count(); ++axis) out[axis] = row[axis] + T(0);
    else
      for (int axis = 0; axis < axes.count(); ++axis) out[axis] = frame(row[axis], axis);
  }
};

/// Checks the shape of a view and of the box; errors: invalid_argument, too_large.
KITH_SHARED void check_view(const char* call, const PointsView& points, const Box& box);

/// Checks the options of a builder; errors: invalid_argument.
KITH_SHARED void check_tree_options(const TreeOptions& options);

/// The frame of points in a box, before their scale is known. Errors: invalid_argument
/// (a box that the scalar type cannot hold).
template <class T>
Frame<T> frame_of(const Box& box, int dimension);

/// The frame with the scale that points of this extent need; without points, no scale.
template <class T>
Frame<T> fitted_frame(const Box& box, int dimension, const Extent<T>& extent);

/// Measured rows in a frame: which of them need wrapping or scaling follows from their extent.
template <class T>
Input<T> input_in(const Frame<T>& frame, MeasuredRows<T> measured);

/// All three steps for points of a new tree. Errors: non_finite unless points may be
/// dropped.
template <class T>
Input<T> read_input(const PointsView& points, const Box& box, NonFinite non_finite,
                    const Workers& workers);

/// The rows of points that are compared with those of a tree, in the frame of the tree.
/// Empty trees have a frame without a scale, which is as good as any.
template <class T>
Input<T> read_queries(const PointsView& points, const Frame<T>& frame, NonFinite non_finite,
                      const Workers& workers);

}  // namespace kith
