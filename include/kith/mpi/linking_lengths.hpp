// Groups over MPI ranks with a linking length for each point, and in redshift space.
#pragma once

#include <mpi.h>

#include <kith/linking_lengths.hpp>
#include <kith/mpi/groups.hpp>
#include <kith/redshift_space.hpp>

namespace kith::mpi {

/// Friends of friends with a linking length for each point that this rank gave: the labels of
/// kith::fof with the lengths of all points. They are sent along with the points. Points near other
/// ranks import all points within the largest length that a pair may have: by LengthRule::least
/// their own, otherwise one that the largest length of all ranks decides. Errors: as kith::fof.
KITH_API Groups fof(const Domains& domains, const LinkingLengths& lengths,
                    const FofOptions& options, RowOrder order = RowOrder::input,
                    const Execution& execution = {});

/// In one call, for points that are not needed again; the box and what to do with points that are
/// not finite are those of the FofOptions.
KITH_API Groups fof(MPI_Comm comm, PointsView points, const LinkingLengths& lengths,
                    const FofOptions& options, const Execution& execution = {});

/// The labels of kith::redshift_fof, in the order of the input. Mean separations count the points
/// of all ranks. Errors: as kith::redshift_fof.
KITH_API Groups redshift_fof(MPI_Comm comm, PointsView points, const FofOptions& options,
                             const RedshiftSpace& space, const Execution& execution = {});
/// The same with a length across for each point of this rank.
KITH_API Groups redshift_fof(MPI_Comm comm, PointsView points, const LinkingLengths& lengths,
                             const FofOptions& options, const RedshiftSpace& space,
                             const Execution& execution = {});

}  // namespace kith::mpi
