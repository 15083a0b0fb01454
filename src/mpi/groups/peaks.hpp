// The member with the smallest value of each group.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mpi/groups/groups_impl.hpp"
#include "mpi/transport/call.hpp"

namespace kith::mpi {

/// Values of the points of this rank, in the order of their labels.
struct PlacedValues {
  std::span<const double> value;
  std::uint64_t first = 0;  ///< the index of the first of them
  const std::function<double(std::size_t point, int axis)>& place;
  int dimension = 3;
};

/// The place of the member with the smallest value, ties by index, of each group whose row this
/// rank has. Each rank sends one candidate for each group that it has members of. Collective.
std::vector<double> places_of_least(Call& call, const Groups::Impl& groups,
                                    const PlacedValues& values);

}  // namespace kith::mpi
