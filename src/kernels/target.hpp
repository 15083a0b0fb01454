// Which instruction set the kernels run on: the best that this CPU has, or the one that the
// environment variable KITH_TARGET names (SSE4, AVX2 or AVX3, which is AVX-512). All of them give
// the same bits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/shared.hpp"

namespace kith {

/// Reads KITH_TARGET; to be called at the entry of every public call that uses kernels. Costs a
/// load after the first time. Errors: invalid_argument for a name that is unknown or that this CPU
/// lacks.
KITH_SHARED void choose_target();

/// The targets that are compiled in and run on this CPU, best first.
std::vector<std::string> available_targets();

/// The name of the target in force.
std::string current_target();

/// From here on all calls of this process use the named target; an empty name takes KITH_TARGET
/// again. Not while another call runs. Errors: as choose_target.
void force_target(std::string_view name);

}  // namespace kith
