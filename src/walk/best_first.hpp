// The nearest points of one query, best first: nodes in the order of (lower bound, smallest index).
// It needs no guess and never opens a node that comes after the answer in that order: identical
// points are cheap, and so are points at infinite distance. One text for the kernels of any SIMD
// target and for norms without kernels, which differ in the query alone.
#pragma once

#include <algorithm>
#include <vector>

#include "tree/planes_view.hpp"
#include "walk/k_smallest.hpp"

namespace kith {

/// `Query` measures from a point:
///   void lower(plane, chunk, Key* bounds): lower bounds of the keys of 8 nodes;
///   void keys(block, Key* keys): the keys of 8 points.
template <class T, class Key>
class BestFirst {
 public:
  explicit BestFirst(const PlanesView<T>& tree) : tree_(tree) {}

  /// The first `need` points whose keys are at most `limit` (may be infinite), in order; valid
  /// until the next call. Leaves out the point with index `but`. `check` is called now and then and
  /// may throw.
  template <class Query, class Check>
  const std::vector<Candidate<Key>>& search(const Query& query, std::size_t need, Key limit,
                                            std::uint32_t but, Check check) {
    nodes_.clear();
    nearest_.reset(need, {limit, kNoIndex});
    if (need == 0) return nearest_.sorted();
    push_chunk(query, tree_.entry(), 0);
    for (std::size_t steps = 1; !nodes_.empty(); ++steps) {
      if (steps % kStepsPerCheck == 0) check();
      std::pop_heap(nodes_.begin(), nodes_.end());
      const Node node = nodes_.back();
      nodes_.pop_back();
      if (!nearest_.wants(node.begin)) break;
      if (node.plane > 0)
        push_chunk(query, node.plane - 1, node.index);
      else
        add_block(query, node.index, but);
    }
    return nearest_.sorted(check);
  }

 private:
  static constexpr std::size_t kStepsPerCheck = 1024;

  struct Node {
    Candidate<Key> begin;  ///< lower bound and smallest index
    std::uint32_t index;
    int plane;
    /// The heap's top is the nearest node.
    bool operator<(const Node& other) const { return other.begin < begin; }
  };

  template <class Query>
  void push_chunk(const Query& query, int plane, std::size_t chunk) {
    const PlaneView<T>& at = tree_.plane(plane);
    alignas(64) Key lower[kLanes];
    query.lower(plane, chunk, lower);
    const std::size_t first = chunk * kLanes, count = std::min(kLanes, at.nodes - first);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const Candidate<Key> begin{lower[lane], at.smallest[first + lane]};
      if (!nearest_.wants(begin)) continue;
      nodes_.push_back({begin, static_cast<std::uint32_t>(first + lane), plane});
      std::push_heap(nodes_.begin(), nodes_.end());
    }
  }

  template <class Query>
  void add_block(const Query& query, std::size_t block, std::uint32_t but) {
    const std::uint32_t* indices = indices_of(tree_.block(block), tree_.any_axes());
    alignas(64) Key keys[kLanes];
    query.keys(block, keys);
    const std::size_t count = tree_.points_of_block(block);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const Candidate<Key> candidate{keys[lane], indices[lane]};
      if (candidate.index != but && nearest_.wants(candidate)) nearest_.add(candidate);
    }
  }

  const PlanesView<T>& tree_;
  std::vector<Node> nodes_;
  KSmallest<Key> nearest_;
};

}  // namespace kith
