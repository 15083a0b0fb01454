// Weights of points as whole numbers, so that their sums are exact and the same for any number of
// ranks.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "mpi/transport/call.hpp"
#include "tree/input.hpp"

namespace kith::mpi {

/// A point has one unit, and more for its weight: points without weight are balanced by number.
struct Units {
  std::span<const double> weight;  ///< by input row
  int exponent = 0;                ///< of the scale, a power of two
  std::uint64_t total = 0;         ///< units of all ranks, less than 2^62

  std::uint64_t operator()(std::uint32_t row) const {
    return 1 + static_cast<std::uint64_t>(std::ldexp(weight[row], exponent));
  }
};

/// Of `total` points on all ranks. Collective.
template <class T>
Units agree_on_units(Call& call, const Input<T>& input, std::span<const double> weight,
                     std::uint64_t total);

}  // namespace kith::mpi
