// Estimators: from histograms of pairs to correlation functions and their errors.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <kith/neighbors.hpp>
#include <kith/tree.hpp>

#include "base/fail.hpp"
#include "pairs/correlation_job.hpp"
#include "pairs/parts.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

using Values = std::vector<double>;

/// Pairs of each kind, normalized: shares of all pairs at any separation.
struct Shares {
  Values data, mixed, random;
};

Values divided(std::span<const double> pairs, double total) {
  Values result(pairs.begin(), pairs.end());
  for (double& value : result) value /= total;
  return result;
}

Values xi_of(const Shares& shares, Estimator estimator) {
  Values xi(shares.data.size());
  for (std::size_t i = 0; i < xi.size(); ++i) {
    const double dd = shares.data[i], rr = shares.random[i];
    xi[i] = estimator == Estimator::natural || shares.mixed.empty()
                ? dd / rr - 1
                : (dd - 2 * shares.mixed[i] + rr) / rr;
  }
  return xi;
}

/// Integrals of the Legendre polynomials of order 0, 2, 4 from 0 to mu.
double legendre_integral(int order, double mu) {
  const double mu3 = mu * mu * mu, mu5 = mu3 * mu * mu;
  if (order == 0) return mu;
  if (order == 2) return (mu3 - mu) / 2;
  return (7 * mu5 - 10 * mu3 + 3 * mu) / 8;
}

Values multipoles_of(const Values& xi, const PairBinning& bins) {
  const std::size_t first = bins.first(), second = bins.second();
  Values result;
  for (const int order : {0, 2, 4})
    for (std::size_t i = 0; i < first; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < second; ++j) {
        const auto edge = [&](std::size_t k) {
          return static_cast<double>(k) / static_cast<double>(second);
        };
        sum += xi[i * second + j] *
               (legendre_integral(order, edge(j + 1)) - legendre_integral(order, edge(j)));
      }
      result.push_back((2 * order + 1) * sum);
    }
  return result;
}

Values projected(const Values& xi, const PairBinning& bins) {
  const std::size_t second = bins.second();
  const double width = bins.pi_max / static_cast<double>(second);
  Values result(bins.first());
  for (std::size_t i = 0; i < xi.size(); ++i) result[i / second] += 2 * width * xi[i];
  return result;
}

Values statistic_of(const Values& xi, const PairBinning& bins, Statistic statistic) {
  if (statistic == Statistic::wp) return projected(xi, bins);
  if (statistic == Statistic::multipoles) return multipoles_of(xi, bins);
  return xi;
}

/// The share of space that each bin covers, around a point of a periodic box.
Values volume_shares(const PairBinning& bins, const Box& box, int dimension) {
  // Volumes in units of a power of two: they fit a double at any scale.
  const int unit = std::ilogb(box.side(0));
  double volume = 1;
  for (int axis = 0; axis < dimension; ++axis) volume *= std::ldexp(box.side(axis), -unit);
  const auto ball = [&](double length) {
    const double r = std::ldexp(length, -unit);
    if (dimension == 1) return 2 * r;
    if (dimension == 2 || bins.separation == Separation::rp_pi) return std::numbers::pi * r * r;
    return 4.0 / 3.0 * std::numbers::pi * r * r * r;
  };
  Values shares;
  for (std::size_t i = 0; i < bins.first(); ++i)
    for (std::size_t j = 0; j < bins.second(); ++j) {
      double shell =
          (ball(bins.edges[i + 1]) - ball(bins.edges[i])) / static_cast<double>(bins.second());
      if (bins.separation == Separation::rp_pi) shell *= 2 * std::ldexp(bins.pi_max, -unit);
      shares.push_back(shell / volume);
    }
  return shares;
}

void check_analytic(const CorrelationOptions& options, int dimension) {
  if (dimension > 3)
    refuse("correlation: {} dimensions without randoms; give randoms, or points in 1 to 3",
           dimension);
  if (options.bins.separation == Separation::theta)
    refuse("correlation: angles without randoms; give randoms that cover the same area");
  if (options.bins.edges.empty()) return;  // which pair_histogram refuses
  for (int axis = 0; axis < dimension; ++axis) {
    const double side = options.box.side(axis);
    const bool is_along = options.bins.separation == Separation::rp_pi &&
                          axis == static_cast<int>(options.bins.line_of_sight);
    const double most = is_along ? options.bins.pi_max : options.bins.edges.back();
    if (!(side > 0))
      refuse(
          "correlation: axis {} is open and there are no randoms; give randoms or a periodic "
          "box",
          axis);
    if (2 * most > side)
      refuse(
          "correlation: bins reach {} on axis {} of side {}; without randoms they must end at "
          "half the side",
          most, axis, side);
  }
}

