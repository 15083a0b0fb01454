// How good clusters of any origin are: density-based cluster validation (DBCV).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>

namespace kith {

struct Dbcv {
  /// From -1 to 1, higher is better: the mean over clusters, weighted with their share of all
  /// points, noise included. NaN for a single cluster.
  double index = 0;
  std::vector<double> cluster;  ///< of each label; NaN for labels without points
};

/// DBCV (Moulavi et al. 2014), as validity_index of hdbscan computes it; docs/clusters.md has the
/// definition. `label` has the cluster of each point, 0 or more; negative for noise, whose
/// coordinates do not matter. In open space, in double.
///
/// Cost: O(n^2) distances inside clusters, and between the points that are inside of spanning trees
/// of clusters; O(n) memory. The result does not depend on threads; its last bits depend on the C
/// library's pow. Errors: invalid_argument for as many labels as points, or no cluster; non_finite.
KITH_API Dbcv dbcv(PointsView points, std::span<const std::int32_t> label,
                   const Execution& execution = {});

}  // namespace kith
