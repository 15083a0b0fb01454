// DBSCAN against its definition, with exact equality.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include <kith/clusters.hpp>

#include "clusters/brute.hpp"
#include "groups/support.hpp"
#include "support/expect_error.hpp"
#include "support/property.hpp"
#include "support/tree_kinds.hpp"

namespace kith {
namespace {

using test::Draw;
using test::expect_error;
using test::to_vector;

void expect_equal(const Clusters& clusters, const BruteClusters& brute) {
  EXPECT_EQ(to_vector(clusters.is_core()), brute.is_core);
  EXPECT_EQ(to_vector(clusters.label()), brute.label);
  EXPECT_EQ(clusters.sizes(), brute.size);
}

void expect_exact(const PointsView& points, DbscanOptions options, int threads) {
  const Execution execution{.threads = threads};
  const BruteClusters brute = brute_dbscan(points, options);
  expect_equal(dbscan(points, options, execution), brute);
  for (const TreeOptions& kind : test::tree_kinds(options.box, options.non_finite))
    expect_equal(dbscan(AnyTree(points, kind, execution), options, execution), brute);
  test::ExactCases::count();
}

template <class T>
void check_case(Draw& draw) {
  const int dimension = draw.one_of({3, 2, 3, 1, 3, 2, 4, 7});
  const auto points = draw.point_set<T>(dimension, 1 + draw.size(600));
  DbscanOptions options{.box = draw.box(dimension)};
  options.eps = std::pow(10, -3 + 3 * draw.uniform());
  if (draw.below(4) == 0) options.eps = draw.one_of({1.0, std::sqrt(2.0), 0.25, 1e-40});
  options.min_samples = draw.one_of({1, 2, 3, 4, 5, 8, 9, 20, 70});
  options.border = draw.one_of({Border::nearest, Border::sklearn, Border::none});
  options.border_links = draw.one_of({1, 1, 2, 3});
  SCOPED_TRACE(testing::Message() << draw.target() << ", eps " << options.eps << ", min_samples "
                                  << options.min_samples << ", border_links "
                                  << options.border_links);
  expect_exact(points.view(), options, static_cast<int>(1 + draw.below(3)));
}

TEST(DbscanProperty, FloatsEqualTheDefinition) { test::for_cases(1500, check_case<float>); }
TEST(DbscanProperty, DoublesEqualTheDefinition) { test::for_cases(1500, check_case<double>); }

/// Whole, binary and rounded fractions, also negative ones and 0.
std::vector<double> some_weights(Draw& draw, std::size_t n) {
  const std::size_t kind = draw.below(4);
  std::vector<double> weight;
  for (std::size_t i = 0; i < n; ++i) {
    if (kind == 0) weight.push_back(static_cast<double>(draw.below(5)));
    if (kind == 1) weight.push_back(static_cast<double>(draw.below(9)) / 8 - 0.25);
    if (kind == 2) weight.push_back(0.1 * static_cast<double>(1 + draw.below(30)));
    if (kind == 3) weight.push_back(std::exp2(-60 + 120 * draw.uniform()));
  }
  return weight;
}

template <class T>
void check_weights(Draw& draw) {
  const int dimension = draw.one_of({3, 2, 1, 4});
  const auto points = draw.point_set<T>(dimension, 1 + draw.size(300));
  const std::vector<double> weight = some_weights(draw, points.size());
  DbscanOptions options{.box = draw.box(dimension)};
  options.eps = std::pow(10, -2 + 2 * draw.uniform());
  options.min_samples = draw.one_of({1, 2, 3, 5, 9, 40});
  options.border = draw.one_of({Border::nearest, Border::sklearn, Border::none});
  options.sample_weight = weight;
  SCOPED_TRACE(testing::Message() << draw.target() << ", eps " << options.eps << ", min_samples "
                                  << options.min_samples);
  expect_exact(points.view(), options, static_cast<int>(1 + draw.below(3)));
}

TEST(DbscanProperty, WeightsOfFloatsEqualTheDefinition) {
  test::for_cases(500, check_weights<float>);
}
TEST(DbscanProperty, WeightsOfDoublesEqualTheDefinition) {
  test::for_cases(500, check_weights<double>);
}

/// A weight of w counts as w points there.
TEST(Dbscan, WholeWeightsAreRepeatedPoints) {
  test::for_cases(100, [](Draw& draw) {
    const auto set = draw.point_set<double>(2, 1 + draw.size(200));
    std::vector<double> weight;
    std::vector<std::array<double, 2>> points, repeated;
    std::vector<std::size_t> first;
    for (std::size_t i = 0; i < set.size(); ++i) {
      points.push_back({set.row(i)[0], set.row(i)[1]});
      weight.push_back(static_cast<double>(1 + draw.below(4)));
      first.push_back(repeated.size());
      repeated.insert(repeated.end(), static_cast<std::size_t>(weight.back()), points.back());
    }
    DbscanOptions options{.eps = 0.1, .min_samples = draw.one_of<std::size_t>({2, 4, 7})};
    const Clusters all = dbscan(repeated, options);
    options.sample_weight = weight;
    const Clusters weighted = dbscan(points, options);
    for (std::size_t i = 0; i < points.size(); ++i) {
      ASSERT_EQ(weighted.is_core()[i], all.is_core()[first[i]]);
      ASSERT_EQ(weighted.label()[i] < 0, all.label()[first[i]] < 0);
    }
    ASSERT_EQ(weighted.count(), all.count());
  });
}

template <class T>
void check_degenerate() {
  for (const int dimension : {1, 2, 3, 5})
    for (const test::PointSet<T>& set : test::degenerate_sets<T>(dimension))
      for (const double eps : {1e-30, 1e-3, 0.5, 7.0, 1e30})
        for (const std::size_t min_samples : {1u, 4u, 300u}) {
          SCOPED_TRACE(set.name + ", eps " + std::to_string(eps));
          expect_exact(set.view(), {.eps = eps, .min_samples = min_samples}, 2);
          expect_exact(set.view(),
                       {.box = Box::periodic(4),
                        .eps = eps,
                        .min_samples = min_samples,
                        .border = Border::sklearn},
                       1);
        }
}
TEST(DbscanDegenerate, Float) { check_degenerate<float>(); }
TEST(DbscanDegenerate, Double) { check_degenerate<double>(); }

/// Two friends make two core points: then DBSCAN is friends of friends.
TEST(Dbscan, TwoSamplesAreFriendsOfFriends) {
  const auto sets = test::random_sets<float>(3, 2000, 5);
  for (const auto& set : sets)
    for (const Border border : {Border::nearest, Border::sklearn, Border::none}) {
      const Clusters clusters =
          dbscan(set.view(), {.eps = 0.04, .min_samples = 2, .border = border});
      const Groups groups = fof(set.view(), {.linking_length = 0.04, .min_size = 2});
      EXPECT_EQ(to_vector(clusters.label()), to_vector(groups.label())) << set.name;
      EXPECT_EQ(clusters.sizes(), groups.sizes());
      EXPECT_EQ(clusters.groups().linking_length(), groups.linking_length());
    }
}

TEST(Dbscan, DroppedPointsAreNoise) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::array<double, 2>> points = {{0, 0}, {nan, 0}, {0, 1}, {1, 0}, {9, 9}};
  const DbscanOptions options{.eps = 1, .min_samples = 3, .non_finite = NonFinite::drop};
  const Clusters clusters = dbscan(view(points), options);
  EXPECT_EQ(to_vector(clusters.label()), (std::vector<std::int32_t>{0, -1, 0, 0, -1}));
  EXPECT_EQ(to_vector(clusters.is_core()), (std::vector<std::uint8_t>{1, 0, 0, 0, 0}));
  expect_equal(clusters, brute_dbscan(view(points), options));
}

TEST(Dbscan, OptionsAreChecked) {
  const std::vector<std::array<float, 2>> points = {{0, 0}, {1, 0}};
  const auto refused = [&](const DbscanOptions& options, std::string_view words) {
    expect_error(ErrorCode::invalid_argument, words, [&] { dbscan(view(points), options); });
  };
  refused({}, "dbscan: eps = 0");
  refused({.eps = -1}, "eps = -1");
  refused({.eps = std::numeric_limits<double>::infinity()}, "eps = inf");
  refused({.eps = 1, .min_samples = 0}, "min_samples = 0");
  refused({.eps = 1, .border_links = 0}, "border_links = 0");
  const std::vector<double> one{1}, bad{1, std::numeric_limits<double>::quiet_NaN()},
      huge{1e308, 1e308};
  refused({.eps = 1, .sample_weight = one}, "1 weights for 2 points");
  refused({.eps = 1, .sample_weight = huge}, "overflows");
  expect_error(ErrorCode::non_finite, "weight 1 is nan",
               [&] { dbscan(view(points), {.eps = 1, .sample_weight = bad}); });
  const Tree tree(view(points), {.box = Box::periodic(4)});
  expect_error(ErrorCode::invalid_argument, "not that of the tree",
               [&] { dbscan(tree, {.box = Box::periodic(5), .eps = 1}); });
}

}  // namespace
}  // namespace kith
