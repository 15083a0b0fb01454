// The sky over MPI ranks: the calls of <kith/sky.hpp> for positions that are distributed over
// ranks, with the same bits. Each rank passes its part of the positions, maybe none, and gets their
// rows; positions are numbered rank by rank. Unit and limits are the same on all ranks.
#pragma once

#include <mpi.h>

#include <kith/mpi/clusters.hpp>
#include <kith/mpi/domains.hpp>
#include <kith/mpi/groups.hpp>
#include <kith/sky.hpp>

namespace kith::mpi::sky {

using kith::sky::KnnOptions;
using kith::sky::kNoLimit;
using kith::sky::Matches;
using kith::sky::Positions;

/// The unit vectors over the ranks, for all calls of kith::mpi that take domains.
KITH_API Domains domains(MPI_Comm comm, const Positions& positions,
                         const Execution& execution = {});

/// As kith::sky::knn. `queries`: those of this rank, maybe none.
KITH_API Neighbors<double, std::int64_t> knn(MPI_Comm comm, const Positions& positions,
                                             const KnnOptions& options,
                                             const Execution& execution = {});
KITH_API Neighbors<double, std::int64_t> knn(MPI_Comm comm, const Positions& positions,
                                             const Positions& queries, const KnnOptions& options,
                                             const Execution& execution = {});

/// As kith::sky::match; each rank passes its part of both catalogues.
KITH_API Matches match(MPI_Comm comm, const Positions& positions, const Positions& others,
                       double max_angle = kNoLimit, const Execution& execution = {});

/// As kith::sky::radius.
KITH_API NeighborLists<double, std::int64_t> radius(MPI_Comm comm, const Positions& positions,
                                                    double angle, const Execution& execution = {});
KITH_API NeighborLists<double, std::int64_t> radius(MPI_Comm comm, const Positions& positions,
                                                    const Positions& queries, double angle,
                                                    const Execution& execution = {});

/// The pairs of kith::sky::pairs whose i is a position of this rank.
KITH_API Pairs<double, std::int64_t> pairs(MPI_Comm comm, const Positions& positions, double angle,
                                           const Execution& execution = {});

/// As kith::sky::fof; the linking length of the result is the chord.
KITH_API Groups fof(MPI_Comm comm, const Positions& positions, double angle,
                    std::size_t min_size = 1, const Execution& execution = {});

/// As kith::sky::dbscan.
KITH_API Clusters dbscan(MPI_Comm comm, const Positions& positions, const DbscanOptions& options,
                         const Execution& execution = {});

/// As kith::sky::spanning_tree; every rank gets the tree of all positions, see
/// kith::mpi::spanning_tree.
KITH_API SpanningTree spanning_tree(MPI_Comm comm, const Positions& positions,
                                    std::size_t core_k = 1, const Execution& execution = {});

/// As kith::sky::hdbscan; see kith::mpi::hdbscan. `domains`: those of the function domains.
KITH_API HdbscanClusters hdbscan(const Domains& domains, kith::sky::AngleUnit unit,
                                 const HdbscanOptions& options = {},
                                 RowOrder order = RowOrder::input, const Execution& execution = {});
KITH_API HdbscanClusters hdbscan(MPI_Comm comm, const Positions& positions,
                                 const HdbscanOptions& options = {},
                                 const Execution& execution = {});

}  // namespace kith::mpi::sky
