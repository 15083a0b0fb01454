// A halo parted in phase space, level by level (Behroozi et al. 2013): at each level a set of
// members is linked with the length at which most of them have a friend, and the groups are the
// sets of the next level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kith/execution.hpp>

#include "parallel/workers.hpp"

namespace kith {

/// Positions and velocities of the members of a halo: rows of d numbers each.
struct PhaseRows {
  std::size_t d = 0;
  std::span<const double> x, v;
};

/// Members that are linked, ascending, and the sets inside them, which follow each other.
struct PhaseSet {
  std::vector<std::uint32_t> members;
  std::size_t first = 0, count = 0;  ///< of the sets inside; count 0: a leaf
};

/// A set takes the length that leaves at most 3 of 10 members without a friend.
constexpr std::size_t linked_members(std::size_t members) { return (7 * members + 9) / 10; }

/// All sets, the whole halo first; those inside another follow it, the largest first, ties by
/// lowest member.
std::vector<PhaseSet> phase_sets(const PhaseRows& rows, std::size_t min_size,
                                 const Workers& workers, const Execution& execution);

}  // namespace kith
