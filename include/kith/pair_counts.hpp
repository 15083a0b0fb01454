// How many pairs of points of two sets are within given distances, exactly.
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
  bool cumulative = true;  ///< pairs within radii[i]; else those beyond radii[i - 1] (or 0) as
                           ///< well: the radii must then ascend
  bool strict = false;     ///< pairs at exactly the radius do not count
  double p = 2;            ///< the norm that measures distance, as in KnnOptions
};

/// For each radius the number of pairs of a point of `receivers` and one of `sources`. A tree with
/// itself counts every pair twice and each point with itself once. The trees must have the same
/// dimension, scalar type and box.
///
/// Cost: pairs of nodes that lie in one bin as a whole are counted at once; what remains grows
/// with the pairs near the radii. Errors: invalid_argument, too_large (more than 2^63 - 1 pairs),
/// cancelled.
KITH_API std::vector<std::int64_t> pair_counts(const Tree& receivers, const Tree& sources,
                                               const PairCountOptions& options,
                                               const Execution& execution = {});

/// One weight per point that a tree was given (dropped points too); none = 1 each.
struct PairWeights {
  std::span<const double> receivers = {};
  std::span<const double> sources = {};
};

/// The same with the sum of (weight x weight) instead of the number of pairs. The same bits for any
/// number of threads.
KITH_API std::vector<double> weighted_pair_counts(const Tree& receivers, const Tree& sources,
                                                  const PairWeights& weights,
                                                  const PairCountOptions& options,
                                                  const Execution& execution = {});

}  // namespace kith
