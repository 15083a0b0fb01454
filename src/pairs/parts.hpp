// The interface for libraries above to count pairs in parts of a point set: the core's own checks,
// counts and estimators.
#pragma once

#include <cstdint>
#include <vector>

#include <kith/correlation.hpp>

#include "base/shared.hpp"
#include "geometry/frame.hpp"
#include "parallel/workers.hpp"
#include "tree/planes_view.hpp"

namespace kith {

template <class T>
struct KITH_SHARED PairParts {
  /// The pairs of two packed trees in a frame, in the caller's bins; without sources, those of the
  /// receivers with themselves, every pair twice.
  static std::vector<std::int64_t> counts(const PairBinning& bins, const Frame<T>& frame,
                                          const PlanesView<T>& receivers,
                                          const PlanesView<T>* sources, Workers& workers);
  /// No pair that counts has a larger d2 in the frame.
  static T reach2(const PairBinning& bins, const Frame<T>& frame);
};

/// As pair_histogram checks its arguments.
KITH_SHARED void check_histogram(const PairSet& points, const PairSet* others,
                                 const PairHistogramOptions& options);
/// The histogram of points with themselves from its counts.
KITH_SHARED PairHistogram histogram_of_counts(const PairBinning& bins,
                                              std::vector<std::int64_t> counts,
                                              std::uint64_t points);

/// Checks a correlation function without randoms, and says what to count for it.
KITH_SHARED PairHistogramOptions analytic_histogram(const CorrelationOptions& options,
                                                    int dimension);
KITH_SHARED Correlation analytic_correlation(PairHistogram pairs, const CorrelationOptions& options,
                                             int dimension);

}  // namespace kith
