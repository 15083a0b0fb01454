// Bound subhalos by their definition: every pair of members is visited.
#pragma once

#include <cstdint>
#include <vector>

#include <kith/subhalos.hpp>

namespace kith {

/// One subhalo, as a row of the result.
struct BruteSubhalo {
  std::int64_t parent = 0, host = -1;
  std::vector<std::uint32_t> members, by_binding;
};

/// The rows that subhalos must return for subfind and phase, in O(n^2 log n) time.
std::vector<BruteSubhalo> brute_subhalos(const PointsView& points, const Members& halos,
                                         const SubhaloOptions& options);

}  // namespace kith
