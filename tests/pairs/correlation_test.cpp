// Histograms of pairs equal their definition, for random coordinates, scalars, boxes, weights,
// threads and targets; jackknife samples equal the loop over regions; estimators have known limits.
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include <kith/kith.hpp>

#include "pairs/brute.hpp"
#include "support/expect_error.hpp"
#include "support/point_sets.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::Draw;
using test::ExactCases;
using test::expect_error;

/// Directions instead of places, as angles need them.
template <class T>
void normalize(test::PointSet<T>& set) {
  for (std::size_t i = 0; i < set.x.size(); i += 3) {
    const auto at = [&](std::size_t axis) { return static_cast<double>(set.x[i + axis]); };
    const double length = std::hypot(at(0), at(1), at(2));
    const bool is_usable = std::isnormal(length);
    for (std::size_t axis = 0; axis < 3; ++axis)
      set.x[i + axis] = static_cast<T>(is_usable ? at(axis) / length : axis == 0 ? 1 : 0);
  }
}

/// Points with all that may belong to them; weights whose sums are exact.
template <class T>
struct Sample {
  test::PointSet<T> points;
  std::vector<double> weight;
  std::vector<std::uint64_t> bits;

  Sample(Draw& draw, int dimension, bool is_weighted, std::size_t words)
      : points(draw.point_set<T>(dimension, draw.size(700))) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (is_weighted) weight.push_back(static_cast<double>(draw.below(2000)) - 500);
      for (std::size_t k = 0; k < words; ++k) bits.push_back(draw.random() & draw.random());
    }
  }
  PairSet set() const { return {points.view(), weight, {}, bits}; }
};

PairBinning draw_bins(Draw& draw, int dimension) {
  PairBinning bins;
  if (dimension == 3)
    bins.separation = draw.one_of({Separation::r, Separation::rp_pi, Separation::rp_pi,
                                   Separation::s_mu, Separation::s_mu, Separation::theta});
  const double largest = draw.one_of({0.05, 0.3, 0.5, 2.0});
  const std::size_t count = draw.one_of({1, 3, 14, 40, 300});
  bins.edges = draw.below(2) ? log_edges(largest / 100, largest, count)
                             : linear_edges(draw.below(2) ? 0 : largest / 10, largest, count);
  if (draw.below(3) == 0) bins.edges = {0, 0.25, 0.5, 1, 2};  // a grid lies on the edges
  bins.pi_max = draw.one_of({0.1, 0.5, 1.0});
  bins.pi_bins = draw.one_of({1, 1, 2, 10});
  bins.mu_bins = draw.one_of({1, 3, 20});
  bins.line_of_sight = draw.one_of({LineOfSight::x, LineOfSight::y, LineOfSight::z});
  return bins;
}

template <class T>
void check_case(Draw& draw) {
  const int dimension = draw.one_of({1, 2, 3, 3, 3, 4});
  PairHistogramOptions options{.bins = draw_bins(draw, dimension), .box = draw.box(dimension)};
  if (draw.below(3) == 0 && dimension == 3) options.bins.line_of_sight = LineOfSight::midpoint;
  if (options.bins.separation == Separation::theta ||
      options.bins.line_of_sight == LineOfSight::midpoint)
    options.box = Box::open();
  std::vector<double> table;
  options.table.words = draw.below(5) == 0 ? 1 + draw.below(2) : 0;
  for (std::size_t i = 0; i <= 64 * options.table.words; ++i)
    table.push_back(static_cast<double>(draw.below(100)));
  if (options.table.words > 0) options.table.weight = table;
  const bool is_weighted = draw.below(2) == 0;
  Sample<T> a(draw, dimension, is_weighted, options.table.words),
      b(draw, dimension, is_weighted, options.table.words);
  if (options.bins.separation == Separation::theta) {
    normalize(a.points);
    normalize(b.points);
  }
  const Execution execution{.threads = static_cast<int>(1 + draw.below(3))};
  const std::string target = draw.target();
  ExactCases::count(2);
  const PairSet from = a.set(), to = b.set();
  // Numbers of pairs do not depend on weights.
  const auto counts = [&](const PairSet& set, const PairSet* other) {
    PairHistogramOptions plain = options;
    plain.table = {};
    const PairSet one{set.points}, two{other ? other->points : set.points};
    return brute_pair_histogram<T>(one, other ? &two : nullptr, plain);
  };
  const PairHistogram own = pair_histogram(from, options, execution),
                      crossed = pair_histogram(from, to, options, execution);
  ASSERT_EQ(own.weight, brute_pair_histogram<T>(from, nullptr, options))
      << "with itself, " << target;
  ASSERT_EQ(crossed.weight, brute_pair_histogram<T>(from, &to, options))
      << "with another, " << target;
  ASSERT_EQ(std::vector<double>(own.counts.begin(), own.counts.end()), counts(from, nullptr));
  ASSERT_EQ(std::vector<double>(crossed.counts.begin(), crossed.counts.end()), counts(from, &to));
}