void check_statistic(const CorrelationOptions& options) {
  if (options.statistic == Statistic::wp && options.bins.separation != Separation::rp_pi)
    refuse("correlation: wp needs pairs by rp and pi; set separation = rp_pi");
  if (options.statistic == Statistic::multipoles && options.bins.separation != Separation::s_mu)
    refuse("correlation: multipoles need pairs by s and mu; set separation = s_mu");
  if (options.regions == 1)
    refuse("correlation: 1 jackknife region; ask for at least 2, or for none");
}

PairHistogramOptions histogram_options(const CorrelationOptions& options) {
  return {options.bins, options.box, options.regions, options.mean_separation, options.table};
}

/// The mean of the samples' scatter, blown up as the jackknife does.
void set_errors(Correlation& result, std::size_t regions) {
  const std::size_t size = result.value.size();
  if (regions == 0) return;
  Values mean(size);
  for (std::size_t i = 0; i < result.samples.size(); ++i)
    mean[i % size] += result.samples[i] / static_cast<double>(regions);
  result.covariance.assign(size * size, 0);
  const double scale = static_cast<double>(regions - 1) / static_cast<double>(regions);
  for (std::size_t region = 0; region < regions; ++region) {
    const double* sample = result.samples.data() + region * size;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        result.covariance[i * size + j] += scale * (sample[i] - mean[i]) * (sample[j] - mean[j]);
  }
  for (std::size_t i = 0; i < size; ++i)
    result.error.push_back(std::sqrt(result.covariance[i * size + i]));
}

std::span<const double> sample_of(const std::vector<double>& left_out, std::size_t region,
                                  std::size_t size) {
  return std::span<const double>(left_out).subspan(region * size, size);
}

/// wp in a box: all bins of pi expect the same number of randoms, so one bin gives the same sum.
bool needs_one_bin(const CorrelationOptions& options) { return options.statistic == Statistic::wp; }

PairSet without_bits(PairSet set) {
  set.bits = {};
  return set;
}

bool has_regions(const PairSet& data, const PairSet* randoms) {
  return !data.region.empty() || (randoms && !randoms->region.empty());
}

/// Positions along the curve, cut into equal numbers.
template <class T>
std::vector<std::int32_t> cut_along_curve(const AnyTree& tree, std::size_t regions) {
  const auto order = tree.order();
  std::vector<std::int32_t> result(tree.input_size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i)
    result[static_cast<std::size_t>(order[i])] =
        static_cast<std::int32_t>(i * regions / order.size());
  return result;
}

}  // namespace

PairHistogramOptions analytic_histogram(const CorrelationOptions& options, int dimension) {
  check_statistic(options);
  check_analytic(options, dimension);
  PairHistogramOptions histogram = histogram_options(options);
  if (needs_one_bin(options)) histogram.bins.pi_bins = 1;
  return histogram;
}

Correlation analytic_correlation(PairHistogram pairs, const CorrelationOptions& options,
                                 int dimension) {
  Correlation result{.bins = pairs.bins, .statistic = options.statistic};
  result.data_data = std::move(pairs);
  const PairHistogram& dd = result.data_data;
  const Values random = volume_shares(dd.bins, options.box, dimension);
  result.randoms_randoms = {.bins = dd.bins, .weight = random, .total = dd.total};
  for (double& value : result.randoms_randoms.weight) value *= dd.total;
  const auto value = [&](std::span<const double> counted, double total) {
    return statistic_of(xi_of({divided(counted, total), {}, random}, Estimator::natural), dd.bins,
                        options.statistic);
  };
  result.value = value(dd.weight, dd.total);
  for (std::size_t i = 0; i < options.regions; ++i) {
    const Values sample = value(sample_of(dd.left_out_first, i, dd.weight.size()),
                                dd.total * dd.left_out_first_share[i]);
    result.samples.insert(result.samples.end(), sample.begin(), sample.end());
  }
  set_errors(result, options.regions);
  return result;
}

