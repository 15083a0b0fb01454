// Searches by other norms equal their definition, for random dimension, scalar, box, size, p,
// builder, strictness and threads.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <thread>

#include <kith/kith.hpp>

#include "geometry/distance.hpp"
#include "geometry/norms.hpp"
#include "neighbors/knn_cases.hpp"
#include "support/expect_error.hpp"
#include "support/point_sets.hpp"
#include "support/processor_clock.hpp"
#include "support/property.hpp"
#include "support/tree_kinds.hpp"

namespace kith {
namespace {

using test::are_equal;
using test::Draw;
using test::expect_error;
using test::rows_of;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double draw_p(Draw& draw) { return draw.one_of({1.0, 1.0, kInfinity, kInfinity, 3.0, 1.5, 17.25}); }

/// A tree and queries of all kinds.
template <class T>
struct Case {
  Draw& draw;
  int dimension;
  test::PointSet<T> points, others;
  bool is_other;
  TreeOptions options;
  Execution execution;
  double p;

  Case(Draw& from, double most)
      : draw(from),
        dimension(draw.one_of({1, 2, 2, 3, 3, 4, 7})),
        points(draw.point_set<T>(dimension, draw.size(most))),
        others(draw.point_set<T>(dimension, draw.size(100))),
        is_other(draw.below(3) == 0),
        options(test::any_tree(draw, draw.box(dimension))),
        execution{.threads = static_cast<int>(1 + draw.below(3))},
        p(draw_p(draw)) {}