TEST(Correlation, HistogramsOfFloatsEqualBruteForce) { test::for_cases(500, check_case<float>); }
TEST(Correlation, HistogramsOfDoublesEqualBruteForce) { test::for_cases(500, check_case<double>); }

/// A survey: an observer far from all points, so that lines of sight are nearly parallel and most
/// bins are guessed.
template <class T>
void check_survey(Draw& draw) {
  const double far = draw.one_of({3.0, 50.0, 2000.0, 1e6}), depth = draw.one_of({2.0, 30.0});
  std::vector<T> x;
  const std::size_t numbers = 3 * draw.size(600);
  for (std::size_t i = 0; i < numbers; ++i)
    x.push_back(static_cast<T>((i % 3 == 2 ? far : 0.0) + depth * draw.uniform()));
  PairHistogramOptions options;
  options.bins = {.separation = draw.one_of({Separation::rp_pi, Separation::s_mu}),
                  .edges = log_edges(depth / 50, depth, draw.one_of<std::size_t>({2, 14, 30})),
                  .pi_max = depth * draw.one_of({0.01, 0.3, 1.0}),
                  .pi_bins = draw.one_of<std::size_t>({1, 7, 40}),
                  .mu_bins = draw.one_of<std::size_t>({1, 5, 100}),
                  .line_of_sight = LineOfSight::midpoint};
  const std::string target = draw.target();
  const PairSet points{view(x.data(), x.size() / 3, 3)};
  ASSERT_EQ(pair_histogram(points, options, {.threads = 1}).weight,
            brute_pair_histogram<T>(points, nullptr, options))
      << far << ", " << target;
}

TEST(Correlation, SurveysOfFloatsEqualBruteForce) { test::for_cases(150, check_survey<float>); }
TEST(Correlation, SurveysOfDoublesEqualBruteForce) { test::for_cases(150, check_survey<double>); }

template <class T>
void check_degenerate() {
  for (auto set : test::degenerate_sets<T>(3))
    for (const Separation separation :
         {Separation::r, Separation::rp_pi, Separation::s_mu, Separation::theta}) {
      if (separation == Separation::theta) normalize(set);
      const PairHistogramOptions options{.bins = {.separation = separation,
                                                  .edges = {0, 0.25, 0.5, 1},
                                                  .pi_max = 0.5,
                                                  .pi_bins = 2,
                                                  .mu_bins = 4}};
      const PairSet points{set.view()};
      ASSERT_EQ(pair_histogram(points, options).weight,
                brute_pair_histogram<T>(points, nullptr, options))
          << set.name << ", " << static_cast<int>(separation);
    }
}

TEST(Correlation, DegenerateSetsOfFloats) { check_degenerate<float>(); }
TEST(Correlation, DegenerateSetsOfDoubles) { check_degenerate<double>(); }

TEST(Correlation, MeanSeparations) {
  const auto set = test::random_sets<double>(3, 500, 3)[0];
  for (const Separation separation : {Separation::r, Separation::rp_pi, Separation::s_mu}) {
    const PairHistogramOptions options{.bins = {.separation = separation,
                                                .edges = {0.01, 0.1, 0.2},
                                                .pi_max = 0.3,
                                                .pi_bins = 3,
                                                .mu_bins = 2},
                                       .box = Box::periodic(1.0),
                                       .mean_separation = true};
    std::vector<double> lengths;
    const PairSet points{set.view()};
    const auto expected = brute_pair_histogram<double>(points, nullptr, options, &lengths);
    const PairHistogram result = pair_histogram(points, options);
    ASSERT_EQ(result.weight, expected);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(result.mean_separation[i], lengths[i] / expected[i], 1e-13);
  }
}

/// A set without the points of a region.
template <class T>
struct Without {
  std::vector<T> x;
  std::vector<double> weight;

  Without(const test::PointSet<T>& set, const std::vector<double>& weights,
          const std::vector<std::int32_t>& region, std::int32_t out) {
    for (std::size_t i = 0; i < set.size(); ++i)
      if (region[i] != out) {
        x.insert(x.end(), set.row(i), set.row(i) + set.dimension);
        weight.push_back(weights[i]);
      }
  }
  PairSet set() const { return {view(x.data(), x.size() / 3, 3), weight}; }
};

