// Groups in redshift space over ranks, for callers that have the domains already.
#pragma once

#include <kith/mpi.hpp>

namespace kith::mpi {

/// `domains`: of `points`, which are those of this rank. Without lengths (null), that of the
/// options is for all. Collective.
Groups redshift_groups(const Domains& domains, PointsView points, const LinkingLengths* lengths,
                       const FofOptions& options, const RedshiftSpace& space,
                       const Execution& execution);

}  // namespace kith::mpi
