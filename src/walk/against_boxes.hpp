// The leaves of a tree that lie near some boxes, such as those of the points of other ranks or
// slabs.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "geometry/distance.hpp"
#include "walk/against_list.hpp"

namespace kith {

/// Box i of a list that has, per box, lower, then upper ends.
template <int D, class T>
Bounds<D, T> box_at(const T* ends, std::size_t i, Axes<D> axes) {
  Bounds<D, T> bounds;
  const T* at = ends + i * 2 * static_cast<std::size_t>(axes.count());
  std::copy_n(at, axes.count(), bounds.lo);
  std::copy_n(at + axes.count(), axes.count(), bounds.hi);
  return bounds;
}

/// A point as a box.
template <int D, class T>
Bounds<D, T> box_of_point(const PlanesView<T>& view, std::size_t position, Axes<D> axes) {
  Bounds<D, T> bounds;
  view.load(position, axes, bounds.lo);
  std::copy_n(bounds.lo, axes.count(), bounds.hi);
  return bounds;
}

/// The numbers of the boxes that have another owner.
template <class Owners>
std::vector<std::uint32_t> boxes_of_others(const Owners& owners, std::size_t owner) {
  std::vector<std::uint32_t> others;
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (owners[i] != owner) others.push_back(static_cast<std::uint32_t>(i));
  return others;
}

/// The largest reach below every node of packed planes whose points reach differently far.
template <class T>
class ReachOfNodes {
 public:
  /// reach2[position] of the points of the planes.
  ReachOfNodes(const PlanesView<T>& view, const T* reach2) {
    for (int p = 0; p < view.plane_count; ++p) {
      std::vector<T> reach(view.plane(p).nodes, T(-1));
      const std::size_t below = p == 0 ? view.points : view.plane(p - 1).nodes;
      for (std::size_t i = 0; i < below; ++i)
        reach[i / kLanes] = std::max(reach[i / kLanes], p == 0 ? reach2[i] : planes_.back()[i]);
      planes_.push_back(std::move(reach));
    }
  }
  T operator()(int plane, std::size_t node) const {
    return planes_[static_cast<std::size_t>(plane)][node];
  }
  T most() const { return planes_.empty() ? T(-1) : planes_.back()[0]; }

 private:
  std::vector<std::vector<T>> planes_;
};

/// Keeps the boxes within reach of a node. `Reach`: the same for all, or ReachOfNodes.
template <int D, class T, class Boxes, class Reach, class Visit>
class BoxJudge {
 public:
  BoxJudge(const PlanesView<T>& view, const Metric<D, T>& metric, const Boxes& boxes,
           const Reach& reach2, Visit visit)
      : view_(view), metric_(metric), boxes_(boxes), reach2_(reach2), visit_(visit) {}

  using List = std::vector<std::uint32_t>;

  void keep(int plane, std::size_t node, const List& from, List& kept) const {
    const Bounds<D, T> receiver = view_.box(plane, node, metric_.axes);
    const T limit2 = limit2_of(plane, node);
    for (const std::uint32_t i : from)
      if (metric_.lower2(receiver, boxes_.box(i, metric_.axes)) <= limit2) kept.push_back(i);
  }
  void leaf(std::size_t block, const List& near) const { visit_(block, near); }

 private:
  T limit2_of(int plane, std::size_t node) const {
    if constexpr (std::is_same_v<Reach, T>)
      return reach2_;
    else
      return reach2_(plane, node);
  }

  const PlanesView<T>& view_;
  const Metric<D, T>& metric_;
  const Boxes& boxes_;
  const Reach& reach2_;
  Visit visit_;
};

/// visit(block, boxes near it) for the blocks of packed planes, which have points, that lie within
/// reach of any box of `from`. `boxes.box(i, axes)` is one of them.
template <int D, class T, class Boxes, class Reach, class Visit>
void each_block_near(const PlanesView<T>& view, const Metric<D, T>& metric, const Boxes& boxes,
                     const std::vector<std::uint32_t>& from, const Reach& reach2, Visit visit) {
  if (view.plane_count == 0) return;
  using Judge = BoxJudge<D, T, Boxes, Reach, Visit>;
  Judge judge(view, metric, boxes, reach2, visit);
  AgainstList<T, Judge>(view, judge).open(view.top(), 0, from);
}

}  // namespace kith
