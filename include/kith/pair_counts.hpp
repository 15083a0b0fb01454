// Exact numbers of pairs of points of two sets within given distances.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/tree.hpp>

namespace kith {

struct PairCountOptions {
  std::span<const double> radii = {};  ///< in any order; infinity counts everything
  /// Count pairs within radii[i]. If false, count those beyond radii[i - 1] (or 0) and within
  /// radii[i]; the radii must then ascend.
  bool cumulative = true;
  bool strict = false;  ///< exclude pairs at exactly the radius
  double p = 2;         ///< the order of the norm, as in KnnOptions
};

/// For each radius, the number of pairs of a point of `receivers` and a point of `sources`. For a
/// tree with itself, every pair counts twice and each point with itself once. The trees must have
/// the same dimension, scalar type and box.
///
/// Cost: pairs of nodes that are in one bin as a whole are counted at once; the remaining work
/// grows with the pairs near the radii. Errors: invalid_argument, too_large (more than 2^63 - 1
/// pairs), cancelled.
KITH_API std::vector<std::int64_t> pair_counts(const AnyTree& receivers, const AnyTree& sources,
                                               const PairCountOptions& options,
                                               const Execution& execution = {});

/// One weight per input point of a tree, including dropped points; empty = 1 each.
struct PairWeights {
  std::span<const double> receivers = {};
  std::span<const double> sources = {};
};

/// Pair counts with the sum of the products of weights instead of the number of pairs. The bits do
/// not depend on the number of threads.
KITH_API std::vector<double> weighted_pair_counts(const AnyTree& receivers, const AnyTree& sources,
                                                  const PairWeights& weights,
                                                  const PairCountOptions& options,
                                                  const Execution& execution = {});

}  // namespace kith
