// Searches on the sky against their definition: all pairs of unit vectors, with exact equality.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include <kith/sky.hpp>

#include "clusters/brute.hpp"
#include "support/expect_error.hpp"
#include "support/property.hpp"
#include "support/tree_kinds.hpp"

namespace kith {
namespace {

using test::Draw;
using test::expect_error;

struct Catalogue {
  std::vector<double> ra, dec;
  sky::AngleUnit unit = sky::AngleUnit::degrees;

  sky::Positions positions() const { return {.ra = ra, .dec = dec, .unit = unit}; }
  std::size_t size() const { return ra.size(); }
  void add(double a, double d) {
    const double scale = unit == sky::AngleUnit::degrees ? 1 : std::acos(-1.0) / 180;
    ra.push_back(a * scale);
    dec.push_back(std::clamp(d * scale, -90 * scale, 90 * scale));
  }
};

/// Uniform, on a grid with ties, around a pole, across ra = 0, in small clumps, and with their
/// antipodes.
Catalogue some_catalogue(Draw& draw, std::size_t n) {
  Catalogue c;
  if (draw.below(4) == 0) c.unit = sky::AngleUnit::radians;
  const std::size_t kind = draw.below(6);
  for (std::size_t i = 0; i < n; ++i) {
    const double u = draw.uniform(), v = draw.uniform();
    const double dec = std::asin(2 * v - 1) * 180 / std::acos(-1.0);
    if (kind == 0) c.add(360 * u, dec);
    if (kind == 1)
      c.add(static_cast<double>(draw.below(9)) * 45, static_cast<double>(draw.below(5)) * 45 - 90);
    if (kind == 2) c.add(720 * u - 360, 90 - 1e-3 * v * static_cast<double>(draw.below(3)));
    if (kind == 3) c.add(u < 0.5 ? u : 359 + u, 2 * v - 1);
    if (kind == 4) c.add(static_cast<double>(draw.below(5)) * 70 + 1e-9 * u, 60 + 1e-9 * v);
    if (kind == 5) c.add(360 * u, dec), c.add(360 * u + 180, -dec);
  }
  return c;
}

double distance2(const sky::Vector& p, const sky::Vector& q) {
  double d2 = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double dx = std::abs(p[axis] - q[axis]);
    d2 += dx * dx;
  }
  return d2;
}

struct BruteRow {
  std::vector<std::int64_t> index;
  std::vector<double> angle;
};

/// The positions within a chord, in the order of (d2, index).
BruteRow brute_row(const std::vector<sky::Vector>& points, const sky::Vector& query, double chord,
                   sky::AngleUnit unit) {
  std::vector<std::pair<double, std::int64_t>> all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double d2 = distance2(points[i], query);
    if (d2 <= chord * chord) all.emplace_back(d2, static_cast<std::int64_t>(i));
  }
  std::sort(all.begin(), all.end());
  BruteRow row;
  for (const auto& [d2, i] : all) {
    row.index.push_back(i);
    row.angle.push_back(sky::angle(std::sqrt(d2), unit));
  }
  return row;
}

/// The first k; the rest is -1 and infinity.
BruteRow cut(BruteRow row, std::size_t k) {
  row.index.resize(k, -1);
  row.angle.resize(std::min(row.angle.size(), k));
  row.angle.resize(k, INFINITY);
  return row;
}

template <class Span>
auto vector_of(const Span& span) {
  return std::vector(span.begin(), span.end());
}

