// The set bits of a byte, in order: what turns a mask of lanes into a list of them.
#pragma once

#include <cstdint>

namespace kith {

struct BitTable {
  std::uint8_t bits[256][8] = {};

  constexpr BitTable() {
    for (unsigned mask = 0; mask < 256; ++mask)
      for (unsigned bit = 0, count = 0; bit < 8; ++bit)
        if (mask >> bit & 1) bits[mask][count++] = static_cast<std::uint8_t>(bit);
  }
  constexpr const std::uint8_t* operator[](unsigned mask) const { return bits[mask]; }
};

/// kSetBits[mask]: the numbers of its set bits, then zeros.
alignas(64) inline constexpr BitTable kSetBits;

}  // namespace kith
