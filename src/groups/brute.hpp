// Groups by their definition: every pair of points is visited.
#pragma once

#include <cstdint>
#include <vector>

#include <kith/groups.hpp>
#include <kith/linking_lengths.hpp>

namespace kith {

struct BruteGroups {
  std::vector<std::int32_t> label;               ///< per input point
  std::vector<std::int64_t> root, size, lowest;  ///< per input point; per group; per group
};

/// The result that fof must return, in O(n^2) time.
BruteGroups brute_fof(const PointsView& points, const FofOptions& options);
/// The same with a length for each point.
BruteGroups brute_fof(const PointsView& points, const LinkingLengths& lengths,
                      const FofOptions& options);

}  // namespace kith
