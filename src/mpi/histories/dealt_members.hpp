// The members of the objects of all ranks. Members with one ID are on one rank, wherever they came
// from; the weights of an object are added on the rank object % ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "histories/divided_members.hpp"
#include "mpi/transport/call.hpp"

namespace kith::mpi {

struct DealtMembers {
  std::size_t objects = 0;        ///< of all ranks
  histories::MembersOfPart here;  ///< by their IDs
  /// Own object k is number k * ranks + rank; its members have the places
  /// [offset[k], offset[k + 1]) in order of binding. Only `offset` is set.
  histories::SortedMembers own;
};

/// Deals the members of a set, in which those of an object come in order of binding, one rank after
/// the other. Collective. Errors: those of kith::match.
DealtMembers deal_members(Call& call, const LabeledIds& set, const histories::SetName& name);

/// The matches of all objects of `from` with those of `to`, on every rank. Collective.
Matches matches_of(Call& call, const DealtMembers& from, const DealtMembers& to,
                   const MatchOptions& options);

}  // namespace kith::mpi
