// From linked sets of slabs to numbered groups and labels in the order of the input.
#pragma once

#include "slabs/groups_impl.hpp"
#include "slabs/link.hpp"

namespace kith::slabs {

/// Sets sizes, lowest members and labels of the groups. The sets are used up.
template <class T>
void name_groups(const SlabStore<T>& store, SlabSets sets, std::size_t min_size,
                 const Budget& budget, Workers& workers, StoredGroups::Impl& out);

}  // namespace kith::slabs
