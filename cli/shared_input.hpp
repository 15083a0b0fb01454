// The part of a snapshot that this rank works on.
#pragma once

#include "input.hpp"
#include "ranks.hpp"

namespace kith::cli {

/// The particles of a type among those that this rank reads.
std::uint64_t own_size_of(const Input& input, int type);

/// Deals the points of all ranks out; these are those of this one.
void share_points(const Input& input, const Numbers& positions, const Execution& execution);
/// Reads them first.
void share_points(const Input& input, const Execution& execution);

}  // namespace kith::cli
