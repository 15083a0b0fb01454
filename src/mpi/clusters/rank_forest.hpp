// The part of a spanning tree that is still open, held alike by every rank: components of points
// that certain edges have joined, and the edges between them that are known.
//
// A component's bound is a weight below which all edges that leave it are known, or known not to be
// in the tree. Edges are gone through in their order, as in clusters/local_forest.hpp: the two sets
// that an edge joins are connected by earlier edges, and no earlier edge that is known leaves
// either. So an edge is in the tree if it is lighter than the bound of one of its sets. After a
// round of questions it is also in the tree if it is the first known of a component that has asked:
// then no edge that is not known comes before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/checked_sort.hpp"
#include "clusters/spanning_parts.hpp"
#include "parallel/pieces.hpp"
#include "parallel/workers.hpp"

namespace kith::mpi {

/// An edge of points by their numbers among all, between the components a and b.
template <class T>
struct OpenEdge {
  IndexEdge<T> edge;
  std::uint32_t a, b;

  friend bool operator<(const OpenEdge& x, const OpenEdge& y) {
    return comes_before(x.edge, y.edge);
  }
};

template <class T>
struct OpenComponent {
  T bound;
  std::uint32_t points;
};

template <class T>
class RankForest {
 public:
  using Index = std::uint32_t;
  using Edges = std::span<const OpenEdge<T>>;

  /// Components are named by their places here from now on; `first`: that of the first one of each
  /// rank.
  void start(std::span<const OpenComponent<T>> components, Edges edges, std::vector<Index> first,
             const Workers& workers) {
    first_ = std::move(first);
    count_ = components.size();
    root_.resize(count_);
    std::iota(root_.begin(), root_.end(), Index{0});
    for (const OpenComponent<T>& component : components) {
      bound_.push_back(component.bound);
      points_.push_back(component.points);
    }
    for (std::size_t rank = 0; rank < first_.size(); ++rank)
      owner_.resize(rank + 1 < first_.size() ? first_[rank + 1] : count_, static_cast<Index>(rank));
    has_asked_.assign(count_, 0);
    contract(edges, workers);
  }

  /// Takes all edges that are certain, once the components that had to ask have found more.
  void contract(Edges more, const Workers& workers) {
    merge(more, workers);
    set_ = root_;
    set_bound_ = bound_;
    std::vector<OpenEdge<T>> open;
    for_each_in_order(workers, edges_.size(), [&](std::size_t i) {
      if (stays_open(edges_[i])) open.push_back(edges_[i]);
    });
    edges_ = std::move(open);
    for (std::size_t i = 0; i < root_.size(); ++i) root_[i] = find(root_, static_cast<Index>(i));
    plan_questions();
  }

  bool is_whole() const { return count_ <= 1; }
  std::size_t components() const { return count_; }
  std::size_t components_at_start() const { return root_.size(); }
  /// The component that has this one of the start.
  Index now(Index component) const { return root_[component]; }
  /// The lightest edge known that leaves a component of now, infinite without one: it asks for
  /// points of other ranks that far. -1: it does not ask.
  T reach(Index component) const { return has_asked_[component] ? reach_[component] : T(-1); }
  T longest_reach() const { return longest_; }

  /// Whether all points of a component of now are on one rank.
  bool is_on_one_rank(Index component) const { return owner_[component] != kMany; }
  /// A component that no edge is known to leave has all points of its ranks, since those of a rank
  /// are connected. Whether it has those of this rank, which has some.
  bool has_rank(Index component, std::size_t rank) const {
    return root_[first_[rank]] == component;
  }

  std::vector<IndexEdge<T>>& taken() { return taken_; }

 private:
  static Index find(std::vector<Index>& parent, Index i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  }
  static Index join(std::vector<Index>& parent, Index a, Index b) {
    return parent[std::max(a, b)] = std::min(a, b);
  }

  void merge(Edges more, const Workers& workers) {
    const auto old = static_cast<std::ptrdiff_t>(edges_.size());
    edges_.insert(edges_.end(), more.begin(), more.end());
    checked_sort(edges_.begin() + old, edges_.end(), [&] { workers.check_cancelled(); });
    std::inplace_merge(edges_.begin(), edges_.begin() + old, edges_.end());
  }

  /// The next edge in order: takes it, drops it, or leaves it for later.
  bool stays_open(const OpenEdge<T>& open) {
    const Index p = find(set_, open.a), q = find(set_, open.b);
    if (p == q) return false;
    const bool is_certain = open.edge.weight < std::max(set_bound_[p], set_bound_[q]) ||
                            has_asked_[p] != 0 || has_asked_[q] != 0;
    for (const Index side : {p, q}) {
      // Others of its edges come later.
      if (has_asked_[side] != 0)
        bound_[side] = set_bound_[side] = std::max(set_bound_[side], open.edge.weight);
      has_asked_[side] = 0;
    }
    const T bound = std::min(set_bound_[p], set_bound_[q]);
    set_bound_[join(set_, p, q)] = bound;
    if (is_certain) take(open);
    return !is_certain;
  }
  void take(const OpenEdge<T>& open) {
    const Index p = find(root_, open.a), q = find(root_, open.b);
    const std::uint64_t points = points_[p] + points_[q];
    const T bound = std::min(bound_[p], bound_[q]);
    const Index owner = owner_[p] == owner_[q] ? owner_[p] : kMany;
    const Index root = join(root_, p, q);
    owner_[root] = owner;
    points_[root] = points;
    bound_[root] = bound;
    taken_.push_back(open.edge);
    --count_;
  }

  /// All components ask but the largest: for each of the others its first edge will be known.
  void plan_questions() {
    reach_.assign(root_.size(), std::numeric_limits<T>::infinity());
    for (const OpenEdge<T>& open : edges_)
      for (const Index side : {root_[open.a], root_[open.b]})
        reach_[side] = std::min(reach_[side], open.edge.weight);
    std::size_t largest = root_.size();
    longest_ = -1;
    for (std::size_t i = 0; i < root_.size(); ++i) {
      has_asked_[i] = root_[i] == i ? 1 : 0;
      if (root_[i] == i && (largest == root_.size() || points_[i] > points_[largest])) largest = i;
    }
    if (largest < root_.size()) has_asked_[largest] = 0;
    for (std::size_t i = 0; i < root_.size(); ++i)
      if (has_asked_[i] != 0) longest_ = std::max(longest_, reach_[i]);
  }

  static constexpr Index kMany = 0xffffffff;

  std::vector<Index> first_;  // per rank
  std::size_t count_ = 0;     // components of now
  std::vector<Index> root_;   // per component of the start: that of now
  // Per component of now:
  std::vector<T> bound_;
  std::vector<Index> owner_;  // the only rank with points of it, or kMany
  std::vector<std::uint64_t> points_;
  std::vector<std::uint8_t> has_asked_;  // its first edge is known in the next pass
  std::vector<T> reach_;
  T longest_ = -1;
  std::vector<Index> set_;  // during a pass: joined by all edges so far
  std::vector<T> set_bound_;
  std::vector<OpenEdge<T>> edges_;  // ascending
  std::vector<IndexEdge<T>> taken_;
};

}  // namespace kith::mpi