void check_neighbors(const Catalogue& c, const Catalogue& queries, std::size_t k, double angle,
                     const Execution& execution) {
  const auto points = sky::unit_vectors(c.positions()),
             asked = sky::unit_vectors(queries.positions());
  const double chord = sky::chord(angle, c.unit);
  const auto near = sky::knn(c.positions(), queries.positions(), {.k = k}, execution);
  const auto limited =
      sky::knn(c.positions(), queries.positions(), {.k = k, .max_angle = angle}, execution);
  const auto lists = sky::radius(c.positions(), queries.positions(), angle, execution);
  const auto matches = sky::match(queries.positions(), c.positions(), angle, execution);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const BruteRow all = brute_row(points, asked[i], 3, c.unit);
    const BruteRow within = brute_row(points, asked[i], chord, c.unit);
    ASSERT_EQ(vector_of(near.index(i)), cut(all, k).index);
    ASSERT_EQ(vector_of(near.distance(i)), cut(all, k).angle);
    ASSERT_EQ(vector_of(limited.index(i)), cut(within, k).index);
    ASSERT_EQ(vector_of(limited.distance(i)), cut(within, k).angle);
    ASSERT_EQ(vector_of(lists.index(i)), within.index);
    ASSERT_EQ(vector_of(lists.distance(i)), within.angle);
    ASSERT_EQ(matches.index[i], cut(within, 1).index[0]);
    ASSERT_EQ(matches.angle[i], cut(within, 1).angle[0]);
  }
}

void check_pairs(const Catalogue& c, double angle, const Execution& execution) {
  const auto points = sky::unit_vectors(c.positions());
  const double chord = sky::chord(angle, c.unit);
  const auto pairs = sky::pairs(c.positions(), angle, execution);
  std::size_t at = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const BruteRow row = brute_row(points, points[i], chord, c.unit);
    for (std::size_t n = 0; n < row.index.size(); ++n) {
      if (row.index[n] <= static_cast<std::int64_t>(i)) continue;
      ASSERT_LT(at, pairs.size());
      ASSERT_EQ(pairs.i[at], static_cast<std::int64_t>(i));
      ASSERT_EQ(pairs.j[at], row.index[n]);
      ASSERT_EQ(pairs.distance[at], row.angle[n]);
      ++at;
    }
  }
  ASSERT_EQ(at, pairs.size());
}

void check_groups(const Catalogue& c, double angle, std::size_t min_samples,
                  const Execution& execution) {
  const auto points = sky::unit_vectors(c.positions());
  const double chord = sky::chord(angle, c.unit);
  const BruteClusters friends = brute_dbscan(points, {.eps = chord, .min_samples = 1});
  EXPECT_EQ(vector_of(sky::fof(c.positions(), angle, 1, execution).label()), friends.label);
  const BruteClusters brute = brute_dbscan(points, {.eps = chord, .min_samples = min_samples});
  const Clusters clusters =
      sky::dbscan(c.positions(), {.eps = angle, .min_samples = min_samples}, execution);
  EXPECT_EQ(vector_of(clusters.label()), brute.label);
  EXPECT_EQ(vector_of(clusters.is_core()), brute.is_core);
}

void check_tree(const Catalogue& c, std::size_t core_k, const Execution& execution) {
  const auto points = sky::unit_vectors(c.positions());
  const auto brute = brute_spanning_tree(points, {.core_k = core_k});
  const SpanningTree tree = sky::spanning_tree(c.positions(), core_k, execution);
  const std::vector<double> length = tree.length();
  ASSERT_EQ(tree.size(), brute.size());
  for (std::size_t i = 0; i < brute.size(); ++i) {
    ASSERT_EQ(tree.index()[2 * i], brute[i].low);
    ASSERT_EQ(tree.index()[2 * i + 1], brute[i].high);
    ASSERT_EQ(length[i], sky::angle(std::sqrt(brute[i].length2), c.unit));
  }
  EXPECT_EQ(SpanningTree::from_bytes(tree.bytes()).length(), length);
}

