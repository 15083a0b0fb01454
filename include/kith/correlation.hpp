// Correlation functions: every pair counted exactly, by one coordinate or two, with weights and
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

/// By what pairs are counted.
enum class Separation {
  r,      ///< the distance
  rp_pi,  ///< across the line of sight and along it
  s_mu,   ///< the distance, and the cosine of its angle to the line of sight
  theta,  ///< the angle between unit vectors, in degrees
};

/// The direction of the observer: an axis, or for each pair from the origin to the middle between
/// its points.
enum class LineOfSight { x, y, z, midpoint };

/// The bins of a count: [edge i, edge i + 1) in r, rp, s or theta; pi from 0 to pi_max and mu from
/// 0 to 1 in bins of equal width (mu = 1 belongs to the last).
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

/// bins + 1 edges at equal steps of the logarithm, as numpy.logspace makes them from exponents.
KITH_API std::vector<double> log_edges(double low, double high, std::size_t bins);
KITH_API std::vector<double> linear_edges(double low, double high, std::size_t bins);

/// Points with what belongs to each; empty spans mean: weight 1, no regions, no bits.
struct PairSet {
  PointsView points = {};
  std::span<const double> weight = {};
  std::span<const std::int32_t> region = {};  ///< from 0 on, for the jackknife
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
  std::size_t regions = 0;       ///< of the jackknife; 0 = none
  bool mean_separation = false;  ///< looks at every pair by itself: slower
  PairWeightTable table = {};
};

/// Numbers of pairs. Index of a bin: [first * second() + second].
struct PairHistogram {
  PairBinning bins = {};
  std::vector<std::int64_t> counts = {};  ///< empty if the points have weights
  std::vector<double> weight = {};        ///< sums of weights; without weights the counts
  /// Mean r, rp or s of the pairs of a bin (theta: the mean chord), weighted; NaN where there are
  /// none. Empty unless asked for.
  std::vector<double> mean_separation = {};
  double total = 0;  ///< all pairs of different points, weighted, at any separation
  /// With a region left out, for each region: [region * size + bin], and the total.
  std::vector<double> left_out = {};
  std::vector<double> left_out_total = {};
  /// Pairs of which the first point is not in a region: what is left of a mean over points.
  std::vector<double> left_out_first = {};
  std::vector<double> left_out_first_share = {};  ///< of the weights of all first points
};

/// Pairs of a set with itself: every pair counts twice, no point with itself. The same counts and
/// bits for any number of threads. Errors: invalid_argument, too_large, out_of_memory, cancelled.
KITH_API PairHistogram pair_histogram(const PairSet& points, const PairHistogramOptions& options,
                                      const Execution& execution = {});
/// Pairs of a point of one set and one of another.
KITH_API PairHistogram pair_histogram(const PairSet& points, const PairSet& others,
                                      const PairHistogramOptions& options,
                                      const Execution& execution = {});

/// Regions for the jackknife: equal numbers of points along the curve of the tree, from 0 on.
KITH_API std::vector<std::int32_t> jackknife_regions(PointsView points, std::size_t regions,
                                                     const Box& box = {},
                                                     const Execution& execution = {});
/// The regions of other points: that of the nearest point.
KITH_API std::vector<std::int32_t> nearest_regions(PointsView points,
                                                   std::span<const std::int32_t> region,
                                                   PointsView others, const Box& box = {},
                                                   const Execution& execution = {});

enum class Estimator {
  natural,       ///< DD / RR - 1
  landy_szalay,  ///< (DD - 2 DR + RR) / RR
};

/// What is made of xi in two coordinates.
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
  std::size_t regions = 0;  ///< of the jackknife, 0 = none; made by the tree unless given
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
  PairHistogram data_randoms = {};     ///< empty without randoms
  PairHistogram randoms_randoms = {};  ///< without randoms: the mean of infinitely many
};

/// Without randoms: the box must be periodic on all axes, and what is expected of random points
/// follows from the volumes of the bins. With regions the mean is then taken over the points
/// outside each region in turn, all of their neighbors included. Errors: as pair_histogram.
KITH_API Correlation correlation(const PairSet& data, const CorrelationOptions& options,
                                 const Execution& execution = {});
/// With randoms, in any box; a region left out is left out of data and randoms.
KITH_API Correlation correlation(const PairSet& data, const PairSet& randoms,
                                 const CorrelationOptions& options,
                                 const Execution& execution = {});

/// Positions of a survey, rows of x, y, z around the observer. Right ascension and declination in
/// degrees; no distances: unit vectors.
KITH_API std::vector<double> sky_positions(std::span<const double> ra, std::span<const double> dec,
                                           std::span<const double> distance = {});
/// Comoving distances in Mpc/h of a flat universe with matter and a cosmological constant.
KITH_API std::vector<double> comoving_distance(std::span<const double> redshift,
                                               double omega_m = 0.31);

}  // namespace kith
