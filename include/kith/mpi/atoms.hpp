// Atoms in periodic cells of any shape over MPI ranks: neighbor lists, groups, nearest neighbors
// and counts, with the bits of one process.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <vector>

#include <kith/cells.hpp>
#include <kith/mpi/groups.hpp>
#include <kith/neighbor_list.hpp>

namespace kith::mpi {

/// The pairs (i, j, S) of kith::neighbor_list whose i is an atom of this rank. Each rank passes
/// some atoms of one system, maybe none; the lattice is the same on all ranks. Atoms are numbered
/// rank by rank, and the lists of all ranks, one after the other, are that of one process.
///
/// Atoms are distributed over the ranks by their places in the cell, those around a rank are
/// imported, and rows are sent back. Errors: as kith::neighbor_list.
KITH_API NeighborList<std::int64_t> neighbor_list(MPI_Comm comm, const AtomSystem& system,
                                                  const NeighborListOptions& options,
                                                  const Execution& execution = {});

}  // namespace kith::mpi

/// The calls of kith::cells, for the atoms of all ranks.
namespace kith::mpi::cells {

using kith::cells::CountOptions;
using kith::cells::FofOptions;
using kith::cells::KnnOptions;
using kith::cells::Neighbors;

/// As kith::cells::fof; `linking_lengths` are those of the atoms of this rank.
KITH_API Groups fof(MPI_Comm comm, const AtomSystem& system, const FofOptions& options,
                    const Execution& execution = {});
/// Of each atom of this rank.
KITH_API std::vector<std::int64_t> radius_count(MPI_Comm comm, const AtomSystem& system,
                                                const CountOptions& options,
                                                const Execution& execution = {});
/// The rows of the atoms of this rank. Cost: searches with growing cutoffs, for which atoms around
/// each rank are imported anew.
KITH_API Neighbors knn(MPI_Comm comm, const AtomSystem& system, const KnnOptions& options,
                       const Execution& execution = {});

}  // namespace kith::mpi::cells
