// Rows of catalogues over ranks.
#pragma once

#include "groups/append_rows.hpp"
#include "mpi/groups/group_columns.hpp"

namespace kith::mpi {

/// All rows of this rank; options without columns, a peak for each row or none. Collective.
Catalogue catalogue_rows(Call& call, const GroupColumns& columns, const GroupCuts& cuts,
                         const CatalogueOptions& options);

}  // namespace kith::mpi
