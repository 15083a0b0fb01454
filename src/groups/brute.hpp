// Groups by their definition: every pair of points is looked at.
#pragma once

#include <cstdint>
#include <vector>

#include <kith/groups.hpp>

namespace kith {

struct BruteGroups {
  std::vector<std::int32_t> label;               ///< per input point
  std::vector<std::int64_t> root, size, lowest;  ///< per input point; per group; per group
};

/// What fof must return, in O(n^2) time.
BruteGroups brute_fof(const PointsView& points, const FofOptions& options);

}  // namespace kith
