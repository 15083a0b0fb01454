// Members of all groups in the order of (label, global index), cut into one part for each rank. A
// group may lie on many ranks. Cuts inside a group are at multiples of the block of the catalogue's
// sums, so that every block is on one rank; groups of at most one block are not cut.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mpi/transport/call.hpp"

namespace kith::mpi {

/// A rank's part begins behind `before` members of group `label`.
struct GroupCut {
  std::uint64_t label = 0, before = 0;

  bool is_inside() const { return before > 0; }  ///< of the group
};

struct GroupCuts {
  std::vector<GroupCut> cut;  ///< of each rank, and the end

  const GroupCut& of(int rank) const { return cut[static_cast<std::size_t>(rank)]; }
  /// The first label of which this rank has the first member.
  std::uint64_t first_row(int rank) const {
    return of(rank).label + (of(rank).is_inside() ? 1 : 0);
  }
  /// The rank of the first member of a group, which has its row.
  int owner(std::uint64_t label) const;
  /// The last rank with members of a group that this one owns.
  int last(std::uint64_t label) const;
  bool is_split(std::uint64_t label) const { return owner(label) != last(label); }
  bool any_split() const;
};

/// `sizes`: of a run of groups on each rank, by label over the ranks. `wanted`: the number of
/// members on the ranks before each one, ascending; parts come as close to it as blocks allow.
/// Collective.
GroupCuts cut_groups(Call& call, std::span<const std::uint64_t> sizes,
                     std::span<const std::uint64_t> wanted);
/// The same with equally many members on all ranks.
GroupCuts cut_groups_evenly(Call& call, std::span<const std::uint64_t> sizes);

}  // namespace kith::mpi
