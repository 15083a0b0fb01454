// Halos over MPI ranks: groups of several types of points, centers, spheres of a given density,
// subhalos.
#pragma once

#include <kith/centers.hpp>
#include <kith/halos.hpp>
#include <kith/mpi/groups.hpp>

namespace kith::mpi {

/// Friends of friends for points of several types: the labels of kith::fof. Each rank passes its
/// part of every type, in the same order of types; a part may be empty. Points are numbered type
/// after type, in each type rank after rank. Labels are those of this rank's points, type after
/// type; sizes and lowest members count linked points alone. The groups keep the domains of the
/// linked points. Errors: as kith::fof; keep_roots is not available.
KITH_API Groups fof(MPI_Comm comm, std::span<const TypedPoints> types, const FofOptions& options,
                    const Execution& execution = {});

/// The catalogue of groups of several types; the points of this rank type after type.
KITH_API Catalogue catalogue(PointsView points, const Groups& groups,
                             const CatalogueOptions& options = {}, const Execution& execution = {});

/// As kith::centers, bit for bit: one position for each row of this rank. Points, masses and types:
/// one for each label of this rank. For CenterKind::potential, the members of each group must fit
/// on one rank; for the others, a group may lie on many.
KITH_API std::vector<double> centers(const Domains& domains, PointsView points,
                                     const Groups& groups, const CenterOptions& options = {},
                                     const Execution& execution = {});
/// The same for groups of several types.
KITH_API std::vector<double> centers(PointsView points, const Groups& groups,
                                     const CenterOptions& options = {},
                                     const Execution& execution = {});

/// As kith::overdensities, bit for bit, among the points of all ranks. Each rank passes some
/// centers, or none, and gets their rows; masses are those of the points that this rank gave.
KITH_API Overdensities overdensities(const Domains& domains, std::span<const double> centers,
                                     const OverdensityOptions& options,
                                     const Execution& execution = {});

/// Subhalos that begin on this rank.
struct Subhalos {
  std::vector<std::int64_t> parent;  ///< the label of each one's halo
  std::vector<std::int64_t> index;   ///< global indices of the members, subhalo after subhalo
  /// Where each subhalo begins, and the end, as in Members: the first members may belong to a
  /// subhalo that began on a rank before, and the last subhalo may continue on the next one.
  std::vector<std::size_t> offset;
  Catalogue catalogue;  ///< `lowest` has global indices

  // Of subfind; empty for phase_fof.
  std::vector<std::int64_t> host;        ///< a row of all ranks; -1: none
  std::vector<std::int64_t> most_bound;  ///< a global index
  std::vector<double> peak;              ///< where it is, inside the box
  std::vector<std::int64_t> by_binding;  ///< as `index`, but the most bound one first
};

/// As kith::subhalos, bit for bit; one rank after the other makes the rows of one process. Points,
/// velocities and masses: one for each label of this rank. A halo and a subhalo may lie on many
/// ranks.
///
/// subfind, phase: a halo on several ranks is gathered on the rank that owns it, which needs up to
/// 380 bytes per member and has its subhalos. Thermal energies are not available.
KITH_API Subhalos subhalos(const Domains& domains, PointsView points, const Groups& groups,
                           const SubhaloOptions& options, const Execution& execution = {});
/// The same for groups of several types.
KITH_API Subhalos subhalos(PointsView points, const Groups& groups, const SubhaloOptions& options,
                           const Execution& execution = {});

}  // namespace kith::mpi
