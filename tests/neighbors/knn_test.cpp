// The interface of kNN: options, errors, degenerate input.
#include <array>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <thread>

#include <kith/kith.hpp>

#include "neighbors/knn_cases.hpp"
#include "support/expect_error.hpp"
#include "support/point_sets.hpp"
#include "support/processor_clock.hpp"
#include "support/tree_kinds.hpp"

namespace kith {
namespace {

using test::are_equal;
using test::rows_of;

template <class T>
void check_degenerate() {
  for (int dimension : {1, 2, 3, 5})
    for (const auto& set : test::degenerate_sets<T>(dimension))
      for (const std::size_t k : {1, 4, 16, 40, 600})
        for (const TreeOptions& options : test::tree_kinds({}, NonFinite::error)) {
          if (k == 600 && set.size() > 520) continue;
          const Tree tree(set.view(), options);
          const KnnOptions knn_options{.k = k, .exclude_self = k == 4};
          ASSERT_TRUE(are_equal(rows_of(knn<T>(tree, knn_options)),
                                brute_knn<T>(set.view(), options, knn_options)))
              << set.name << ", d = " << dimension << ", k = " << k << ", builder "
              << int(options.builder) << ", curve " << int(options.curve);
        }
}

TEST(Knn, DegenerateSetsOfFloats) { check_degenerate<float>(); }
TEST(Knn, DegenerateSetsOfDoubles) { check_degenerate<double>(); }

std::vector<std::array<float, 3>> some_points(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<std::array<float, 3>> points(n);
  for (auto& p : points) p = {uniform(random), uniform(random), uniform(random)};
  return points;
}

TEST(Knn, NoTreeHasSoManyNeighbors) {
  const Tree full(view(some_points(10, 1))), empty(view(some_points(0, 1)));
  for (const std::size_t k : {kMaxNeighbors + 1, std::size_t{1} << 61, std::size_t{1} << 62,
                              std::numeric_limits<std::size_t>::max()}) {
    for (const Tree<float>& tree : {full, empty}) {
      const KnnOptions options{.k = k};
      test::expect_error(ErrorCode::invalid_argument, "ask for fewer", [&] { knn(tree, options); });
      test::expect_error(ErrorCode::invalid_argument, "ask for fewer",
                         [&] { kth_distance(tree, options); });
      test::expect_error(ErrorCode::invalid_argument, "ask for fewer",
                         [&] { KnnSearcher<float>(tree, options); });
      float rows[1];
      test::expect_error(ErrorCode::invalid_argument, "ask for fewer", [&] {
        knn_into<float, std::int32_t>(tree, options, {nullptr, rows, tree.size()});
      });
    }
  }
}

TEST(Knn, ASearcherMayLeaveOutEitherResult) {
  const auto points = some_points(50, 1);
  for (const Tree<float>& tree : {Tree(view(points)), Tree(view(some_points(0, 1)))}) {
    KnnSearcher<float> search(tree, {.k = 3});
    std::int32_t index[3], alone[3];
    float distance[3], far[3];
    search(points[7].data(), index, distance);
    search(points[7].data(), alone, nullptr);
    search(points[7].data(), nullptr, far);
    search(points[7].data(), nullptr, nullptr);
    EXPECT_TRUE(std::equal(index, index + 3, alone));
    EXPECT_TRUE(std::equal(distance, distance + 3, far));
  }
}

TEST(Knn, TreeOrderIsAPermutationOfInputOrder) {
  const auto points = some_points(1000, 1);
  const Tree tree(view(points));
  const auto by_input = knn(tree, {.k = 5});
  const auto by_tree = knn(tree, {.k = 5, .order = RowOrder::tree});
  const auto order = tree.order();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto row = static_cast<std::size_t>(order[i]);
    ASSERT_TRUE(
        std::equal(by_tree.index(i).begin(), by_tree.index(i).end(), by_input.index(row).begin()));
  }
}

TEST(Knn, WideIndicesAreTheSame) {
  const auto points = some_points(1000, 2);
  const Tree tree(view(points));
  EXPECT_TRUE(
      are_equal(rows_of(knn<float, std::int64_t>(tree, {.k = 7})), rows_of(knn(tree, {.k = 7}))));
}

TEST(Knn, HalfOfTheAnswerMayBeLeftOut) {
  const auto points = some_points(300, 3);
  const Tree tree(view(points));
  const auto both = knn(tree, {.k = 3});
  std::vector<std::int32_t> index(900);
  std::vector<float> distance(900);
  knn_into<float, std::int32_t>(tree, {.k = 3}, {.index = index.data(), .rows = 300});
  knn_into<float, std::int32_t>(tree, {.k = 3}, {.distance = distance.data(), .rows = 300});
  EXPECT_TRUE(std::equal(index.begin(), index.end(), both.indices()));
  EXPECT_TRUE(std::equal(distance.begin(), distance.end(), both.distances()));
}

TEST(Knn, RadiusLimitIsInclusiveUnlessStrict) {
  const std::vector<std::array<float, 2>> points{{0, 0}, {1, 0}, {0, 2}, {3, 0}};
  const Tree tree(view(points));
  const auto within = knn(tree, {.k = 4, .max_radius = 2});
  EXPECT_EQ(within.index(0)[2], 2);
  EXPECT_EQ(within.index(0)[3], -1);
  EXPECT_EQ(within.distance(0)[3], std::numeric_limits<float>::infinity());
  const auto strict = knn(tree, {.k = 4, .max_radius = 2, .strict = true});
  EXPECT_EQ(strict.index(0)[1], 1);
  EXPECT_EQ(strict.index(0)[2], -1);
  EXPECT_EQ(knn(tree, {.k = 1, .max_radius = 0, .strict = true}).index(0)[0], -1);
  EXPECT_EQ(knn(tree, {.k = 1, .max_radius = 0}).index(0)[0], 0);
}

TEST(Knn, DroppedPointsHaveEmptyRows) {
  auto points = some_points(100, 4);
  points[17][1] = std::numeric_limits<float>::quiet_NaN();
  const TreeOptions options{.non_finite = NonFinite::drop};
  const Tree tree(view(points), options);
  EXPECT_TRUE(
      are_equal(rows_of(knn(tree, {.k = 6})), brute_knn<float>(view(points), options, {.k = 6})));
  EXPECT_EQ(knn(tree, {.k = 6}).index(17)[0], -1);
  EXPECT_TRUE(are_equal(rows_of(knn(tree, view(points), {.k = 6})),
                        brute_knn<float>(view(points), options, view(points), {.k = 6})));
}

TEST(Knn, FarQueriesAreOrderedByIndex) {
  const auto points = some_points(1000, 5);
  const Tree tree(view(points));
  const std::vector<std::array<float, 3>> queries{
      {1e30f, 0, 0}, {0, -3e38f, 3e38f}, {0.5f, 0.5f, 0.5f}};
  const auto far = knn(tree, view(queries), {.k = 3});
  EXPECT_EQ(far.index(0)[0], 0);
  EXPECT_EQ(far.index(1)[2], 2);
  EXPECT_TRUE(are_equal(rows_of(far), brute_knn<float>(view(points), {}, view(queries), {.k = 3})));
}

TEST(Knn, EmptyTreeAndNoQueries) {
  const std::vector<std::array<float, 3>> none;
  const auto points = some_points(10, 6);
  EXPECT_EQ(knn(Tree(view(none)), {.k = 2}).size(), 0u);
  EXPECT_EQ(knn(Tree(view(none)), view(points), {.k = 2}).index(9)[1], -1);
  EXPECT_EQ(knn(Tree(view(points)), view(none), {.k = 2}).size(), 0u);
}

TEST(Knn, Errors) {
  const auto points = some_points(10, 7);
  const Tree tree(view(points));
  using test::expect_error;
  expect_error(ErrorCode::invalid_argument, "k = 0", [&] { knn(tree, {.k = 0}); });
  expect_error(ErrorCode::invalid_argument, "max_radius = -1",
               [&] { knn(tree, {.k = 1, .max_radius = -1}); });
  expect_error(ErrorCode::invalid_argument, "use Tree<float>",
               [&] { knn<double>(AnyTree(tree), {.k = 1}); });
  expect_error(ErrorCode::invalid_argument, "exclude_self",
               [&] { knn(tree, view(points), {.k = 1, .exclude_self = true}); });
  expect_error(ErrorCode::invalid_argument, "room for 9 rows",
               [&] { knn_into<float, std::int32_t>(tree, {.k = 1}, {.rows = 9}); });
  const std::vector<std::array<float, 2>> flat{{0, 0}};
  expect_error(ErrorCode::invalid_argument, "dimension 2",
               [&] { knn(tree, view(flat), {.k = 1}); });
  const std::vector<std::array<float, 3>> bad{{0, 0, NAN}};
  expect_error(ErrorCode::non_finite, "point 0", [&] { knn(tree, view(bad), {.k = 1}); });
}

/// Many points in many dimensions: seconds of work for any method.
TEST(Knn, CancelStopsTheSearchSoon) {
  const auto set = test::random_sets<float>(16, 100000, 8)[0];
  const Tree tree(set.view());
  for (const KnnMethod method : {KnnMethod::predict, KnnMethod::walk}) {
    CancelToken token;
    test::ProcessorClock::time_point cancelled;
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      cancelled = test::ProcessorClock::now();
      token.cancel();
    });
    test::expect_error(ErrorCode::cancelled, "cancelled",
                       [&] { knn(tree, {.k = 4, .method = method}, {.cancel = &token}); });
    other.join();
    const std::chrono::duration<double> late = test::ProcessorClock::now() - cancelled;
    EXPECT_LT(late, test::longest_stop());
  }
}

TEST(Knn, ProgressReachesTheEnd) {
  const auto points = some_points(5000, 9);
  const Tree tree(view(points));
  std::uint64_t done = 0, total = 0;
  knn(tree, {.k = 4}, {.progress = [&](const Progress& p) { done = p.done, total = p.total; }});
  EXPECT_EQ(done, 5000u);
  EXPECT_EQ(total, 5000u);
}

}  // namespace
}  // namespace kith
