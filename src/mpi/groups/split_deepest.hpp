// The deepest members of groups that lie on several ranks.
#pragma once

#include "mpi/groups/rank_team.hpp"

namespace kith::mpi {

/// Its place about the first member, for the group that this rank owns; empty on other ranks.
/// Collective.
std::vector<double> split_deepest(Call& call, RankTeam& team, double softening);

}  // namespace kith::mpi
