// The n-th smallest of numbers that are spread over ranks.
#pragma once

#include <cstdint>
#include <span>

#include "mpi/transport/call.hpp"

namespace kith::mpi {

/// The same on every rank; n from 0, below the number of all values, of which none is NaN. Six
/// rounds in which ranks add up counts. Collective.
double nth_of_all(Call& call, std::span<const double> values, std::uint64_t n);

}  // namespace kith::mpi
