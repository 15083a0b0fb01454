// The interface for libraries above to span parts of a point set: the core's own functions,
// exported as in neighbors/parts.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <kith/spanning_tree.hpp>

#include "base/array.hpp"
#include "base/shared.hpp"
#include "parallel/workers.hpp"
#include "tree/planes.hpp"

namespace kith {

/// An edge by the numbers of its points, low < high. Its weight is the squared length.
template <class T>
struct IndexEdge {
  T weight;
  std::uint32_t low, high;
};

/// The order of all edges.
template <class T>
bool comes_before(const IndexEdge<T>& a, const IndexEdge<T>& b) {
  if (a.weight != b.weight) return a.weight < b.weight;
  return a.low != b.low ? a.low < b.low : a.high < b.high;
}

/// Throws Error for wrong options, except weights.
KITH_SHARED void check_spanning_options(const SpanningTreeOptions& options);

template <class T>
struct KITH_SHARED SpanningParts {
  using Edges = Array<IndexEdge<T>>;

  /// The edges of the spanning tree of the points of some planes, by their indices, in no order.
  /// `view`: the same points under packed planes. `core2` as in minimum_spanning_tree.
  static Edges edges(const Planes<T>& planes, const PlanesView<T>& view, const T* side,
                     const Array<T>& core2, Workers& workers);
  /// The same, if edges of the tree have joined points already: `joined` has the position of a root
  /// for each position. Those edges are left out.
  static Edges open_edges(const PlanesView<T>& view, const T* side, const Array<T>& core2,
                          const Array<std::uint32_t>& joined, Workers& workers);
  /// The same edges in their order.
  static Edges sorted(const Edges& edges, const Workers& workers);
  /// Puts edges into a spanning tree, in their order.
  static void deliver(const Edges& edges, SpanningTree::Impl& out, Workers& workers);
};

}  // namespace kith
