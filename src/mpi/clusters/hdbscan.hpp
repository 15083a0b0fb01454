// HDBSCAN* over ranks, inside: for lengths that are distances or functions of them.
#pragma once

#include <kith/mpi/clusters.hpp>

#include "base/function_ref.hpp"

namespace kith::mpi {

/// `measured` turns the spanning tree, on rank 0, into one with other lengths in the same order.
/// Collective.
HdbscanClusters cluster_tree(const Domains& domains, const HdbscanOptions& options, RowOrder order,
                             const Execution& execution,
                             FunctionRef<SpanningTree(const SpanningTree&)> measured);

}  // namespace kith::mpi
