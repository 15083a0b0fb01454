// The minimum spanning tree of the points of a packed tree.
//
// 1. A first join of the tree with itself lists all pairs that are lighter than a bound of either
//    block, its certificate: all edges of the block below it are known. The bound is a fraction of
//    the block's diagonal, so lists are short. Edges inside a task's node are thinned to their
//    spanning forest at once.
// 2. Edges of these forests that no other edge can come before are taken at once
// (local_forest.hpp).
// 3. Boruvka rounds. Edges inside a component are dropped and every component finds its lightest.
//    Where a block's certificate does not reach that weight, the tree is searched again, that far
//    and no farther, skipping nodes that are joined in one component; then every component takes
//    its lightest edge.
//
// The edges form a total order, so the tree is unique, and every choice above gives the same one.
#pragma once

#include "clusters/span.hpp"
#include "parallel/workers.hpp"
#include "tree/planes_view.hpp"

namespace kith {

/// The edges of the tree, in any order. `tree` is implicit; `core2` has the squared core distance
/// of every position (whole blocks, infinite in unused lanes), or is empty. `joined`: the position
/// of a root for each position, if edges of the tree have joined points already; those are left
/// out. Null: none have. Errors: too_large.
template <class T>
Array<Edge<T>> minimum_spanning_tree(const PlanesView<T>& tree, const T* side,
                                     const Array<T>& core2, Workers& workers,
                                     const std::uint32_t* joined = nullptr);

}  // namespace kith
