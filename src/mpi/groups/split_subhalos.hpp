// Subhalos of halos that lie on several ranks.
#pragma once

#include <kith/mpi.hpp>

#include "mpi/groups/group_columns.hpp"

namespace kith::mpi {

/// Subhalos of all split halos, in the order of (halo, subhalo), over the ranks of the halos. Their
/// members begin with those of a subhalo that began on a rank before. `behind`: this many of the
/// subhalos belong to halos of other ranks; the others to the halo that this rank owns.
struct SplitSubhalos {
  GroupCuts cuts;
  std::vector<std::int64_t> parent;  ///< labels of halos
  std::optional<GroupColumns> columns;
  std::size_t behind = 0;
};

/// `options`: with the box of the domains. Collective.
SplitSubhalos split_subhalos(Call& call, const GroupColumns& columns, const SplitGroups& split,
                             const SubhaloOptions& options, const Execution& execution);

}  // namespace kith::mpi
