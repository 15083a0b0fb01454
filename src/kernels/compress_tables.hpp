// Shuffles that move chosen lanes to the front, one per mask.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kith {

/// Row m of a table lists the lanes whose bit is set in m, as lane numbers or as the numbers of their bytes.
struct CompressTables {
  std::uint8_t lane8[256][8] = {};                ///< 8 lanes
  std::uint8_t pair4[16][8] = {};                 ///< 4 lanes of two 32-bit halves each
  alignas(16) std::uint8_t byte4[16][16] = {};    ///< 4 lanes of 4 bytes
  alignas(16) std::uint8_t byte2[4][16] = {};     ///< 2 lanes of 8 bytes
  alignas(16) std::uint8_t byte2x4[4][16] = {};   ///< 2 lanes of 4 bytes

  constexpr CompressTables() {
    fill(lane8, 8, 1);
    fill(pair4, 4, 2);
    fill(byte4, 4, 4);
    fill(byte2, 2, 8);
    fill(byte2x4, 2, 4);
  }

 private:
  template <std::size_t Masks, std::size_t Width>
  static constexpr void fill(std::uint8_t (&table)[Masks][Width], int lanes, int parts) {
    for (std::size_t mask = 0; mask < Masks; ++mask)
      for (int lane = 0, out = 0; lane < lanes; ++lane)
        if (mask >> lane & 1)
          for (int part = 0; part < parts; ++part)
            table[mask][out++] = static_cast<std::uint8_t>(lane * parts + part);
  }
};

inline constexpr CompressTables kCompress;

}  // namespace kith
