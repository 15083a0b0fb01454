// HDBSCAN* of points with weights, and of new points, against their definitions.
#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include <kith/hdbscan.hpp>

#include "clusters/brute.hpp"
#include "support/expect_error.hpp"
#include "support/property.hpp"
#include "support/tree_kinds.hpp"

namespace kith {
namespace {

using test::Draw;
using test::expect_error;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Whole numbers, or fractions whose sums are rounded.
std::vector<double> positive_weights(Draw& draw, std::size_t n, bool is_whole) {
  std::vector<double> weight;
  for (std::size_t i = 0; i < n; ++i)
    weight.push_back(is_whole ? static_cast<double>(1 + draw.below(draw.below(8) == 0 ? 12 : 3))
                              : 0.1 * static_cast<double>(1 + draw.below(30)));
  return weight;
}

double sum_of(const std::vector<double>& weight) {
  double sum = 0;
  for (const double one : weight) sum += one;
  return sum;
}

template <class T>
void check_spanning(Draw& draw) {
  const int dimension = draw.one_of({3, 2, 1, 5});
  const auto points = draw.point_set<T>(dimension, 1 + draw.size(200));
  const std::vector<double> weight = positive_weights(draw, points.size(), draw.below(2) == 0);
  SpanningTreeOptions options{.box = draw.box(dimension)};
  options.core_k =
      std::max<std::size_t>(1, std::min(draw.one_of<std::size_t>({1, 2, 5, 30}),
                                        static_cast<std::size_t>(0.9 * sum_of(weight))));
  options.sample_weight = weight;
  if (sum_of(weight) < 1.1) return;
  SCOPED_TRACE(testing::Message() << draw.target() << ", core_k " << options.core_k);
  const auto brute = brute_spanning_tree(points.view(), options);
  const Execution execution{.threads = static_cast<int>(1 + draw.below(3))};
  for (const TreeOptions& kind : test::tree_kinds(options.box, NonFinite::error)) {
    const AnyTree tree(points.view(), kind, execution);
    const SpanningTree spanning = spanning_tree(tree, options, execution);
    ASSERT_EQ(spanning.size(), brute.size());
    const std::vector<double> length = spanning.length();
    for (std::size_t i = 0; i < brute.size(); ++i) {
      ASSERT_EQ(spanning.index()[2 * i], brute[i].low);
      ASSERT_EQ(spanning.index()[2 * i + 1], brute[i].high);
      const T scale = std::ldexp(T(1), -tree.scale_exponent());
      ASSERT_EQ(length[i],
                static_cast<double>(std::sqrt(static_cast<T>(brute[i].length2)) * scale));
    }
    const HdbscanClusters before = condense(hierarchy(spanning));
    const HdbscanClusters after = condense(hierarchy(SpanningTree::from_bytes(spanning.bytes())));
    ASSERT_EQ(before.label, after.label);
    ASSERT_EQ(before.condensed_tree.weight, after.condensed_tree.weight);
  }
  test::ExactCases::count();
}

TEST(WeightsProperty, SpanningTreesOfFloatsEqualTheDefinition) {
  test::for_cases(200, check_spanning<float>);
}
TEST(WeightsProperty, SpanningTreesOfDoublesEqualTheDefinition) {
  test::for_cases(200, check_spanning<double>);
}

/// Points on a grid have many equal lengths; others have none.
std::vector<std::array<double, 2>> some_points(Draw& draw, std::size_t n) {
  const std::size_t kind = draw.below(3);
  std::vector<std::array<double, 2>> points;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = draw.uniform(), y = draw.uniform(), clump = static_cast<double>(draw.below(4));
    if (kind == 0) points.push_back({x, y});
    if (kind == 1) points.push_back({std::floor(9 * x), std::floor(9 * y)});
    if (kind == 2) points.push_back({clump + 0.1 * x, 0.1 * y * clump});
  }
  return points;
}

CondenseOptions some_options(Draw& draw) {
  CondenseOptions options{.min_cluster_size = draw.one_of<std::size_t>({2, 3, 5, 9})};
  if (draw.below(3) == 0) options.selection = ClusterSelection::leaf;
  if (draw.below(4) == 0) options.selection_epsilon = 0.05;
  options.allow_single_cluster = draw.below(3) == 0;
  if (draw.below(4) == 0) options.max_cluster_size = 40;
  return options;
}

/// A weight of w is w points.
void check_repeated(Draw& draw) {
  const auto points = some_points(draw, 2 + draw.size(150));
  const std::vector<double> weight = positive_weights(draw, points.size(), true);
  std::vector<std::array<double, 2>> repeated;
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < points.size(); ++i) {
    first.push_back(repeated.size());
    repeated.insert(repeated.end(), static_cast<std::size_t>(weight[i]), points[i]);
  }
  HdbscanOptions options{.condense = some_options(draw)};
  options.min_samples = std::min(draw.one_of<std::size_t>({1, 2, 4, 7, 12}), repeated.size());
  const Execution execution{.threads = static_cast<int>(1 + draw.below(3))};
  const HdbscanClusters all = hdbscan(repeated, options, execution);
  options.sample_weight = weight;
  const HdbscanClusters weighted = hdbscan(points, options, execution);
  ASSERT_EQ(weighted.count(), all.count());
  for (std::size_t i = 0; i < points.size(); ++i) {
    ASSERT_EQ(weighted.label[i], all.label[first[i]]) << i;
    ASSERT_EQ(weighted.probability[i], all.probability[first[i]]) << i;
    ASSERT_EQ(weighted.outlier_score[i], all.outlier_score[first[i]]) << i;
  }
  for (std::size_t c = 0; c < all.count(); ++c) {
    const double exact = all.stability[c];
    if (!std::isfinite(exact)) continue;
    ASSERT_NEAR(weighted.stability[c], exact, 1e-9 * (1 + exact));
  }
  test::ExactCases::count();
}