std::vector<std::int32_t> jackknife_regions(PointsView points, std::size_t regions, const Box& box,
                                            const Execution& execution) {
  return public_call("jackknife_regions", execution, [&] {
    if (regions == 0 || regions > std::max<std::size_t>(1, points.size))
      refuse("jackknife_regions: {} regions for {} points; ask for 1 to {}", regions, points.size,
             points.size);
    const AnyTree tree(points, {.box = box}, execution);
    return cut_along_curve<float>(tree, regions);
  });
}

std::vector<std::int32_t> nearest_regions(PointsView points, std::span<const std::int32_t> region,
                                          PointsView others, const Box& box,
                                          const Execution& execution) {
  return public_call("nearest_regions", execution, [&] {
    if (region.size() != points.size || points.size == 0)
      refuse("nearest_regions: {} region numbers for {} points; give one for each, and a point",
             region.size(), points.size);
    const AnyTree tree(points, {.box = box}, execution);
    std::vector<std::int32_t> result(others.size);
    const auto look_up = [&](const auto& near) {
      for (std::size_t i = 0; i < others.size; ++i)
        result[i] = region[static_cast<std::size_t>(near.index(i)[0])];
    };
    if (points.scalar == Scalar::float32)
      look_up(knn<float, std::int64_t>(tree, others, {.k = 1}, execution));
    else
      look_up(knn<double, std::int64_t>(tree, others, {.k = 1}, execution));
    return result;
  });
}

CorrelationJob::CorrelationJob(const PairSet& data, const PairSet* randoms,
                               const CorrelationOptions& options, const Execution& execution)
    : options_(options), data_(data) {
  check(data, randoms, options);
  if (randoms) randoms_ = *randoms;
  make_regions(execution);
  plan();
}

void CorrelationJob::check(const PairSet& data, const PairSet* randoms,
                           const CorrelationOptions& options) {
  check_statistic(options);
  PairHistogramOptions ask =
      randoms ? histogram_options(options) : analytic_histogram(options, data.points.dimension);
  if (!has_regions(data, randoms)) ask.regions = 0;
  check_histogram(data, nullptr, ask);
  if (!randoms) return;
  ask.table = {};
  const PairSet plain_data = without_bits(data), plain_randoms = without_bits(*randoms);
  check_histogram(plain_data, &plain_randoms, ask);
}

void CorrelationJob::make_regions(const Execution& execution) {
  if (options_.regions == 0 || has_regions(data_, randoms_ ? &*randoms_ : nullptr)) return;
  if (!randoms_) {
    region_ = jackknife_regions(data_.points, options_.regions, options_.box, execution);
  } else {
    random_region_ = jackknife_regions(randoms_->points, options_.regions, options_.box, execution);
    region_ =
        nearest_regions(randoms_->points, random_region_, data_.points, options_.box, execution);
    randoms_->region = random_region_;
  }
  data_.region = region_;
}

void CorrelationJob::plan() {
  const PairHistogramOptions ask =
      randoms_ ? histogram_options(options_) : analytic_histogram(options_, data_.points.dimension);
  counts_.push_back({&data_, nullptr, ask, &Correlation::data_data});
  if (!randoms_) return;
  // Pairwise weights correct the data for how they were observed; randoms have none.
  PairHistogramOptions plain = ask;
  plain.table = {};
  plain.counts = false;
  data_alone_ = without_bits(data_);
  randoms_alone_ = without_bits(*randoms_);
  if (options_.estimator == Estimator::landy_szalay)
    counts_.push_back({&data_alone_, &randoms_alone_, plain, &Correlation::data_randoms});
  counts_.push_back({&randoms_alone_, nullptr, plain, &Correlation::randoms_randoms});
}

void CorrelationJob::finish(Correlation& result) const {
  if (!randoms_) {
    result = analytic_correlation(std::move(result.data_data), options_, data_.points.dimension);
    return;
  }
  result.bins = options_.bins;
  result.statistic = options_.statistic;
  finish_with_randoms(result);
  set_errors(result, options_.regions);
}

