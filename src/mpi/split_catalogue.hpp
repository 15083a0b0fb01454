// Rows of the catalogue for groups that lie on several ranks: each rank sums its blocks of members,
// and the owner adds them up in order, as one process does.
#pragma once

#include "mpi/group_columns.hpp"
#include "mpi/split_groups.hpp"

namespace kith::mpi {

/// The row of the group that this rank owns, or none. `options`: with the columns of the members
/// here; a peak is that of the group. Collective.
Catalogue split_rows(Call& call, const GroupColumns& columns, const SplitGroups& split,
                     const CatalogueOptions& options);

/// All rows of this rank; options without columns, a peak for each row or none. Collective.
Catalogue catalogue_rows(Call& call, const GroupColumns& columns, const GroupCuts& cuts,
                         const CatalogueOptions& options);

}  // namespace kith::mpi
