// Different points so close to each other that their squared distance is 0.
//
// All edges between them weigh 0, so the spanning tree takes them in the order of indices: those of
// the lowest point to all later ones that it is not connected with, then those of the next. Every
// point of a clump could ask all others; a node whose points are in one set already is asked once.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "clusters/span.hpp"
#include "geometry/distance.hpp"
#include "parallel/pieces.hpp"
#include "parallel/radix_sort.hpp"
#include "parallel/workers.hpp"

namespace kith {

template <class T>
class ZeroLengthEdges {
 public:
  using Index = std::uint32_t;
  using AnyMetric = Metric<kAnyDimension, T>;

  /// `tree` is implicit; `core2` as in minimum_spanning_tree.
  ZeroLengthEdges(const PlanesView<T>& tree, const AnyMetric& metric, const Array<T>& core2,
                  const Workers& workers)
      : tree_(tree), metric_(metric), core2_(core2), workers_(workers) {}

  /// Is there a whole block of such points? Fewer cost little without this class.
  bool has_full_block() const {
    std::atomic<bool> is_found = false;
    workers_.for_ranges(tree_.points / kLanes, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t block = begin; block < end; ++block)
        if (!(diagonal2(tree_.box(0, block, tree_.any_axes()), tree_.any_axes()) > 0))
          return is_found.store(true, std::memory_order_relaxed);
    });
    return is_found.load(std::memory_order_relaxed);
  }

  /// All edges of weight 0 that are in the tree. `component` has a root for each position, itself
  /// at first, and the root of its set in the end.
  std::vector<Edge<T>> join(Array<Index>& component) {
    component_ = component.data();
    set_up();
    std::vector<Edge<T>> edges;
    for_each_in_order(workers_, by_index_.size(), [&](std::size_t i) {
      const Index p = by_index_[i].index;
      if (is_light(p)) take_edges_of(p, edges);
    });
    for (std::size_t i = 0; i < tree_.points; ++i) component_[i] = find(static_cast<Index>(i));
    return edges;
  }

 private:
  static constexpr std::size_t kGrain = std::size_t{1} << 12;

  bool is_light(std::size_t position) const { return core2_.empty() || core2_[position] == 0; }

  /// Positions in the order of indices; which nodes have no point of a larger core distance.
  void set_up() {
    by_index_ = Array<KeyIndex>(tree_.points, workers_.pool());
    for (std::size_t i = 0; i < tree_.points; ++i)
      by_index_[i] = {tree_.index(i), static_cast<Index>(i)};
    sort_keys(workers_, by_index_.data(), by_index_.size());
    states_.resize(static_cast<std::size_t>(tree_.plane_count));
    for (int p = 0; p < tree_.plane_count; ++p) {
      std::vector<State>& states = states_[static_cast<std::size_t>(p)];
      states.assign(tree_.plane(p).nodes, State::light);
      for (std::size_t node = 0; node < states.size(); ++node) {
        const IndexRange below = tree_.children(p, node);
        for (std::size_t i = below.begin; i < below.end; ++i)
          if (p == 0 ? !is_light(i) : state(p - 1, i) == State::mixed) states[node] = State::mixed;
      }
    }
  }

  enum class State : std::uint8_t {
    mixed,   ///< some points have a larger core distance
    light,   ///< no point has
    joined,  ///< and all are in one set
  };
  State& state(int p, std::size_t node) { return states_[static_cast<std::size_t>(p)][node]; }

  Index find(Index i) {
    while (component_[i] != i) i = component_[i] = component_[component_[i]];
    return i;
  }

  void take_edges_of(Index p, std::vector<Edge<T>>& edges) {
    T x[kMaxDimension];
    tree_.load(p, tree_.any_axes(), x);
    found_.clear();
    joining_.clear();
    for (int axis = 0; axis < tree_.dimension; ++axis) box_.lo[axis] = box_.hi[axis] = x[axis];
    visit(p, x, tree_.top(), 0);
    // In the order of indices; only the first of each set is an edge of the tree.
    std::sort(found_.begin(), found_.end());
    for (const Index index : found_) {
      const Index q = position_of(index), a = find(p), b = find(q);
      if (a == b) continue;
      component_[std::max(a, b)] = std::min(a, b);
      edges.push_back({T(0), std::min(p, q), std::max(p, q)});
    }
    for (const auto& [plane, node] : joining_) state(plane, node) = State::joined;
  }

  Index position_of(Index index) const {
    const auto at =
        std::lower_bound(by_index_.begin(), by_index_.end(), index,
                         [](const KeyIndex& each, Index wanted) { return each.key < wanted; });
    return at->index;
  }

  /// Finds the points of a node at distance 0 from p that are in other sets.
  void visit(Index p, const T* x, int plane, std::size_t node) {
    const IndexRange points = tree_.points_of(plane, node);
    const bool is_joined = state(plane, node) == State::joined;
    if (is_joined && find(static_cast<Index>(points.begin)) == find(p)) return;
    const Bounds<kAnyDimension, T> box = tree_.box(plane, node, tree_.any_axes());
    if (metric_.lower2(box_, box) > 0) return;
    if (state(plane, node) != State::mixed && !(metric_.upper2(box_, box) > 0)) {
      if (is_joined) return found_.push_back(tree_.plane(plane).smallest[node]);
      for (std::size_t q = points.begin; q < points.end; ++q) note(p, q);
      joining_.emplace_back(plane, node);
      return;
    }
    if (plane > 0) {
      const IndexRange below = tree_.children(plane, node);
      for (std::size_t child = below.begin; child < below.end; ++child)
        visit(p, x, plane - 1, child);
      if (are_joined(plane - 1, below)) state(plane, node) = State::joined;
      return;
    }
    for (std::size_t q = points.begin; q < points.end; ++q) {
      T y[kMaxDimension];
      tree_.load(q, tree_.any_axes(), y);
      if (is_light(q) && metric_.distance2(x, y) == 0) note(p, q);
    }
  }
  /// Are the points of some nodes in one set?
  bool are_joined(int plane, const IndexRange& nodes) {
    const Index first = find(static_cast<Index>(tree_.points_of(plane, nodes.begin).begin));
    for (std::size_t node = nodes.begin; node < nodes.end; ++node)
      if (state(plane, node) != State::joined ||
          find(static_cast<Index>(tree_.points_of(plane, node).begin)) != first)
        return false;
    return true;
  }
  void note(Index p, std::size_t q) {
    if (find(static_cast<Index>(q)) != find(p)) found_.push_back(tree_.index(q));
  }

  const PlanesView<T>& tree_;
  const AnyMetric& metric_;
  const Array<T>& core2_;
  const Workers& workers_;
  Index* component_ = nullptr;
  Array<KeyIndex> by_index_;
  std::vector<std::vector<State>> states_;  // by plane
  Bounds<kAnyDimension, T> box_;            // of the point whose edges are listed
  std::vector<Index> found_;                // by index
  std::vector<std::pair<int, std::size_t>> joining_;
};

}  // namespace kith
