// The splits of a finished tree in kd order. None are stored: the ranks of splits follow from the
// sizes of sets, their axes from the boxes of the planes (kd.hpp).
#pragma once

#include "tree/kd.hpp"
#include "tree/planes_view.hpp"

namespace kith {

/// A split inside a node.
struct KdSplit {
  int place;          ///< in the heap of the node's 7 splits: 0 its root, 2 i + 1 and 2 i + 2 below
  IndexRange points;  ///< that are split, in tree order
  std::size_t boundary;  ///< the first point on the greater side
  int axis;
};

template <class T>
class KdSplits {
 public:
  KdSplits(const PlanesView<T>& planes, SplitAxis rule) : planes_(planes), rule_(rule) {}

  /// f(split) for the splits of a node above plane 0, from its root down.
  template <class F>
  void for_each(int plane, std::size_t node, F f) const {
    const IndexRange points = planes_.points_of(plane, node);
    visit(plane, points, 0, rule_ == SplitAxis::cyclic ? depth_of(points) : 0, f);
  }

  /// The tight box of points that are whole nodes of a plane.
  Bounds<kAnyDimension, T> bounds(int plane, IndexRange points) const {
    auto bounds = Bounds<kAnyDimension, T>::empty();
    const Axes<kAnyDimension> axes = planes_.any_axes();
    const int shift = 3 * (plane + 1);
    for (std::size_t node = points.begin >> shift; node << shift < points.end; ++node)
      bounds.add(planes_.box(plane, node, axes), axes);
    return bounds;
  }

 private:
  template <class F>
  void visit(int plane, IndexRange points, int place, int depth, F& f) const {
    const std::size_t child = std::size_t{1} << 3 * plane;
    if (points.size() <= child) return;
    const std::size_t boundary = points.begin + kd_lesser_size(points.size());
    f(KdSplit{place, points, boundary, axis_of(plane - 1, points, depth)});
    visit(plane, {points.begin, boundary}, 2 * place + 1, depth + 1, f);
    visit(plane, {boundary, points.end}, 2 * place + 2, depth + 1, f);
  }

  int axis_of(int plane, IndexRange points, int depth) const {
    const Axes<kAnyDimension> axes = planes_.any_axes();
    if (rule_ == SplitAxis::cyclic) return depth % axes.count();
    const auto box = bounds(plane, points);
    if (rule_ == SplitAxis::widest) return widest_axis(box, axes);
    VarianceSums<kAnyDimension, T> sums(box, axes);
    T x[kMaxDimension];
    for (std::size_t i = points.begin; i < points.end; ++i) {
      planes_.load(i, axes, x);
      sums.add(x);
    }
    return sums.axis();
  }

  /// Splits above a set.
  int depth_of(IndexRange set) const {
    int depth = 0;
    for (IndexRange at{0, planes_.points}; at.size() > set.size(); ++depth) {
      const std::size_t boundary = at.begin + kd_lesser_size(at.size());
      (set.begin < boundary ? at.end : at.begin) = boundary;
    }
    return depth;
  }

  PlanesView<T> planes_;
  SplitAxis rule_;
};

}  // namespace kith
