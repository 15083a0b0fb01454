// The spanning tree over ranks, inside.
//
// 1. Core distances, among the points of all ranks.
// 2. Each rank spans its own points. Of all edges inside a rank, only those of its tree can be in
//    that of all points: any other is the last of a cycle.
// 3. An edge to another rank is at least as long as the way to the nearest box of one. Shorter
//    edges of a rank's tree are certain (clusters/local_forest.hpp): nearly all edges. They make
//    components; all ranks learn these, and the edges that are open.
// 4. In each round the components ask as far as the lightest edge that is known to leave them: the
//    points of all ranks within reach come to the rank of each point, which spans them together
//    with the core's code, and reports the edges to other ranks. Then the first edge of every
//    component that has asked is known (rank_forest.hpp), and at most half of the components are
//    left. The largest component never asks.
//
// The edges form a total order, so the tree is unique, and every choice above gives the same one.
#pragma once

#include <memory>

#include <kith/spanning_tree.hpp>

#include "mpi/domains/domain.hpp"

namespace kith::mpi {

/// Which ranks get the whole tree.
enum class TreeOn { first_rank, all_ranks };

/// The options that all ranks must pass alike, and their checks. Collective.
void agree_on_spanning(Call& call, const Domains& domains, const SpanningTreeOptions& options);

/// The spanning tree of the points of all ranks, numbered rank by rank in the order of the input;
/// null on ranks that do not get it. Collective.
std::shared_ptr<const SpanningTree::Impl> span_ranks(Call& call, const Domains::Impl& domains,
                                                     const SpanningTreeOptions& options, TreeOn on);

}  // namespace kith::mpi
