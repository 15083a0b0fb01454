// The definition of histograms of pairs: all pairs, no tree, no vectors.
#pragma once

#include <vector>

#include <kith/correlation.hpp>

namespace kith {

/// PairHistogram::weight, and with `lengths` the sums of weight x separation.
template <class T>
std::vector<double> brute_pair_histogram(const PairSet& points, const PairSet* others,
                                         const PairHistogramOptions& options,
                                         std::vector<double>* lengths = nullptr);

}  // namespace kith
