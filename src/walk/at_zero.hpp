// The points of least index among those at distance 0 of a box. Where squares of differences
// vanish, very many points can be at distance 0 of each other; the first of them by index, found
// once for a group of queries, serve all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/distance.hpp"
#include "tree/planes_view.hpp"

namespace kith {

template <int D, class T>
class AtZero {
 public:
  struct Point {
    std::uint32_t index;
    T x[kAxisRoom<D>];
    friend bool operator<(const Point& a, const Point& b) { return a.index < b.index; }
  };

  /// The tree is implicit and outlives this.
  AtZero(const PlanesView<T>& tree, const T* side) : tree_(tree), metric_{Axes<D>(tree.dimension)} {
    std::copy_n(side, tree.dimension, metric_.side);
  }

  /// Finds the first `need`, or as many as there are, by ascending index.
  void find(const Bounds<D, T>& box, std::size_t need) {
    points_.clear();
    nodes_.clear();
    push_children(box, tree_.entry(), 0);
    while (!nodes_.empty()) {
      std::pop_heap(nodes_.begin(), nodes_.end());
      const Node node = nodes_.back();
      nodes_.pop_back();
      if (points_.size() >= need && points_[need - 1].index < node.smallest) break;
      if (node.plane > 0)
        push_children(box, node.plane - 1, node.index);
      else
        add_block(box, node.index);
    }
    if (points_.size() > need) points_.resize(need);
  }

  /// The first `need` of these at distance 0 of a point, to `index`; how many there are.
  std::size_t first(const T* point, std::size_t need, std::uint32_t* index) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < points_.size() && count < need; ++i)
      if (metric_.distance2(point, points_[i].x) == 0) index[count++] = points_[i].index;
    return count;
  }

 private:
  struct Node {
    std::uint32_t smallest, index;
    int plane;
    friend bool operator<(const Node& a, const Node& b) { return b.smallest < a.smallest; }
  };

  void push_children(const Bounds<D, T>& box, int plane, std::size_t parent) {
    const PlaneView<T>& at = tree_.plane(plane);
    const std::size_t end = std::min(at.nodes, (parent + 1) * kLanes);
    for (std::size_t node = parent * kLanes; node < end; ++node) {
      if (metric_.lower2(box, tree_.box(plane, node, metric_.axes)) > 0) continue;
      nodes_.push_back({at.smallest[node], static_cast<std::uint32_t>(node), plane});
      std::push_heap(nodes_.begin(), nodes_.end());
    }
  }

  void add_block(const Bounds<D, T>& box, std::size_t block) {
    const T* from = tree_.block(block, metric_.axes);
    for (std::size_t lane = 0; lane < tree_.points_of_block(block); ++lane) {
      Point point{indices_of(from, metric_.axes)[lane], {}};
      load_lane(from, lane, metric_.axes, point.x);
      auto at = Bounds<D, T>::empty();
      at.add(point.x, metric_.axes);
      if (metric_.lower2(box, at) > 0) continue;
      points_.insert(std::upper_bound(points_.begin(), points_.end(), point), point);
    }
  }

  const PlanesView<T>& tree_;
  Metric<D, T> metric_;
  std::vector<Node> nodes_;
  std::vector<Point> points_;  ///< by index
};

}  // namespace kith
