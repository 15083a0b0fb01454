// Gradients over MPI ranks: the products of kith/gradients.hpp for points and groups of all ranks,
// with the bits of one process.
#pragma once

#include <mpi.h>
#include <vector>

#include <kith/gradients.hpp>
#include <kith/mpi/groups.hpp>

namespace kith::mpi {

// Lists of neighbors. Each rank passes its points, its queries if there are any, and the lists of
// its rows, as kith::mpi::knn returns them: rows of k global indices of int64, which number the
// points of all ranks, rank after rank. Lists of different lengths are not available. The results
// are those for the points and rows of this rank. Points of other ranks in the lists are imported,
// and contributions travel to the rank of their point, where they are added in the order of all
// rows. Memory grows with the pairs and with the contributions that travel. Errors: as in one
// process, on all ranks.

/// Outputs: null on all ranks or on none where there are points.
template <Coordinate T>
KITH_API void distances_vjp(MPI_Comm comm, const PairsOf& pairs, const T* cotangent,
                            PairGradient<T> out, const Execution& execution = {});
template <Coordinate T>
KITH_API void distances_jvp(MPI_Comm comm, const PairsOf& pairs, PairTangent<T> tangent, T* out,
                            const Execution& execution = {});

/// Masses, here and for the tangents: on all ranks that have points or on none.
template <Coordinate T>
KITH_API void list_density_vjp(MPI_Comm comm, const PairsOf& pairs,
                               const ListDensityOptions& options, const double* cotangent,
                               DensityGradient<T> out, const Execution& execution = {});
template <Coordinate T>
KITH_API std::vector<double> list_density_jvp(MPI_Comm comm, const PairsOf& pairs,
                                              const ListDensityOptions& options, const T* points,
                                              const double* mass, const Execution& execution = {});

// Halo fields, frozen membership. Points, masses, velocities, tangents and gradients: a row for
// each label of this rank; null on all ranks or on none where there are labels. Cotangents and
// fields: for the groups of this rank, as the rows of its catalogue. A group on several ranks is
// gathered on the rank that owns it.

KITH_API void halos_vjp(const Domains& domains, PointsView points, const Groups& groups,
                        const HaloOptions& options, const GroupValues& cotangent,
                        MemberGradient out, const Execution& execution = {});
KITH_API GroupValues halos_jvp(const Domains& domains, PointsView points, const Groups& groups,
                               const HaloOptions& options, const MemberTangent& tangent,
                               const Execution& execution = {});

}  // namespace kith::mpi