/// Left out in the same pass = left out of the input, to the last pair.
TEST(Correlation, JackknifeEqualsTheLoopOverRegions) {
  Draw draw(4);
  const auto a = test::random_sets<float>(3, 2000, 3)[0],
             b = test::random_sets<float>(3, 1500, 4)[1];
  std::vector<double> wa, wb;
  for (std::size_t i = 0; i < a.size(); ++i) wa.push_back(static_cast<double>(draw.below(9)));
  for (std::size_t i = 0; i < b.size(); ++i) wb.push_back(static_cast<double>(draw.below(9)));
  constexpr std::size_t kRegions = 7;
  const auto ra = jackknife_regions(a.view(), kRegions),
             rb = nearest_regions(a.view(), ra, b.view());
  for (const Separation separation : {Separation::r, Separation::rp_pi, Separation::s_mu}) {
    PairHistogramOptions options{.bins = {.separation = separation,
                                          .edges = log_edges(0.01, 0.4, 12),
                                          .pi_max = 0.2,
                                          .pi_bins = 4},
                                 .box = Box::periodic(1.0),
                                 .regions = kRegions};
    const auto own = pair_histogram({a.view(), wa, ra}, options),
               cross = pair_histogram({a.view(), wa, ra}, {b.view(), wb, rb}, options);
    options.regions = 0;
    EXPECT_EQ(own.weight, pair_histogram({a.view(), wa}, options).weight);
    for (std::size_t region = 0; region < kRegions; ++region) {
      const Without<float> less_a(a, wa, ra, static_cast<std::int32_t>(region)),
          less_b(b, wb, rb, static_cast<std::int32_t>(region));
      const auto own_less = pair_histogram(less_a.set(), options),
                 cross_less = pair_histogram(less_a.set(), less_b.set(), options);
      for (std::size_t i = 0; i < own.weight.size(); ++i) {
        ASSERT_EQ(own.left_out[region * own.weight.size() + i], own_less.weight[i]);
        ASSERT_EQ(cross.left_out[region * own.weight.size() + i], cross_less.weight[i]);
      }
      EXPECT_EQ(own.left_out_total[region], own_less.total);
      EXPECT_EQ(cross.left_out_total[region], cross_less.total);
    }
  }
}

/// Regions that points share at random, not along the curve.
TEST(Correlation, RegionsMayBeAnyLabels) {
  const auto set = test::random_sets<double>(3, 900, 5)[0];
  std::vector<std::int32_t> region;
  Draw draw(5);
  for (std::size_t i = 0; i < set.size(); ++i)
    region.push_back(static_cast<std::int32_t>(draw.below(5)));
  const std::vector<double> ones(set.size(), 1);
  const PairHistogramOptions options{.bins = {.edges = log_edges(0.02, 0.5, 8)}, .regions = 5};
  const auto all = pair_histogram({set.view(), {}, region}, options);
  for (std::int32_t out = 0; out < 5; ++out) {
    const auto less =
        pair_histogram(Without<double>(set, ones, region, out).set(), {.bins = options.bins});
    for (std::size_t i = 0; i < less.weight.size(); ++i)
      EXPECT_EQ(all.left_out[static_cast<std::size_t>(out) * less.weight.size() + i],
                less.weight[i]);
  }
}

/// Bins without pairs have no mean.
std::vector<double> with_zeros(std::vector<double> values) {
  for (double& value : values) value = std::isnan(value) ? 0 : value;
  return values;
}

TEST(Correlation, SumsDoNotDependOnThreads) {
  const auto set = test::random_sets<double>(3, 20000, 9)[0];
  Draw draw(1);
  std::vector<double> weights(set.size());
  for (double& w : weights) w = draw.uniform();
  const auto regions = jackknife_regions(set.view(), 16);
  for (const Separation separation : {Separation::r, Separation::rp_pi, Separation::s_mu}) {
    const PairHistogramOptions options{
        .bins = {.separation = separation, .edges = log_edges(0.001, 0.1, 14), .pi_max = 0.1},
        .box = Box::periodic(1.0),
        .regions = 16,
        .mean_separation = separation != Separation::r};
    const PairSet points{set.view(), weights, regions};
    const auto one = pair_histogram(points, options, {.threads = 1});
    for (const int threads : {2, 3}) {
      const auto many = pair_histogram(points, options, {.threads = threads});
      EXPECT_EQ(many.weight, one.weight);
      EXPECT_EQ(many.left_out, one.left_out);
      EXPECT_EQ(with_zeros(many.mean_separation), with_zeros(one.mean_separation));
    }
  }
}

