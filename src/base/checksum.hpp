// The checksum of saved trees: XXH3 with 64 bits, whose values will never change. It is no defense
// against someone who searches for equal checksums.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kith {

/// `seed` encodes the place of these bytes among others.
std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t seed = 0);

}  // namespace kith
