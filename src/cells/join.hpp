// The groups of atoms step by step, for those who have only some of the atoms.
#pragma once

#include <cstdint>
#include <span>

#include <kith/cells.hpp>

#include "base/array.hpp"
#include "base/shared.hpp"
#include "parallel/workers.hpp"

namespace kith::cells {

/// Checks all options, for this many atoms. Errors: invalid_argument.
KITH_SHARED void check_linking(const FofOptions& options, std::size_t atoms);

/// Parents of a union-find over the atoms of all systems.
KITH_SHARED Array<std::uint32_t> join_atoms(const char* call, std::span<const AtomSystem> systems,
                                            const FofOptions& options, Workers& workers);

}  // namespace kith::cells
