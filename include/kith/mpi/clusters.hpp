// Density-based clusters over MPI ranks: DBSCAN, spanning trees, hierarchies and HDBSCAN*.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <vector>

#include <kith/clusters.hpp>
#include <kith/hdbscan.hpp>
#include <kith/hierarchy.hpp>
#include <kith/mpi/groups.hpp>
#include <kith/spanning_tree.hpp>

namespace kith::mpi {

/// Clusters of the points of all ranks.
struct Clusters {
  Groups groups;                      ///< their labels, sizes and lowest members
  std::vector<std::uint8_t> is_core;  ///< 1 for core points, in the order of the labels
};

/// As kith::dbscan, label by label. Weights: one for each point that this rank gave, on all ranks
/// or on none. The box and what to do with points that are not finite are those of the domains.
///
/// Points near other ranks are searched among the points of all ranks within eps. Memory beyond
/// the domains: 40 bytes per point, and the trees of core points and of points near edges.
/// Errors: as kith::dbscan.
KITH_API Clusters dbscan(const Domains& domains, const DbscanOptions& options,
                         RowOrder order = RowOrder::input, const Execution& execution = {});
/// In one call, for points that are not needed again.
KITH_API Clusters dbscan(MPI_Comm comm, PointsView points, const DbscanOptions& options,
                         const Execution& execution = {});

/// As kith::spanning_tree, edge by edge: the tree of the points of all ranks, numbered rank by rank
/// in the order of the input from 0 on. Every rank gets all of its edges. Weights: one for each
/// point that this rank gave, on all ranks or on none.
///
/// Each rank spans its own points; an edge is certain if no edge to another rank can come before
/// it. For the rest, points of other ranks come here, as far as needed, in rounds that at least
/// halve the number of components. Memory beyond the domains: as kith::spanning_tree for the points
/// of this rank, and the edges of all, 12 bytes each (16 in double precision), more than twice
/// while they are sorted. Errors: as kith::spanning_tree; invalid_argument for domains with ids;
/// too_large for more than 4,294,967,280 points on all ranks together.
KITH_API SpanningTree spanning_tree(const Domains& domains, const SpanningTreeOptions& options = {},
                                    const Execution& execution = {});
KITH_API SpanningTree spanning_tree(MPI_Comm comm, PointsView points,
                                    const SpanningTreeOptions& options = {},
                                    const Execution& execution = {});

/// As kith::hierarchy, merge by merge, of the points of all ranks, which are numbered as in their
/// spanning tree; every rank gets all of it, and its calls are not collective. Cost beyond the
/// spanning tree: as kith::hierarchy, on every rank. Errors: those of both.
KITH_API Hierarchy hierarchy(const Domains& domains, const SpanningTreeOptions& options = {},
                             const Execution& execution = {});
KITH_API Hierarchy hierarchy(MPI_Comm comm, PointsView points,
                             const SpanningTreeOptions& options = {},
                             const Execution& execution = {});

/// As kith::hdbscan, number by number: labels, probabilities and outlier scores are those of the
/// points that this rank gave, or that it has (RowOrder::tree). `selected` and `stability` are the
/// same on every rank; the condensed tree is on rank 0, and empty on the others.
///
/// Rank 0 gets the edges of the spanning tree, and makes and condenses the hierarchy alone: it
/// needs the memory of kith::condense for the points of all ranks. Errors: as kith::hdbscan, and
/// those of the spanning tree.
KITH_API HdbscanClusters hdbscan(const Domains& domains, const HdbscanOptions& options = {},
                                 RowOrder order = RowOrder::input, const Execution& execution = {});
KITH_API HdbscanClusters hdbscan(MPI_Comm comm, PointsView points,
                                 const HdbscanOptions& options = {},
                                 const Execution& execution = {});

}  // namespace kith::mpi
