// The edges of a task's node that are certainly in the spanning tree, found in cache.
//
// Take the edges of a spanning forest inside a range of positions in their order. The two sets that
// an edge joins are connected by earlier edges, and no earlier edge inside the range leaves either.
// If no edge that leaves the range, known or not, can come before it for one of the two sets, it is
// the first edge that leaves that set: it is in the tree, whether or not the edges that made the
// set are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kith {

/// Keeps its memory for the next range.
template <class T>
class LocalForest {
 public:
  /// Before anything else of a range: bound(i) is a weight below which all edges that leave the
  /// range at its i-th point are known not to be.
  template <class BoundOf>
  void start(std::uint32_t begin, std::uint32_t size, BoundOf bound_of) {
    begin_ = begin;
    set_.resize(size);
    component_.resize(size);
    bound_.resize(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      set_[i] = component_[i] = i;
      bound_[i] = bound_of(i);
    }
  }

  /// The next edge of the forest, in their order: is it certainly in the tree?
  bool add(T weight, std::uint32_t from, std::uint32_t to) {
    const std::uint32_t p = find(set_, from - begin_), q = find(set_, to - begin_);
    const bool is_certain = weight < std::max(bound_[p], bound_[q]);
    const std::uint32_t low = std::min(p, q), high = std::max(p, q);
    set_[high] = low;
    bound_[low] = std::min(bound_[p], bound_[q]);
    if (is_certain) unite(find(component_, from - begin_), find(component_, to - begin_));
    return is_certain;
  }

  /// The first position of the component that certain edges have put this point into.
  std::uint32_t component(std::uint32_t i) { return begin_ + find(component_, i); }

 private:
  void unite(std::uint32_t p, std::uint32_t q) { component_[std::max(p, q)] = std::min(p, q); }
  static std::uint32_t find(std::vector<std::uint32_t>& parent, std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  }

  std::uint32_t begin_ = 0;
  std::vector<std::uint32_t> set_;        // joined by all edges of the forest so far
  std::vector<std::uint32_t> component_;  // joined by the certain ones
  std::vector<T> bound_;                  // of sets
};

}  // namespace kith