void check_case(Draw& draw) {
  const Catalogue c = some_catalogue(draw, 1 + draw.size(120));
  Catalogue queries = some_catalogue(draw, 1 + draw.size(40));
  if (queries.unit != c.unit) queries = c;
  double angle = draw.one_of({0.0, 1e-9, 1e-3, 1.0, 45.0, 90.0, 179.999, 180.0, 400.0});
  if (c.unit == sky::AngleUnit::radians) angle *= std::acos(-1.0) / 180;
  SCOPED_TRACE(testing::Message() << draw.target() << ", " << name(c.unit) << ", angle " << angle);
  const Execution execution{.threads = static_cast<int>(1 + draw.below(3))};
  check_neighbors(c, queries, draw.one_of({1, 2, 5, 17}), angle, execution);
  check_pairs(c, angle, execution);
  if (angle > 0) check_groups(c, angle, draw.one_of({2, 3, 6}), execution);
  check_tree(c, std::min<std::size_t>(c.size(), draw.one_of({1, 2, 4})), execution);
  test::ExactCases::count();
}

TEST(SkyProperty, EqualsTheDefinition) { test::for_cases(600, check_case); }

TEST(Sky, PolesAndWrapsAreOnePoint) {
  const std::vector<double> ra{0, 90, 217.3, 360, 5, 365, -355}, dec{90, 90, 90, 90, -20, -20, -20};
  const auto v = sky::unit_vectors({.ra = ra, .dec = dec});
  for (int i = 1; i < 4; ++i) EXPECT_EQ(v[0], v[static_cast<std::size_t>(i)]);
  EXPECT_EQ(v[0], (sky::Vector{0, 0, 1}));
  EXPECT_EQ(v[4], v[5]);
  EXPECT_EQ(v[4], v[6]);
}

TEST(Sky, AntipodesAreHalfATurnApart) {
  const std::vector<double> ra{10, 190, 123.4, 303.4}, dec{20, -20, -71.2, 71.2};
  const auto near = sky::knn({.ra = ra, .dec = dec}, {.k = 4});
  EXPECT_NEAR(near.distance(0)[3], 180, 2e-6);
  EXPECT_NEAR(near.distance(2)[3], 180, 2e-6);
  const std::vector<double> x{0, 180, 0}, y{0, 0, 90};
  const auto exact = sky::knn({.ra = x, .dec = y}, {.k = 3});
  EXPECT_EQ(exact.distance(0)[2], 180);
  EXPECT_NEAR(exact.distance(0)[1], 90, 1e-13);
}

TEST(Sky, HierarchiesMeasureAngles) {
  Draw draw(7);
  Catalogue c;
  for (int i = 0; i < 400; ++i) c.add(360 * draw.uniform(), 180 * draw.uniform() - 90);
  const Hierarchy all = hierarchy(sky::spanning_tree(c.positions()));
  for (const double angle : {0.5, 3.0, 10.0}) {
    const Groups groups = all.groups({.linking_length = angle});
    EXPECT_EQ(vector_of(groups.label()), vector_of(sky::fof(c.positions(), angle).label()));
    EXPECT_EQ(all.count(std::vector{angle})[0].groups, groups.count());
  }
  const std::vector<double> rows = all.linkage();
  EXPECT_EQ(rows[2], all.spanning_tree().length()[0]);
  const HdbscanClusters clusters =
      sky::hdbscan(c.positions(), {.condense = {.min_cluster_size = 4}});
  EXPECT_EQ(
      clusters.label,
      condense(hierarchy(sky::spanning_tree(c.positions(), 4)), {.min_cluster_size = 4}).label);
}

TEST(Sky, DropsWhatIsNotANumber) {
  const std::vector<double> ra{0, NAN, 1}, dec{0, 0, INFINITY};
  sky::Positions positions{.ra = ra, .dec = dec, .non_finite = NonFinite::drop};
  const auto near = sky::knn(positions, {.k = 1});
  EXPECT_EQ(near.index(0)[0], 0);
  EXPECT_EQ(near.index(1)[0], -1);
  EXPECT_EQ(near.distance(2)[0], INFINITY);
  positions.non_finite = NonFinite::error;
  expect_error(ErrorCode::non_finite, "position 1", [&] { (void)sky::unit_vectors(positions); });
}

