// The single-linkage dendrogram of the sorted edges of a spanning tree.
//
// Merge e of the dendrogram is edge e: its number is known before it is made, so parts of the tree
// can be done at once. The lighter half of the edges splits into components that are independent of
// each other: each is merged by one pass of a union-find, components concurrently. Then every
// component is a point and the heavier half is the same task again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/array.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// Nodes 0 ... points - 1 are points, node points + e is merge e.
struct Dendrogram {
  Array<std::uint32_t> child;  ///< two per merge, that of the edge's lower point first
  Array<std::uint32_t> size;   ///< per merge: its points
};

/// `index` has the two points of each edge. points + edges is less than 2^32.
Dendrogram make_dendrogram(const Array<std::uint32_t>& index, std::size_t points,
                           const Workers& workers);

}  // namespace kith