TEST(Correlation, SumsDoNotDependOnTheTarget) {
  const auto set = test::random_sets<float>(3, 3000, 9)[0];
  Draw draw(1);
  std::vector<double> weights(set.size());
  for (double& w : weights) w = draw.uniform();
  const std::string before = current_target();
  for (const Separation separation : {Separation::r, Separation::rp_pi, Separation::s_mu}) {
    std::vector<std::vector<double>> sums;
    for (const std::string& target : available_targets()) {
      force_target(target);
      const PairHistogramOptions options{
          .bins = {.separation = separation, .edges = log_edges(0.005, 0.3, 14), .pi_max = 0.1}};
      sums.push_back(pair_histogram({set.view(), weights}, options).weight);
      EXPECT_EQ(sums.back(), sums.front()) << target;
    }
  }
  force_target(before);
}

/// Points without structure have no correlation; wp in one bin of pi is the sum over many.
TEST(Correlation, RandomPointsAreNotCorrelated) {
  const auto set = test::random_sets<double>(3, 20000, 12)[0];
  CorrelationOptions options{
      .bins = {.edges = linear_edges(0.02, 0.1, 4)}, .box = Box::periodic(1.0), .regions = 27};
  const Correlation xi = correlation({set.view()}, options);
  for (std::size_t i = 0; i < xi.value.size(); ++i) {
    EXPECT_LT(std::abs(xi.value[i]), 5 * xi.error[i]);
    EXPECT_GT(xi.error[i], 0);
    EXPECT_LT(xi.error[i], 0.1);
  }
  options.bins.separation = Separation::rp_pi;
  options.bins.pi_max = 0.2;
  options.bins.pi_bins = 8;
  const Correlation full = correlation({set.view()}, options);
  options.statistic = Statistic::wp;
  const Correlation wp = correlation({set.view()}, options);
  for (std::size_t i = 0; i < wp.value.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 8; ++j) sum += 2 * 0.2 / 8 * full.value[i * 8 + j];
    EXPECT_NEAR(wp.value[i], sum, 1e-12);
  }
}

/// All pairs counted with all pairs expected: the randoms' own correlation is 0.
TEST(Correlation, LandySzalayOfTheRandomsThemselves) {
  const auto set = test::random_sets<double>(3, 3000, 12)[0];
  CorrelationOptions options{.bins = {.separation = Separation::s_mu,
                                      .edges = linear_edges(0.05, 0.3, 5),
                                      .mu_bins = 10,
                                      .line_of_sight = LineOfSight::midpoint},
                             .statistic = Statistic::multipoles,
                             .regions = 8};
  const Correlation xi = correlation({set.view()}, {set.view()}, options);
  ASSERT_EQ(xi.value.size(), 15U);
  for (const double value : xi.value) EXPECT_LT(std::abs(value), 0.05);
  EXPECT_EQ(xi.samples.size(), 8U * 15U);
  EXPECT_EQ(xi.covariance.size(), 15U * 15U);
}

TEST(Correlation, AnglesOnTheSky) {
  const std::vector<double> ra{0, 90, 0}, dec{0, 0, 90}, distance{2, 2, 2};
  const auto unit = sky_positions(ra, dec), far = sky_positions(ra, dec, distance);
  EXPECT_NEAR(unit[0], 1, 1e-15);
  EXPECT_NEAR(far[4], 2, 1e-15);
  const PairHistogram pairs = pair_histogram(
      {view(unit.data(), 3, 3)}, {.bins = {.separation = Separation::theta, .edges = {0, 89, 91}}});
  EXPECT_EQ(pairs.counts, (std::vector<std::int64_t>{0, 6}));
}

TEST(Correlation, NumbersOfPairsMayBeLeftOut) {
  const auto set = test::random_sets<double>(3, 100, 3)[0];
  const std::vector<double> weight(set.size(), 2.0);
  const PairSet points{.points = set.view(), .weight = weight};
  const PairHistogramOptions both{.bins = {.edges = {0, 0.5}}},
      one{.bins = both.bins, .counts = false};
  EXPECT_EQ(pair_histogram(points, both).weight, pair_histogram(points, one).weight);
  EXPECT_EQ(pair_histogram(points, one).counts.size(), 0u);
  EXPECT_EQ(4 * pair_histogram(points, both).counts[0],
            std::lround(pair_histogram(points, both).weight[0]));
}