TEST(Sky, RefusesWhatIsNoPosition) {
  const std::vector<double> ra{0, 1}, dec{0, 91}, one{0}, far{1e7};
  const auto refused = [](const char* words, auto call) {
    expect_error(ErrorCode::invalid_argument, words, call);
  };
  refused("declination 91", [&] { (void)sky::tree({.ra = ra, .dec = dec}); });
  refused("2 right ascensions and 1", [&] { (void)sky::tree({.ra = ra, .dec = one}); });
  refused("right ascension",
          [&] { (void)sky::tree({.ra = far, .dec = one, .unit = sky::AngleUnit::radians}); });
  refused("sky.chord: angle = -1 degrees", [&] { (void)sky::chord(-1); });
  refused("in one unit", [&] {
    (void)sky::match({.ra = one, .dec = one},
                     {.ra = one, .dec = one, .unit = sky::AngleUnit::radians});
  });
  refused("unit vectors", [&] {
    const std::vector<std::array<double, 2>> flat{{0, 0}, {1, 1}};
    (void)sky::in_angles(spanning_tree(flat));
  });
}

TEST(Sky, ErrorsNameTheCallAndTheAngle) {
  const std::vector<double> zero{0, 0, 0};
  const sky::Positions at{.ra = zero, .dec = zero};
  const auto refused = [](const char* words, auto call) {
    expect_error(ErrorCode::invalid_argument, words, call);
  };
  refused("sky.knn: max_angle = -1 degrees; give 0 or more",
          [&] { (void)sky::knn(at, {.max_angle = -1}); });
  refused("sky.match: max_angle = nan degrees", [&] { (void)sky::match(at, at, NAN); });
  refused("sky.radius: angle = nan degrees", [&] { (void)sky::radius(at, NAN); });
  refused("sky.pairs: angle = -2 degrees", [&] { (void)sky::pairs(at, -2); });
  refused("sky.fof: angle = 0 degrees; give a positive angle", [&] { (void)sky::fof(at, 0); });
  refused("sky.dbscan: eps = 0 degrees", [&] { (void)sky::dbscan(at, {.eps = 0}); });
  refused("hdbscan: min_samples = 5 of 3 points", [&] { (void)sky::hdbscan(at); });
}

TEST(Sky, HdbscanCountsWeights) {
  Draw draw(8);
  Catalogue c;
  for (int i = 0; i < 300; ++i) c.add(360 * draw.uniform(), 180 * draw.uniform() - 90);
  const std::vector<double> weight(c.ra.size(), 3);
  const HdbscanOptions options{.condense = {.min_cluster_size = 9}, .sample_weight = weight};
  std::vector<double> ra, dec;
  for (std::size_t i = 0; i < c.ra.size(); ++i) {
    ra.insert(ra.end(), 3, c.ra[i]);
    dec.insert(dec.end(), 3, c.dec[i]);
  }
  const HdbscanClusters weighted = sky::hdbscan(c.positions(), options),
                        repeated =
                            sky::hdbscan({.ra = ra, .dec = dec}, {.condense = options.condense});
  EXPECT_EQ(weighted.count(), repeated.count());
  for (std::size_t i = 0; i < c.ra.size(); ++i)
    EXPECT_EQ(weighted.label[i], repeated.label[3 * i]) << i;
}

TEST(Sky, EmptyCataloguesGiveNothing) {
  EXPECT_EQ(sky::knn({}, {.k = 3}).size(), 0u);
  EXPECT_EQ(sky::match({}, {}).index.size(), 0u);
  EXPECT_EQ(sky::fof({}, 1).count(), 0u);
  EXPECT_EQ(sky::spanning_tree({}).size(), 0u);
  EXPECT_EQ(sky::hdbscan({}).count(), 0u);
}

}  // namespace
}  // namespace kith
