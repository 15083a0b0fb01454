// Checks of atoms and cutoffs, and the rule that they give: one text for all calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <kith/neighbor_list.hpp>

#include "atoms/rows.hpp"
#include "base/shared.hpp"

namespace kith {

/// Errors: invalid_argument, too_large.
KITH_SHARED void check_systems(const char* call, std::span<const AtomSystem> systems,
                               std::int64_t most);
KITH_SHARED void check_cutoffs(const char* call, std::span<const AtomSystem> systems,
                               const NeighborListOptions& options);

/// A length that is 0, or from 1e-100 to 1e100.
KITH_SHARED void check_atom_length(const char* call, const char* name, double value);

/// The rule of the system whose first atom this is.
AtomRule rule_of(const NeighborListOptions& options, std::size_t first);
/// No two atoms of that system farther apart than this are neighbors.
double reach_of(const NeighborListOptions& options, std::size_t first, std::size_t size);

}  // namespace kith
