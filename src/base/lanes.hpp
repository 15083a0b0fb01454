// The width that the data layout and the kernels share.
#pragma once

#include <cstddef>

namespace kith {

/// Points of a block, nodes of a chunk, children of a packed node: a power of two that fills the
/// widest vector of floats that most machines have.
inline constexpr std::size_t kLanes = 8;

}  // namespace kith
