// The deepest members of groups that lie on several ranks.
#pragma once

#include "mpi/split_members.hpp"

namespace kith::mpi {

/// Its place about the first member, for the group that this rank owns; empty on other ranks.
/// Collective.
std::vector<double> split_deepest(Call& call, const SplitMembers& members);

}  // namespace kith::mpi
