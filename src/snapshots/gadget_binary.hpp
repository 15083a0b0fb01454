// The header of Gadget's binary files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kith::io {

/// As Gadget-2 writes it: the first record of every file. All types have their natural alignment,
/// so the struct is the record.
struct GadgetHeader {
  std::array<std::uint32_t, 6> count;
  std::array<double, 6> mass;
  double time;
  double redshift;
  std::int32_t has_stars;
  std::int32_t has_feedback;
  std::array<std::uint32_t, 6> total;
  std::int32_t has_cooling;
  std::int32_t files;
  double box;
  double omega_m;
  double omega_lambda;
  double h;
  std::int32_t has_ages;
  std::int32_t has_metals;
  std::array<std::uint32_t, 6> total_high;
  std::int32_t has_entropy;
  std::array<char, 60> unused;
};
static_assert(sizeof(GadgetHeader) == 256 && offsetof(GadgetHeader, box) == 128);

}  // namespace kith::io
