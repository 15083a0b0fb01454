// Histograms of pairs and correlation functions over MPI ranks.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <span>
#include <vector>

#include <kith/correlation.hpp>

namespace kith::mpi {

/// As kith::pair_histogram, bit for bit, also the sums of weights and the jackknife. Each rank
/// passes its part of both sets, or none; columns on all ranks or on none. Every rank gets the
/// result.
///
/// Ranks divide the pairs, not the points: each holds both sets, with the memory of one process.
/// The order in which weights are added is that of one tree of all points. For numbers of pairs in
/// radii alone, pair_counts leaves the points divided. Errors: as kith::pair_histogram.
KITH_API PairHistogram pair_histogram(MPI_Comm comm, const PairSet& points,
                                      const PairHistogramOptions& options,
                                      const Execution& execution = {});
KITH_API PairHistogram pair_histogram(MPI_Comm comm, const PairSet& points, const PairSet& others,
                                      const PairHistogramOptions& options,
                                      const Execution& execution = {});

/// As kith::correlation, bit for bit, in the same way.
KITH_API Correlation correlation(MPI_Comm comm, const PairSet& data,
                                 const CorrelationOptions& options,
                                 const Execution& execution = {});
KITH_API Correlation correlation(MPI_Comm comm, const PairSet& data, const PairSet& randoms,
                                 const CorrelationOptions& options,
                                 const Execution& execution = {});

/// As kith::jackknife_regions: the regions of the points that this rank gave. Each rank holds all
/// points.
KITH_API std::vector<std::int32_t> jackknife_regions(MPI_Comm comm, PointsView points,
                                                     std::size_t regions, const Box& box = {},
                                                     const Execution& execution = {});
/// As kith::nearest_regions, for the other points of this rank.
KITH_API std::vector<std::int32_t> nearest_regions(MPI_Comm comm, PointsView points,
                                                   std::span<const std::int32_t> region,
                                                   PointsView others, const Box& box = {},
                                                   const Execution& execution = {});

}  // namespace kith::mpi