  std::string trace() const {
    return points.name + ", n = " + std::to_string(points.size()) +
           ", d = " + std::to_string(dimension) + ", p = " + std::to_string(p) +
           (is_other ? ", other queries" : "");
  }
};

template <class T>
void check_knn(Draw& draw) {
  Case<T> at(draw, 500);
  KnnOptions knn_options{.k = at.draw.size(at.draw.below(8) ? 40.0 : 600.0), .p = at.p};
  if (at.draw.below(3) == 0) knn_options.max_radius = at.draw.uniform() * 0.4;
  knn_options.strict = at.draw.below(3) == 0;
  knn_options.exclude_self = !at.is_other && at.draw.below(2) == 0;
  const Tree tree(at.points.view(), at.options, at.execution);
  if (at.is_other)
    ASSERT_TRUE(
        are_equal(rows_of(knn<T>(tree, at.others.view(), knn_options, at.execution)),
                  brute_knn<T>(at.points.view(), at.options, at.others.view(), knn_options)))
        << at.trace() << ", k = " << knn_options.k;
  else
    ASSERT_TRUE(are_equal(rows_of(knn<T>(tree, knn_options, at.execution)),
                          brute_knn<T>(at.points.view(), at.options, knn_options)))
        << at.trace() << ", k = " << knn_options.k;
}

template <class T>
void check_radius(Draw& draw) {
  Case<T> at(draw, 400);
  const PointsView queries = at.is_other ? at.others.view() : at.points.view();
  RadiusOptions ball{.radius = at.draw.uniform() * at.draw.one_of({0.3, 1.0}),
                     .strict = at.draw.below(2) == 0,
                     .p = at.p};
  // On grids, radii that some points are at exactly.
  if (at.draw.below(3) == 0) ball.radius = static_cast<double>(at.draw.below(4));
  std::vector<double> radii;
  if (at.draw.below(3) == 0) {
    for (std::size_t i = 0; i < queries.size; ++i) radii.push_back(at.draw.uniform() * 0.5);
    ball.radius = 0;
    ball.radii = radii;
  }
  ball.exclude_self = !at.is_other && at.draw.below(2) == 0;
  const Tree tree(at.points.view(), at.options, at.execution);
  const auto expected = at.is_other ? brute_radius<T>(at.points.view(), at.options, queries, ball)
                                    : brute_radius<T>(at.points.view(), at.options, ball);
  const auto lists = at.is_other ? radius<T>(tree, queries, ball, at.execution)
                                 : radius<T>(tree, ball, at.execution);
  ASSERT_TRUE(are_equal(rows_of(lists), expected)) << at.trace();
  const auto counts = at.is_other ? radius_count(tree, queries, ball, at.execution)
                                  : radius_count(tree, ball, at.execution);
  for (std::size_t i = 0; i < counts.size(); ++i)
    ASSERT_EQ(static_cast<std::size_t>(counts[i]), expected[i].index.size()) << at.trace();
  if (at.is_other) return;
  ball.sorted = false;
  ball.max_neighbors = 1 + at.draw.below(10);
  auto first = expected;
  for (BruteRow<T>& row : first) {
    row.index.resize(std::min(row.index.size(), ball.max_neighbors));
    row.distance.resize(row.index.size());
  }
  const auto cut = rows_of(radius<T>(tree, ball, at.execution));
  for (std::size_t i = 0; i < cut.size(); ++i)  // rows that are not cut may be in another order
    if (expected[i].index.size() > ball.max_neighbors)
      ASSERT_EQ(cut[i], first[i]) << at.trace() << ", max_neighbors " << ball.max_neighbors;
    else
      ASSERT_TRUE(std::is_permutation(cut[i].index.begin(), cut[i].index.end(),
                                      first[i].index.begin(), first[i].index.end()))
          << at.trace();
}

TEST(Norms, FloatNeighborsEqualBruteForce) { test::for_cases(800, check_knn<float>); }
TEST(Norms, DoubleNeighborsEqualBruteForce) { test::for_cases(600, check_knn<double>); }
TEST(Norms, FloatListsEqualBruteForce) { test::for_cases(1000, check_radius<float>); }
TEST(Norms, DoubleListsEqualBruteForce) { test::for_cases(700, check_radius<double>); }

template <class T>
void check_degenerate() {
  for (const int dimension : {1, 3})
    for (const auto& set : test::degenerate_sets<T>(dimension))
      for (const double p : {1.0, kInfinity, 2.5})
        for (const std::size_t k : {3, 70}) {
          if (p == 2.5 && k == 70) continue;
          const Tree tree(set.view());
          const KnnOptions options{.k = k, .p = p};
          ASSERT_TRUE(
              are_equal(rows_of(knn<T>(tree, options)), brute_knn<T>(set.view(), {}, options)))
              << set.name << ", d = " << dimension << ", p = " << p << ", k = " << k;
        }
}

TEST(Norms, DegenerateSetsOfFloats) { check_degenerate<float>(); }
TEST(Norms, DegenerateSetsOfDoubles) { check_degenerate<double>(); }

/// Small enough to know by heart.
TEST(Norms, AreWhatTheirNamesSay) {
  const std::vector<std::array<double, 2>> points{{0, 0}, {3, 4}, {6, 0}, {5, 5}};
  const Tree tree(view(points));
  const auto sum = knn<double>(tree, {.k = 4, .p = 1});
  EXPECT_EQ((std::vector<int>{sum.index(0).begin(), sum.index(0).end()}),
            (std::vector<int>{0, 2, 1, 3}));
  EXPECT_EQ(sum.distance(0)[2], 7);
  const auto most = knn<double>(tree, {.k = 4, .p = kInfinity});
  EXPECT_EQ((std::vector<int>{most.index(0).begin(), most.index(0).end()}),
            (std::vector<int>{0, 1, 3, 2}));
  EXPECT_EQ(most.distance(0)[1], 4);
  EXPECT_NEAR(knn<double>(tree, {.k = 2, .p = 3}).distance(0)[1], std::cbrt(27. + 64.), 1e-14);
  EXPECT_EQ(radius_count(tree, {.radius = 7, .p = 1})[0], 3);
  EXPECT_EQ(radius_count(tree, {.radius = 7, .strict = true, .p = 1})[0], 2);
  EXPECT_EQ(radius_pairs<double>(tree, {.radius = 5, .p = kInfinity}).size(), 5u);
}

/// p = 2 by the plain norm has the bits of the kernels.
TEST(Norms, TheSquareNormIsTheDistance) {
  const auto set = test::random_sets<float>(3, 50, 1)[3];
  const NormMetric<3, float, SquareNorm<float>> metric{{}, Axes<3>(3), {0.5f, 0, 1}};
  const Metric<3, float> usual{Axes<3>(3), {0.5f, 0, 1}};
  for (std::size_t i = 0; i < set.size(); ++i)
    for (std::size_t j = 0; j < set.size(); ++j)
      ASSERT_EQ(metric.key(set.row(i), set.row(j)), usual.distance2(set.row(i), set.row(j)));
}

/// Bounds of all norms hold for every pair of points in boxes, however pow rounds.
template <class T>
void check_bounds(Draw& draw) {
  const double p = draw.one_of({1.0, 2.0, kInfinity, 1.0000001, 1.5, 3.0, 9.75});
  const double scale = std::ldexp(1.0, static_cast<int>(draw.below(160)) - 80);
  const auto value = [&] { return static_cast<T>(scale * draw.uniform() * draw.uniform()); };
  with_norm<T>(p, [&]<class Norm>(const Norm& norm) {
    NormMetric<3, T, Norm> metric{norm, Axes<3>(3)};
    metric.side[0] = draw.below(2) ? static_cast<T>(scale) : T(0);
    auto a = Bounds<3, T>::empty(), b = Bounds<3, T>::empty();
    std::array<std::array<T, 3>, 4> x, y;
    for (std::size_t i = 0; i < 4; ++i) {
      x[i] = {value(), value(), value()};
      // Points that differ in the last bits, where an error of pow shows.
      y[i] = {value(), std::nextafter(x[i][1], scale > 1 ? T(0) : T(2)), x[i][2]};
      a.add(x[i].data(), metric.axes);
      b.add(y[i].data(), metric.axes);
    }
    for (const auto& from : x)
      for (const auto& to : y) {
        const auto key = metric.key(from.data(), to.data());
        ASSERT_LE(metric.lower(a, b), key) << "p = " << p;
        ASSERT_GE(metric.upper(a, b), key) << "p = " << p;
        Bounds<3, T> point = Bounds<3, T>::empty(), other = point;
        point.add(from.data(), metric.axes);
        other.add(to.data(), metric.axes);
        ASSERT_LE(metric.lower(point, other), key) << "p = " << p;
        ASSERT_GE(metric.upper(point, other), key) << "p = " << p;
      }
  });
}

TEST(Norms, BoundsHoldForFloats) { test::for_cases(3000, check_bounds<float>); }
TEST(Norms, BoundsHoldForDoubles) { test::for_cases(3000, check_bounds<double>); }

TEST(Norms, SearcherAndStreamsKnowThem) {
  const auto set = test::random_sets<float>(3, 300, 5)[0];
  const Tree tree(set.view());
  const KnnOptions options{.k = 4, .p = 1};
  const auto rows = knn(tree, options);
  KnnSearcher<float> search(tree, options);
  std::array<std::int32_t, 4> index;
  std::array<float, 4> distance;
  for (std::size_t i = 0; i < set.size(); ++i) {
    search(set.row(i), index.data(), distance.data());
    ASSERT_TRUE(std::equal(index.begin(), index.end(), rows.index(i).begin()));
    ASSERT_TRUE(std::equal(distance.begin(), distance.end(), rows.distance(i).begin()));
  }
  const auto last = kth_distance(tree, options);
  for (std::size_t i = 0; i < set.size(); ++i)
    ASSERT_EQ(static_cast<float>(last[i]), rows.distance(i)[3]);
}

/// Identical points cost no more than others: a hundred thousand of them, each with the same
/// neighbors.
TEST(Norms, IdenticalPointsAreCheap) {
  const std::vector<std::array<float, 3>> points(100000, {0.5f, 0.25f, 0});
  const auto rows = knn(Tree(view(points)), {.k = 8, .p = 1});
  for (const std::size_t i : {0u, 50000u, 99999u})
    for (std::size_t n = 0; n < 8; ++n) ASSERT_EQ(rows.index(i)[n], static_cast<int>(n));
}

TEST(Norms, Errors) {
  const std::vector<std::array<float, 2>> points{{0, 0}, {1, 0}};
  const Tree tree(view(points));
  for (const double p : {0.5, 0.0, -1.0, std::nan("")}) {
    expect_error(ErrorCode::invalid_argument, "1 or more", [&] { knn(tree, {.k = 1, .p = p}); });
    expect_error(ErrorCode::invalid_argument, "1 or more", [&] { radius(tree, {.p = p}); });
    expect_error(ErrorCode::invalid_argument, "1 or more",
                 [&] { kth_distance(tree, {.k = 1, .p = p}); });
  }
}

TEST(Norms, CancelStopsTheSearchSoon) {
  const auto set = test::random_sets<float>(16, 100000, 8)[0];
  const Tree tree(set.view());
  CancelToken token;
  test::ProcessorClock::time_point cancelled;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    cancelled = test::ProcessorClock::now();
    token.cancel();
  });
  expect_error(ErrorCode::cancelled, "cancelled",
               [&] { knn(tree, {.k = 4, .p = 3.5}, {.cancel = &token}); });
  other.join();
  const std::chrono::duration<double> late = test::ProcessorClock::now() - cancelled;
  EXPECT_LT(late, test::longest_stop());
}

}  // namespace
}  // namespace kith
