// The neighbor list of some atoms of a system, for those who have rows of their own and atoms
// around them.
#pragma once

#include <cstdint>
#include <span>

#include <kith/neighbor_list.hpp>

#include "base/shared.hpp"

namespace kith {

/// The pairs (i, j, S) with wanted[i] != 0.
KITH_SHARED NeighborList<std::int64_t> neighbor_list_of(const AtomSystem& system,
                                                        const NeighborListOptions& options,
                                                        std::span<const std::uint8_t> wanted,
                                                        const Execution& execution);

}  // namespace kith
