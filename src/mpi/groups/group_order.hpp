// Groups of all ranks by falling size, those of equal size by their lowest member: a sample sort.
// Afterwards each rank has the rows of a run of labels: those of the groups whose first member is
// on it when members are distributed evenly in the order of their groups.
#pragma once

#include <cstdint>
#include <vector>

#include "groups/group_key.hpp"
#include "mpi/groups/group_cuts.hpp"
#include "mpi/transport/call.hpp"

namespace kith::mpi {

struct GroupRows {
  GroupCuts cuts;
  std::vector<GroupKey> rows;  ///< of this rank
};

/// Sends rows, which ascend by label over the ranks, to those of the first members. Collective.
std::vector<GroupKey> dealt_rows(Call& call, const std::vector<GroupKey>& rows,
                                 std::uint64_t first_label, const GroupCuts& cuts);

/// Sets label[i] of key i; the keys of all ranks are different. Collective.
GroupRows order_groups(Call& call, const std::vector<GroupKey>& keys,
                       std::vector<std::int64_t>& label);

}  // namespace kith::mpi
