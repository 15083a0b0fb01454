#include "base/checksum.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kith {

std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

}  // namespace kith