TEST(WeightsProperty, WholeWeightsAreRepeatedPoints) { test::for_cases(1500, check_repeated); }

TEST(Weights, OfOneChangeNothing) {
  Draw draw(3);
  const auto points = some_points(draw, 300);
  const std::vector<double> ones(points.size(), 1.0);
  const HdbscanClusters plain = hdbscan(points),
                        weighted = hdbscan(points, {.sample_weight = ones});
  EXPECT_EQ(plain.label, weighted.label);
  EXPECT_EQ(plain.probability, weighted.probability);
  EXPECT_EQ(plain.stability, weighted.stability);
  EXPECT_EQ(plain.condensed_tree.parent, weighted.condensed_tree.parent);
  EXPECT_EQ(plain.condensed_tree.size, weighted.condensed_tree.size);
  EXPECT_TRUE(plain.condensed_tree.weight.empty());
  EXPECT_EQ(weighted.condensed_tree.weight.size(), weighted.condensed_tree.rows());
}

/// Scaling weights, min_samples and the weight of clusters together by a power of two, so that no
/// point has bundles, changes nothing but the weights.
TEST(Weights, ClustersNeedTheirWeight) {
  const std::vector<std::array<double, 1>> points{{0}, {0.1}, {0.2}, {5}, {5.1}, {5.2}, {5.3}};
  const std::vector<double> weight{0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
  const auto found = [&](double least) {
    return hdbscan(points, {.min_samples = 1,
                            .condense = {.min_cluster_weight = least},
                            .sample_weight = weight})
        .count();
  };
  EXPECT_EQ(found(1.5), 2u);
  EXPECT_EQ(found(1.75), 0u);
}

TEST(Weights, AreChecked) {
  const std::vector<std::array<float, 2>> points = {{0, 0}, {1, 0}};
  const std::vector<double> one{1}, zero{1, 0}, small{0.5, 0.25};
  const auto refused = [&](const HdbscanOptions& options, std::string_view words) {
    expect_error(ErrorCode::invalid_argument, words, [&] { hdbscan(points, options); });
  };
  refused({.sample_weight = one}, "1 weights for 2 points");
  refused({.sample_weight = zero}, "weight 1 is 0");
  refused({.min_samples = 1, .sample_weight = small}, "all weights add up to 0.75");
  refused({.condense = {.min_cluster_weight = -1}}, "min_cluster_weight = -1");
}

double squared(const std::array<double, 2>& p, const std::array<double, 2>& q) {
  const double dx = std::abs(p[0] - q[0]), dy = std::abs(p[1] - q[1]);
  return dx * dx + dy * dy;
}

/// The squared distance within which the weights around a place add up to k, which is whole.
double core2_at(const std::vector<std::array<double, 2>>& points, const std::vector<double>& weight,
                const std::array<double, 2>& at, std::size_t k) {
  std::vector<std::pair<double, std::size_t>> all;
  for (std::size_t i = 0; i < points.size(); ++i) all.emplace_back(squared(at, points[i]), i);
  std::sort(all.begin(), all.end());
  double sum = 0;
  for (const auto& [d2, i] : all)
    if ((sum += weight[i]) >= static_cast<double>(k)) return d2;
  return kInfinity;
}

struct BruteTie {
  std::size_t point;
  double lambda;
};

BruteTie brute_tie(const std::vector<std::array<double, 2>>& points,
                   const std::vector<double>& weight, const std::vector<double>& core2,
                   const std::array<double, 2>& query, std::size_t k) {
  const double own = core2_at(points, weight, query, k);
  std::array<double, 3> best{kInfinity, kInfinity, kInfinity};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double d2 = squared(query, points[i]);
    best = std::min(best, {std::max({own, core2[i], d2}), d2, static_cast<double>(i)});
  }
  const double length = std::sqrt(best[0]);
  return {static_cast<std::size_t>(best[2]), length > 0 ? 1 / length : kInfinity};
}