void CorrelationJob::finish_with_randoms(Correlation& result) const {
  const PairHistogram &dd = result.data_data, &dr = result.data_randoms,
                      &rr = result.randoms_randoms;
  const auto value = [&](const Shares& shares) {
    return statistic_of(xi_of(shares, options_.estimator), options_.bins, options_.statistic);
  };
  const std::size_t size = dd.weight.size();
  result.value = value(
      {divided(dd.weight, dd.total), divided(dr.weight, dr.total), divided(rr.weight, rr.total)});
  const auto share = [&](const PairHistogram& of, std::size_t i) {
    if (of.left_out.empty()) return Values();
    return divided(sample_of(of.left_out, i, size), of.left_out_total[i]);
  };
  for (std::size_t i = 0; i < options_.regions; ++i) {
    const Values sample = value({share(dd, i), share(dr, i), share(rr, i)});
    result.samples.insert(result.samples.end(), sample.begin(), sample.end());
  }
}

namespace {

Correlation correlation_of(const PairSet& data, const PairSet* randoms,
                           const CorrelationOptions& options, const Execution& execution) {
  return public_call("correlation", execution, [&] {
    const CorrelationJob job(data, randoms, options, execution);
    Correlation result;
    for (const CorrelationJob::Count& count : job.counts())
      result.*count.place =
          count.others ? pair_histogram(*count.points, *count.others, count.options, execution)
                       : pair_histogram(*count.points, count.options, execution);
    job.finish(result);
    return result;
  });
}

}  // namespace

Correlation correlation(const PairSet& data, const CorrelationOptions& options,
                        const Execution& execution) {
  return correlation_of(data, nullptr, options, execution);
}

Correlation correlation(const PairSet& data, const PairSet& randoms,
                        const CorrelationOptions& options, const Execution& execution) {
  return correlation_of(data, &randoms, options, execution);
}

std::vector<double> sky_positions(std::span<const double> ra, std::span<const double> dec,
                                  std::span<const double> distance) {
  return public_call("sky_positions", [&] {
    if (ra.size() != dec.size() || (!distance.empty() && distance.size() != ra.size()))
      refuse(
          "sky_positions: {} right ascensions, {} declinations, {} distances; give as many of "
          "each",
          ra.size(), dec.size(), distance.size());
    constexpr double kDegree = std::numbers::pi / 180;
    std::vector<double> rows;
    rows.reserve(3 * ra.size());
    for (std::size_t i = 0; i < ra.size(); ++i) {
      const double r = distance.empty() ? 1 : distance[i], across = std::cos(dec[i] * kDegree);
      rows.push_back(r * across * std::cos(ra[i] * kDegree));
      rows.push_back(r * across * std::sin(ra[i] * kDegree));
      rows.push_back(r * std::sin(dec[i] * kDegree));
    }
    return rows;
  });
}

std::vector<double> comoving_distance(std::span<const double> redshift, double omega_m) {
  return public_call("comoving_distance", [&] {
    if (!(omega_m >= 0 && omega_m <= 1))
      refuse("comoving_distance: omega_m = {}; give 0 to 1", omega_m);
    constexpr double kHubbleLength = 2997.92458;  // c / (100 km/s/Mpc) in Mpc/h
    // Gauss's rule with 5 points on pieces of 1/16 in redshift: exact to rounding.
    constexpr double kNode[] = {0, 0.5384693101056831, 0.9061798459386640};
    constexpr double kWeight[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    const auto inverse_hubble = [&](double z) {
      const double a = 1 + z;
      return 1 / std::sqrt(omega_m * a * a * a + 1 - omega_m);
    };
    std::vector<double> result;
    for (const double z : redshift) {
      if (!(z >= 0 && z < 1e4))
        refuse("comoving_distance: redshift {}; give 0 or more, below 10^4", z);
      const auto pieces = static_cast<std::size_t>(std::ceil(z * 16)) + 1;
      const double half = z / static_cast<double>(pieces) / 2;
      double sum = 0;
      for (std::size_t i = 0; i < pieces; ++i) {
        const double middle = (2 * static_cast<double>(i) + 1) * half;
        for (int k = 0; k < 3; ++k) {
          const double pair = inverse_hubble(middle + half * kNode[k]) +
                              (k == 0 ? 0 : inverse_hubble(middle - half * kNode[k]));
          sum += kWeight[k] * half * pair;
        }
      }
      result.push_back(kHubbleLength * sum);
    }
    return result;
  });
}

}  // namespace kith
