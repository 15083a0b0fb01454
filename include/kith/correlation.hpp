// Correlation functions from exact pair counts in one or two coordinates, with weights and
// jackknife errors from the same pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kith/box.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>

namespace kith {

/// The coordinates in which pairs are counted.
enum class Separation {
  r,      ///< the distance
  rp_pi,  ///< across the line of sight and along it
  s_mu,   ///< the distance, and the cosine of its angle to the line of sight
  theta,  ///< the angle between unit vectors, in degrees
};

/// The line of sight: an axis, or for each pair the direction from the origin to the midpoint of
/// its points.
enum class LineOfSight { x, y, z, midpoint };

/// The bins of a count: [edge i, edge i + 1) in r, rp, s or theta; pi from 0 to pi_max and mu from
/// 0 to 1 in bins of equal width, whose edges are i pi_max / pi_bins and i / mu_bins in the points'
/// scalar type. A pair on an edge belongs to the bin above it (mu = 1 to the last bin).
struct PairBinning {
  Separation separation = Separation::r;
  std::vector<double> edges = {};  ///< ascending
  double pi_max = 40;
  std::size_t pi_bins = 40;
  std::size_t mu_bins = 20;
  LineOfSight line_of_sight = LineOfSight::z;

  std::size_t first() const { return edges.empty() ? 0 : edges.size() - 1; }
  /// Bins of pi or mu; 1 if there is no second coordinate.
  std::size_t second() const {
    return separation == Separation::rp_pi ? pi_bins : separation == Separation::s_mu ? mu_bins : 1;
  }
  std::size_t size() const { return first() * second(); }
};

/// The bins + 1 edges of logarithmic bins of equal width, as from numpy.logspace.
KITH_API std::vector<double> log_edges(double low, double high, std::size_t bins);
KITH_API std::vector<double> linear_edges(double low, double high, std::size_t bins);

/// Points with weights, regions and bits; empty spans mean weight 1, no regions, no bits.
struct PairSet {
  PointsView points = {};
  std::span<const double> weight = {};
  std::span<const std::int32_t> region = {};  ///< numbered from 0, for the jackknife
  std::span<const std::uint64_t> bits = {};   ///< `PairWeightTable::words` for each point
};

/// Pairwise weights, such as inverse probabilities: a pair's product of weights is multiplied by
/// weight[number of bits that its points share].
struct PairWeightTable {
  std::size_t words = 0;                ///< 64 bits each; 0 = no pairwise weights
  std::span<const double> weight = {};  ///< 64 words + 1 values
};

struct PairHistogramOptions {
  PairBinning bins = {};
  Box box = {};
  std::size_t regions = 0;       ///< number of jackknife regions; 0 = none
  bool mean_separation = false;  ///< visits every pair, which is slower
  PairWeightTable table = {};
  /// With weights, also the numbers of pairs: a second pass, of half the time of the first.
  bool counts = true;
};

/// Pair counts. Index of a bin: [first * second() + second].
struct PairHistogram {
  PairBinning bins = {};
  std::vector<std::int64_t> counts = {};  ///< numbers of pairs; see the option
  std::vector<double> weight = {};        ///< sums of weights; the counts if there are no weights
  bool is_weighted = false;               ///< by weights of points, or pairwise ones
  /// Mean r, rp or s of the pairs of a bin (theta: the mean chord), weighted; NaN for empty bins.
  /// Empty unless `mean_separation` was set.
  std::vector<double> mean_separation = {};
  double total = 0;  ///< all pairs of different points, weighted, at any separation
  /// The counts without each region, [region * size + bin], and their totals.
  std::vector<double> left_out = {};
  std::vector<double> left_out_total = {};
  /// The counts of pairs whose first point is outside each region, for means over points.
  std::vector<double> left_out_first = {};
  std::vector<double> left_out_first_share = {};  ///< of the weights of all first points
};

/// Counts the pairs of a set: every pair twice, no point with itself. The counts and bits do not
/// depend on the number of threads. Errors: invalid_argument, too_large, out_of_memory, cancelled.
KITH_API PairHistogram pair_histogram(const PairSet& points, const PairHistogramOptions& options,
                                      const Execution& execution = {});
/// Counts the pairs of a point of one set and a point of another.
KITH_API PairHistogram pair_histogram(const PairSet& points, const PairSet& others,
                                      const PairHistogramOptions& options,
                                      const Execution& execution = {});

/// Jackknife regions: runs of equal length along the curve of the tree, numbered from 0.
KITH_API std::vector<std::int32_t> jackknife_regions(PointsView points, std::size_t regions,
                                                     const Box& box = {},
                                                     const Execution& execution = {});
/// Regions for other points: each gets that of the nearest point.
KITH_API std::vector<std::int32_t> nearest_regions(PointsView points,
                                                   std::span<const std::int32_t> region,
                                                   PointsView others, const Box& box = {},
                                                   const Execution& execution = {});

enum class Estimator {
  natural,       ///< DD / RR - 1
  landy_szalay,  ///< (DD - 2 DR + RR) / RR
};

/// The statistic to compute.
enum class Statistic {
  xi,          ///< xi itself, in one coordinate or two
  wp,          ///< of rp_pi: 2 x the sum of xi x width over pi
  multipoles,  ///< of s_mu: l = 0, 2, 4
};

struct CorrelationOptions {
  PairBinning bins = {};
  Box box = {};
  Statistic statistic = Statistic::xi;
  Estimator estimator = Estimator::landy_szalay;  ///< natural where there are no randoms
  std::size_t regions = 0;  ///< of the jackknife, made by the tree unless given; 0 = none
  bool mean_separation = false;
  PairWeightTable table = {};
};

/// A correlation function with errors. `value` has one row of first() values, second() rows side
/// by side for xi in two coordinates ([first * second + second]), or one row each of l = 0, 2, 4
/// ([l / 2 * first() + first]).
struct Correlation {
  PairBinning bins = {};
  Statistic statistic = Statistic::xi;
  std::vector<double> value = {};
  std::vector<double> error = {};       ///< root of the covariance's diagonal
  std::vector<double> covariance = {};  ///< [i * value.size() + j]; empty without regions
  std::vector<double> samples = {};     ///< [region * value.size() + i]: each without one region
  PairHistogram data_data = {};
  /// Empty without randoms. With weights, those with randoms have no `counts`.
  PairHistogram data_randoms = {};
  PairHistogram randoms_randoms = {};  ///< without randoms: the mean of infinitely many
};

/// Without randoms: the box must be periodic on all axes, and the expected pair counts follow from
/// the volumes of the bins. With regions, the mean is taken over the points outside each region in
/// turn, including all of their neighbors. Errors: as pair_histogram.
KITH_API Correlation correlation(const PairSet& data, const CorrelationOptions& options,
                                 const Execution& execution = {});
/// With randoms, in any box. A region is left out of both data and randoms.
KITH_API Correlation correlation(const PairSet& data, const PairSet& randoms,
                                 const CorrelationOptions& options,
                                 const Execution& execution = {});

/// Cartesian positions around the observer from right ascension and declination in degrees; unit
/// vectors if there are no distances.
KITH_API std::vector<double> sky_positions(std::span<const double> ra, std::span<const double> dec,
                                           std::span<const double> distance = {});
/// Comoving distances in Mpc/h in a flat universe with matter and a cosmological constant.
KITH_API std::vector<double> comoving_distance(std::span<const double> redshift,
                                               double omega_m = 0.31);

}  // namespace kith