/// The row of the condensed tree whose child this is.
std::size_t row_of(const CondensedTree& tree, std::int64_t child, bool is_cluster) {
  for (std::size_t row = 0; row < tree.rows(); ++row)
    if (tree.child[row] == child && (is_cluster || tree.size[row] > 0)) return row;
  return tree.rows();
}

std::int64_t brute_cluster(const CondensedTree& tree, std::int64_t root, const BruteTie& tie) {
  const std::size_t row = row_of(tree, static_cast<std::int64_t>(tie.point), false);
  std::int64_t cluster = tree.parent[row];
  if (tree.lambda[row] <= tie.lambda) return cluster;
  while (cluster > root) {
    const std::size_t birth = row_of(tree, cluster, true);
    if (tree.lambda[birth] < tie.lambda) break;
    cluster = tree.parent[birth];
  }
  return cluster;
}

/// The selected cluster around a cluster, or -1.
std::int32_t brute_label(const HdbscanClusters& clusters, std::int64_t root, std::int64_t cluster) {
  for (;;) {
    const auto found = std::find(clusters.selected.begin(), clusters.selected.end(), cluster);
    if (found != clusters.selected.end())
      return static_cast<std::int32_t>(found - clusters.selected.begin());
    if (cluster == root) return -1;
    cluster = clusters.condensed_tree.parent[row_of(clusters.condensed_tree, cluster, true)];
  }
}

void check_prediction(Draw& draw) {
  const auto points = some_points(draw, 20 + draw.size(150)), queries = some_points(draw, 40);
  const bool is_weighted = draw.below(2) == 0;
  std::vector<double> weight(points.size(), 1.0);
  if (is_weighted) weight = positive_weights(draw, points.size(), true);
  HdbscanOptions options{.condense = some_options(draw)};
  options.condense.allow_single_cluster = false;
  options.min_samples = draw.one_of<std::size_t>({1, 2, 4, 9});
  const Execution execution{.threads = static_cast<int>(1 + draw.below(3))};
  const Tree tree(points);
  SpanningTreeOptions spanning{.core_k = options.min_samples};
  if (is_weighted) spanning.sample_weight = weight;
  const Hierarchy all = hierarchy(tree, spanning, execution);
  const HdbscanClusters clusters = condense(all, options.condense, execution);
  const HdbscanPrediction found = predict(tree, all, clusters, queries, execution);
  std::vector<double> core2;
  for (const auto& point : points)
    core2.push_back(core2_at(points, weight, point, options.min_samples));
  const auto root = static_cast<std::int64_t>(points.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const BruteTie tie = brute_tie(points, weight, core2, queries[i], options.min_samples);
    const std::int64_t cluster = brute_cluster(clusters.condensed_tree, root, tie);
    const std::int32_t label = brute_label(clusters, root, cluster);
    ASSERT_EQ(found.label[i], label) << i;
    double deepest = 0;
    for (std::size_t row = 0; label >= 0 && row < clusters.condensed_tree.rows(); ++row)
      if (clusters.condensed_tree.parent[row] == clusters.selected[static_cast<std::size_t>(label)])
        deepest = std::max(deepest, clusters.condensed_tree.lambda[row]);
    const double expected = label < 0 ? 0 : tie.lambda >= deepest ? 1 : tie.lambda / deepest;
    ASSERT_EQ(found.probability[i], expected) << i;
  }
  const std::vector<std::int32_t> own = predict(tree, all, clusters, points, execution).label;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto same = std::find(points.begin(), points.end(), points[i]) - points.begin();
    ASSERT_EQ(own[i], clusters.label[static_cast<std::size_t>(same)]) << i;
  }
  test::ExactCases::count();
}

TEST(PredictProperty, EqualsTheDefinition) { test::for_cases(500, check_prediction); }

TEST(Predict, NeedsItsOwnTree) {
  Draw draw(5);
  const auto points = some_points(draw, 50), others = some_points(draw, 51);
  const Tree tree(points), other(others);
  const Hierarchy all = hierarchy(tree, {.core_k = 5});
  const HdbscanClusters clusters = condense(all);
  expect_error(ErrorCode::invalid_argument, "a tree of 51 points",
               [&] { predict(other, all, clusters, points); });
  EXPECT_EQ(predict(tree, all, clusters, std::vector<std::array<double, 2>>()).label.size(), 0u);
}

}  // namespace
}  // namespace kith
