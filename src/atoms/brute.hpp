// Neighbors of atoms by their definition: every pair in every image that may be near is visited.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <kith/neighbor_list.hpp>

namespace kith {

struct BrutePair {
  std::int64_t i, j;
  std::array<std::int32_t, 3> shift;
  double distance;
  std::array<double, 3> vector;
  friend bool operator==(const BrutePair&, const BrutePair&) = default;
};

/// The pairs that neighbor_list must return, in O(n^2) time.
std::vector<BrutePair> brute_neighbor_list(std::span<const AtomSystem> systems,
                                           const NeighborListOptions& options);

}  // namespace kith
