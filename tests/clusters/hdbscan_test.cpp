// HDBSCAN*: small cases by hand, invariants of the condensed tree on random sets. Equality with
// scikit-learn's own code on the same spanning trees is tested in Python.
#include <gtest/gtest.h>
#include <map>
#include <set>

#include <kith/hdbscan.hpp>

#include "support/expect_error.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::Draw;
using test::expect_error;
using Points = std::vector<std::array<double, 1>>;

/// Two clumps of five, and a point far from both.
Points two_clumps() { return {{0}, {1}, {2}, {3}, {4}, {200}, {40}, {41}, {42}, {43}, {44}}; }

TEST(Hdbscan, TwoClumpsAndNoise) {
  const HdbscanClusters clusters =
      hdbscan(view(two_clumps()), {.min_samples = 1, .condense = {.min_cluster_size = 3}});
  EXPECT_EQ(clusters.label, (std::vector<std::int32_t>{0, 0, 0, 0, 0, -1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(clusters.count(), 2u);
  EXPECT_EQ(clusters.probability[0], 1);
  EXPECT_EQ(clusters.probability[5], 0);
  EXPECT_GT(clusters.outlier_score[5], 0.9);
  EXPECT_EQ(clusters.outlier_score[0], 0);
}

TEST(Hdbscan, OneClusterIfAllowed) {
  Points points;
  for (int i = 0; i < 20; ++i) points.push_back({static_cast<double>(i)});
  HdbscanOptions options{.min_samples = 1, .condense = {.min_cluster_size = 15}};
  EXPECT_EQ(hdbscan(view(points), options).count(), 0u);
  options.condense.allow_single_cluster = true;
  EXPECT_EQ(hdbscan(view(points), options).count(), 1u);
  EXPECT_EQ(hdbscan(view(points), options).label, std::vector<std::int32_t>(20, 0));
}

/// All points as one cluster are a cluster of all points: they may be too many.
TEST(Hdbscan, OneClusterMayBeTooLarge) {
  Points points;
  for (int i = 0; i < 20; ++i) points.push_back({static_cast<double>(i)});
  HdbscanOptions options{
      .min_samples = 1,
      .condense = {.min_cluster_size = 15, .allow_single_cluster = true, .max_cluster_size = 20}};
  EXPECT_EQ(hdbscan(view(points), options).count(), 1u);
  options.condense.max_cluster_size = 19;
  EXPECT_EQ(hdbscan(view(points), options).count(), 0u);
}

/// Of the clumps, that of the first point is number 0, wherever it is.
TEST(Hdbscan, NumbersBeginAtTheFirstPoint) {
  for (const double first : {0.0, 40.0}) {
    Points points{{first}};
    for (const double middle : {0.0, 40.0})
      for (int i = 1; i < 6; ++i) points.push_back({middle + i});
    const HdbscanClusters clusters =
        hdbscan(view(points), {.min_samples = 1, .condense = {.min_cluster_size = 3}});
    EXPECT_EQ(clusters.count(), 2u);
    EXPECT_EQ(clusters.label[0], 0);
    EXPECT_EQ(clusters.label[1], first == 0 ? 0 : 1);
    EXPECT_EQ(clusters.label[6], first == 0 ? 1 : 0);
  }
}

TEST(Hdbscan, FewPoints) {
  for (std::size_t n = 0; n < 5; ++n) {
    const Points points(n, {1.0});
    const HdbscanClusters clusters =
        hdbscan(view(points), {.min_samples = 1, .condense = {.min_cluster_size = 5}});
    EXPECT_EQ(clusters.label, std::vector<std::int32_t>(n, -1));
  }
}

TEST(Hdbscan, OptionsAreChecked) {
  const Points points = two_clumps();
  expect_error(ErrorCode::invalid_argument, "min_cluster_size = 1",
               [&] { hdbscan(view(points), {.condense = {.min_cluster_size = 1}}); });
  expect_error(ErrorCode::invalid_argument, "min_samples = 50 of 11 points",
               [&] { hdbscan(view(points), {.min_samples = 50}); });
  expect_error(ErrorCode::invalid_argument, "selection_epsilon = -1",
               [&] { hdbscan(view(points), {.condense = {.selection_epsilon = -1}}); });
}

/// Every point leaves one cluster once, clusters hold what leaves them, and the result does not
/// depend on threads.
template <class T>
void check_hdbscan(Draw& draw) {
  const int dimension = draw.one_of({2, 3, 1, 4});
  const auto points = draw.point_set<T>(dimension, 2 + draw.size(1500));
  HdbscanOptions options{.box = draw.box(dimension)};
  options.condense.min_cluster_size = 2 + draw.below(12);
  options.min_samples =
      std::min<std::size_t>(std::max<std::size_t>(1, points.size()), 1 + draw.below(8));
  options.condense.selection = draw.one_of({ClusterSelection::eom, ClusterSelection::leaf});
  options.condense.allow_single_cluster = draw.below(3) == 0;
  options.condense.selection_epsilon = draw.one_of({0.0, 0.0, 0.1});
  options.condense.max_cluster_size = draw.one_of({0, 0, 50});
  const HdbscanClusters one = hdbscan(points.view(), options, {.threads = 1});
  const HdbscanClusters three = hdbscan(points.view(), options, {.threads = 3});
  EXPECT_EQ(one.label, three.label);
  EXPECT_EQ(one.probability, three.probability);
  EXPECT_EQ(one.condensed_tree.child, three.condensed_tree.child);
  const CondensedTree& tree = one.condensed_tree;
  std::map<std::int64_t, std::int64_t> leaving;
  std::set<std::int64_t> children;
  for (std::size_t row = 0; row < tree.rows(); ++row) {
    leaving[tree.parent[row]] += tree.size[row];
    EXPECT_TRUE(children.insert(tree.child[row]).second);
  }
  const auto n = static_cast<std::int64_t>(points.size());
  for (std::size_t row = 0; row < tree.rows(); ++row)
    if (tree.child[row] >= n) {
      EXPECT_EQ(leaving[tree.child[row]], tree.size[row]);
    }
  if (points.size() > 1) {
    EXPECT_EQ(leaving[n], n);
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_LT(one.label[i], static_cast<std::int32_t>(one.count()));
    EXPECT_TRUE(one.probability[i] >= 0 && one.probability[i] <= 1);
    EXPECT_TRUE(one.outlier_score[i] >= 0 && one.outlier_score[i] <= 1);
  }
}
TEST(HdbscanProperty, Floats) { test::for_cases(300, check_hdbscan<float>); }
TEST(HdbscanProperty, Doubles) { test::for_cases(300, check_hdbscan<double>); }

}  // namespace
}  // namespace kith