TEST(Correlation, NoPointBesideWeightedOnes) {
  const std::vector<std::array<double, 2>> none, points{{0, 0}, {1, 0}};
  const std::vector<double> weight{2, 3};
  const PairSet empty{view(none)}, weighted{view(points), weight};
  const PairHistogramOptions options{.bins = {.edges = {0, 1, 2}}};
  for (const PairHistogram& pairs :
       {pair_histogram(empty, weighted, options), pair_histogram(weighted, empty, options)}) {
    EXPECT_EQ(pairs.weight, (std::vector<double>{0, 0}));
    EXPECT_EQ(pairs.counts, (std::vector<std::int64_t>{0, 0}));
  }
}

TEST(Correlation, AnglesNeedUnitVectors) {
  std::vector<double> x{1, 0, 0, 0, 1, 0, 0, 0, 1};
  const PairHistogramOptions options{.bins = {.separation = Separation::theta, .edges = {0, 180}}};
  pair_histogram({view(x.data(), 3, 3)}, options);
  x[3] = 1e-3;
  pair_histogram({view(x.data(), 3, 3)}, options);  // longer by 5e-7
  x[3] = 0.5;
  expect_error(ErrorCode::invalid_argument, "point 1 has length 1.118",
               [&] { pair_histogram({view(x.data(), 3, 3)}, options); });
}

/// A pair on an edge of mu or pi is in the bin above: edges are i / n, rounded once.
template <class T>
void expect_bins_above_edges() {
  for (const std::size_t n : {3u, 5u, 7u, 10u, 20u, 49u})
    for (std::size_t i = 0; i < n; ++i) {
      const T edge = static_cast<T>(i) / static_cast<T>(n);
      const std::vector<T> apart{0, 0, 0, 0, T(0.25), edge};
      const PairHistogram pi = pair_histogram(
          {view(apart.data(), 2, 3)},
          {.bins = {.separation = Separation::rp_pi, .edges = {0, 1}, .pi_max = 1, .pi_bins = n}});
      EXPECT_EQ(pi.counts[i], 2) << "pi = " << edge << " in " << n << " bins";
    }
  // 3, 4, 5: mu = 0.6 and 0.8.
  for (const int along : {3, 4}) {
    const std::vector<T> x{0, 0, 0, static_cast<T>(7 - along), 0, static_cast<T>(along)};
    const PairHistogram mu =
        pair_histogram({view(x.data(), 2, 3)},
                       {.bins = {.separation = Separation::s_mu, .edges = {0, 10}, .mu_bins = 5}});
    EXPECT_EQ(mu.counts[static_cast<std::size_t>(along)], 2) << "mu = " << along / 5.0;
  }
}
TEST(Correlation, FloatsOnAnEdgeAreInTheBinAbove) { expect_bins_above_edges<float>(); }
TEST(Correlation, DoublesOnAnEdgeAreInTheBinAbove) { expect_bins_above_edges<double>(); }

TEST(Correlation, ComovingDistances) {
  const std::vector<double> z{0, 0.5, 1, 3};
  const auto matter = comoving_distance(z, 1), empty = comoving_distance(z, 0);
  for (std::size_t i = 0; i < z.size(); ++i) {
    EXPECT_NEAR(matter[i], 2 * 2997.92458 * (1 - 1 / std::sqrt(1 + z[i])), 1e-7);
    EXPECT_NEAR(empty[i], 2997.92458 * z[i], 1e-8);
  }
}

TEST(Correlation, Errors) {
  const std::vector<std::array<float, 3>> points{{0, 0, 0}, {1, 0, 0}};
  const PairSet set{view(points)};
  const auto refused = [&](const char* sentence, const PairHistogramOptions& options) {
    expect_error(ErrorCode::invalid_argument, sentence, [&] { pair_histogram(set, options); });
  };
  PairHistogramOptions options;
  refused("0 edges", options);
  options.bins.edges = {1, 1};
  refused("sort the edges", options);
  options.bins.edges = {1, 2};
  options.regions = 3;
  refused("0 region numbers", options);
  options.regions = 0;
  options.box = Box::periodic(4.0);
  options.bins.separation = Separation::theta;
  refused("periodic box", options);
  const std::vector<std::array<float, 2>> flat{{0, 0}, {1, 0}};
  expect_error(ErrorCode::invalid_argument, "dimension 3 and 2", [&] {
    pair_histogram(set, PairSet{view(flat)}, {.bins = {.edges = {1, 2}}});
  });
  CorrelationOptions asked;
  asked.bins.edges = {1, 2};
  expect_error(ErrorCode::invalid_argument, "give randoms", [&] { correlation(set, asked); });
  asked.box = Box::periodic(3.0);
  expect_error(ErrorCode::invalid_argument, "half the side", [&] { correlation(set, asked); });
}

}  // namespace
}  // namespace kith
