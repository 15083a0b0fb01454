// Shuffles that move chosen lanes to the front, one per mask.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kith {

/// Before the struct, since clang asks for its body when it comes to the constructor.
template <std::size_t Masks, std::size_t Width>
constexpr void fill_compress_table(std::uint8_t (&table)[Masks][Width], int lanes, int parts) {
  for (std::size_t mask = 0; mask < Masks; ++mask)
    for (int lane = 0, out = 0; lane < lanes; ++lane)
      if (mask >> lane & 1)
        for (int part = 0; part < parts; ++part)
          table[mask][out++] = static_cast<std::uint8_t>(lane * parts + part);
}

/// Row m of a table lists the lanes whose bit is set in m, as lane numbers or as the numbers of
/// their bytes.
struct CompressTables {
  std::uint8_t lane8[256][8] = {};               ///< 8 lanes
  std::uint8_t pair4[16][8] = {};                ///< 4 lanes of two 32-bit halves each
  alignas(16) std::uint8_t byte4[16][16] = {};   ///< 4 lanes of 4 bytes
  alignas(16) std::uint8_t byte2[4][16] = {};    ///< 2 lanes of 8 bytes
  alignas(16) std::uint8_t byte2x4[4][16] = {};  ///< 2 lanes of 4 bytes

  constexpr CompressTables() {
    fill_compress_table(lane8, 8, 1);
    fill_compress_table(pair4, 4, 2);
    fill_compress_table(byte4, 4, 4);
    fill_compress_table(byte2, 2, 8);
    fill_compress_table(byte2x4, 2, 4);
  }
};

inline constexpr CompressTables kCompress;

}  // namespace kith
