// Radius searches equal their definition.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <mutex>
#include <tuple>

#include <kith/radius.hpp>

#include "neighbors/knn_cases.hpp"
#include "support/expect_error.hpp"
#include "support/point_sets.hpp"
#include "support/property.hpp"
#include "support/tree_kinds.hpp"

namespace kith {
namespace {

using test::are_equal;
using test::Draw;
using test::rows_of;

/// Cuts the definition's rows to max_neighbors; returns how many were cut.
template <class T>
std::size_t cut(std::vector<BruteRow<T>>& rows, std::size_t limit) {
  std::size_t count = 0;
  for (BruteRow<T>& row : rows) {
    if (limit == 0 || row.index.size() <= limit) continue;
    row.index.resize(limit);
    row.distance.resize(limit);
    ++count;
  }
  return count;
}

template <class T>
std::vector<BruteRow<T>> sorted(std::vector<BruteRow<T>> rows) {
  for (BruteRow<T>& row : rows) {
    std::vector<std::pair<T, std::int64_t>> both;
    for (std::size_t i = 0; i < row.index.size(); ++i)
      both.emplace_back(row.distance[i], row.index[i]);
    std::sort(both.begin(), both.end());
    for (std::size_t i = 0; i < both.size(); ++i) std::tie(row.distance[i], row.index[i]) = both[i];
  }
  return rows;
}

template <class T>
void check_radius_case(Draw& draw) {
  const int dimension = draw.one_of({1, 2, 3, 3, 5});
  const auto set = draw.point_set<T>(dimension, draw.size(600));
  const TreeOptions options = test::any_tree(draw, draw.box(dimension));
  const std::string target = draw.target();
  const Execution execution{.threads = static_cast<int>(1 + draw.below(3))};
  const Tree tree(set.view(), options, execution);
  const bool is_other = draw.below(3) == 0;
  const auto others = draw.point_set<T>(dimension, draw.size(100));
  const PointsView queries = is_other ? others.view() : set.view();
  RadiusOptions ball{.radius = draw.uniform() * 0.4, .strict = draw.below(2) == 0};
  std::vector<double> radii;
  if (draw.below(3) == 0) {
    for (std::size_t i = 0; i < queries.size; ++i)
      radii.push_back(draw.uniform() * draw.uniform() * 0.5);
    ball.radius = 0;
    ball.radii = radii;
  }
  ball.exclude_self = !is_other && draw.below(2) == 0;
  const auto trace = ::testing::Message()
                     << set.name << ", n = " << set.size() << ", d = " << dimension << ", radius "
                     << ball.radius << ", other " << is_other << ", " << target;
  auto expected = is_other ? brute_radius<T>(set.view(), options, queries, ball)
                           : brute_radius<T>(set.view(), options, ball);
  const auto search = [&] {
    return is_other ? radius<T>(tree, queries, ball, execution) : radius<T>(tree, ball, execution);
  };
  const auto counts =
      is_other ? radius_count(tree, queries, ball, execution) : radius_count(tree, ball, execution);
  for (std::size_t i = 0; i < counts.size(); ++i)
    ASSERT_EQ(static_cast<std::size_t>(counts[i]), expected[i].index.size()) << trace;
  ball.sorted = false;
  ASSERT_TRUE(are_equal(sorted(rows_of(search())), sorted(expected))) << trace << ", unsorted";
  ball.sorted = true;
  ASSERT_TRUE(are_equal(rows_of(search()), expected)) << trace;
  ball.max_neighbors = 1 + draw.below(10);
  const std::size_t truncated = cut(expected, ball.max_neighbors);
  const auto lists = search();
  ASSERT_TRUE(are_equal(rows_of(lists), expected))
      << trace << ", max_neighbors " << ball.max_neighbors;
  ASSERT_EQ(lists.truncated(), truncated) << trace;
}

TEST(Radius, FloatsEqualBruteForce) { test::for_cases(1000, check_radius_case<float>); }
TEST(Radius, DoublesEqualBruteForce) { test::for_cases(500, check_radius_case<double>); }

TEST(Radius, PairsAreAllPairs) {
  const auto set = test::random_sets<float>(3, 500, 3)[0];
  const RadiusOptions ball{.radius = 0.15};
  const auto expected = brute_radius<float>(set.view(), {}, ball);
  std::vector<std::tuple<std::size_t, std::size_t, float>> wanted, streamed, listed;
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (std::size_t n = 0; n < expected[i].index.size(); ++n)
      if (static_cast<std::size_t>(expected[i].index[n]) > i)
        wanted.emplace_back(i, expected[i].index[n], expected[i].distance[n]);
  const Tree tree(set.view());
  const auto pairs = radius_pairs(tree, ball);
  for (std::size_t n = 0; n < pairs.size(); ++n)
    listed.emplace_back(pairs.i[n], pairs.j[n], pairs.distance[n]);
  EXPECT_EQ(listed, wanted);
  std::mutex mutex;
  for_each_pair<float>(tree, ball, [&](const Neighborhood<float>& near) {
    const std::lock_guard lock(mutex);
    for (std::size_t n = 0; n < near.index.size(); ++n)
      streamed.emplace_back(near.i, near.index[n], near.distance[n]);
  });
  std::sort(streamed.begin(), streamed.end());
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(streamed, wanted);
}

TEST(Radius, InfiniteRadiusTakesAll) {
  const auto set = test::random_sets<float>(3, 100, 4)[0];
  const std::vector<std::array<float, 3>> queries{{0, 0, 0}, {3e38f, 0, 0}};
  for (const double r : {1e30, std::numeric_limits<double>::infinity()}) {
    const RadiusOptions ball{.radius = r};
    EXPECT_TRUE(are_equal(rows_of(radius(Tree(set.view()), view(queries), ball)),
                          brute_radius<float>(set.view(), {}, view(queries), ball)));
  }
}

TEST(Radius, Errors) {
  const std::vector<std::array<float, 2>> points{{0, 0}, {1, 0}};
  const Tree tree(view(points));
  using test::expect_error;
  const std::vector<double> radii{1};
  expect_error(ErrorCode::invalid_argument, "radius = -1", [&] { radius(tree, {.radius = -1}); });
  expect_error(ErrorCode::invalid_argument, "1 radii for 2",
               [&] { radius(tree, {.radii = radii}); });
  expect_error(ErrorCode::invalid_argument, "exclude_self",
               [&] { radius(tree, view(points), {.radius = 1, .exclude_self = true}); });
  expect_error(ErrorCode::invalid_argument, "max_neighbors",
               [&] { radius_pairs(tree, {.radius = 1, .max_neighbors = 1}); });
}

}  // namespace
}  // namespace kith
