// Numbers of pairs by distance equal their definition, for random dimension, scalar, box, norm,
// builders, radii, weights and threads.
#include <array>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <thread>

#include <kith/kith.hpp>

#include "neighbors/brute.hpp"
#include "support/expect_error.hpp"
#include "support/point_sets.hpp"
#include "support/processor_clock.hpp"
#include "support/property.hpp"
#include "support/tree_kinds.hpp"

namespace kith {
namespace {

using test::Draw;
using test::ExactCases;
using test::expect_error;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// Weights whose sums and products are exact in double.
std::vector<double> draw_weights(Draw& draw, std::size_t n) {
  std::vector<double> weights(draw.below(3) == 0 ? 0 : n);
  for (double& w : weights) w = static_cast<double>(draw.below(2000)) - 500;
  return weights;
}

std::vector<double> draw_radii(Draw& draw) {
  std::vector<double> radii(draw.below(12));
  const double scale = draw.one_of({0.1, 0.5, 2.0});
  for (double& r : radii)
    r = draw.below(4) == 0 ? static_cast<double>(draw.below(4)) : scale * draw.uniform();
  if (draw.below(6) == 0 && !radii.empty()) radii[0] = kUnbounded;
  return radii;
}

template <class T>
void check_case(Draw& draw) {
  const int dimension = draw.one_of({1, 2, 2, 3, 3, 5});
  const auto a = draw.point_set<T>(dimension, draw.size(300)),
             b = draw.point_set<T>(dimension, draw.size(300));
  const Box box = draw.box(dimension);
  const TreeOptions packed{.box = box};
  std::vector<double> radii = draw_radii(draw);
  PairCountOptions options{.cumulative = draw.below(2) == 0,
                           .strict = draw.below(3) == 0,
                           .p = draw.one_of({2.0, 2.0, 1.0, kUnbounded, 3.5})};
  if (!options.cumulative) std::sort(radii.begin(), radii.end());
  options.radii = radii;
  const auto from = draw_weights(draw, a.size()), to = draw_weights(draw, b.size());
  const Execution execution{.threads = static_cast<int>(1 + draw.below(3))};
  const Tree receivers(a.view(), test::any_tree(draw, box)),
      sources(b.view(), test::any_tree(draw, box));
  const std::string trace = a.name + " " + std::to_string(a.size()) + ", " + b.name + " " +
                            std::to_string(b.size()) + ", d = " + std::to_string(dimension) +
                            ", p = " + std::to_string(options.p);
  ExactCases::count(2);
  const auto counts = pair_counts(receivers, sources, options, execution);
  const std::vector<double> as_double(counts.begin(), counts.end());
  ASSERT_EQ(as_double, brute_pair_counts<T>(a.view(), b.view(), packed, {}, options)) << trace;
  ASSERT_EQ(weighted_pair_counts(receivers, sources, {from, to}, options, execution),
            brute_pair_counts<T>(a.view(), b.view(), packed, {from, to}, options))
      << trace << ", weighted";
}

/// A tree with itself sees each pair once, in classes of any number of limits.
template <class T>
void check_own(Draw& draw) {
  const int dimension = draw.one_of({1, 2, 3, 3});
  const auto set = draw.point_set<T>(dimension, draw.size(1500));
  const TreeOptions tree_options{.box = draw.box(dimension)};
  std::vector<double> radii(1 + draw.below(draw.one_of({4, 20, 200})));
  const double scale = draw.one_of({0.1, 0.5, 2.0});
  for (double& r : radii) r = scale * draw.uniform() * draw.uniform();
  const PairCountOptions options{.radii = radii, .strict = draw.below(2) == 0};
  std::vector<double> weights(set.size());
  for (double& w : weights) w = static_cast<double>(draw.below(2000)) - 500;
  const std::string target = draw.target();
  const Execution execution{.threads = static_cast<int>(1 + draw.below(3))};
  const Tree tree(set.view(), tree_options);
  ExactCases::count(2);
  const auto counts = pair_counts(tree, tree, options, execution);
  ASSERT_EQ((std::vector<double>(counts.begin(), counts.end())),
            brute_pair_counts<T>(set.view(), set.view(), tree_options, {}, options))
      << target;
  ASSERT_EQ(weighted_pair_counts(tree, tree, {weights, weights}, options, execution),
            brute_pair_counts<T>(set.view(), set.view(), tree_options, {weights, weights}, options))
      << target << ", weighted";
}

TEST(PairCounts, TreesOfFloatsWithThemselves) { test::for_cases(40, check_own<float>); }
TEST(PairCounts, TreesOfDoublesWithThemselves) { test::for_cases(40, check_own<double>); }

TEST(PairCounts, FloatsEqualBruteForce) { test::for_cases(600, check_case<float>); }
TEST(PairCounts, DoublesEqualBruteForce) { test::for_cases(400, check_case<double>); }

template <class T>
void check_degenerate_pairs() {
  const std::vector<double> radii{0.1, 0, 1, kUnbounded, 0.25};
  const PairCountOptions options{.radii = radii};
  for (const int dimension : {1, 3}) {
    const auto other = test::random_sets<T>(dimension, 60, 2)[0];
    for (const auto& set : test::degenerate_sets<T>(dimension)) {
      const auto counts = pair_counts(Tree(set.view()), Tree(other.view()), options);
      ASSERT_EQ((std::vector<double>(counts.begin(), counts.end())),
                brute_pair_counts<T>(set.view(), other.view(), {}, {}, options))
          << set.name << ", d = " << dimension;
      const auto own = pair_counts(Tree(set.view()), Tree(set.view()), options);
      ASSERT_EQ((std::vector<double>(own.begin(), own.end())),
                brute_pair_counts<T>(set.view(), set.view(), {}, {}, options))
          << set.name << " with itself, d = " << dimension;
    }
  }
}

TEST(PairCounts, DegenerateSetsOfFloats) { check_degenerate_pairs<float>(); }
TEST(PairCounts, DegenerateSetsOfDoubles) { check_degenerate_pairs<double>(); }

TEST(PairCounts, BinsAddUp) {
  const std::vector<std::array<double, 1>> a{{0}, {1}}, b{{0}, {1}, {3}};
  const Tree receivers(view(a)), sources(view(b));
  const std::vector<double> radii{0, 1, 2, 3};
  EXPECT_EQ(pair_counts(receivers, sources, {.radii = radii}),
            (std::vector<std::int64_t>{2, 4, 5, 6}));
  EXPECT_EQ(pair_counts(receivers, sources, {.radii = radii, .cumulative = false}),
            (std::vector<std::int64_t>{2, 2, 1, 1}));
  EXPECT_EQ(pair_counts(receivers, sources, {.radii = radii, .strict = true}),
            (std::vector<std::int64_t>{0, 2, 4, 5}));
  const std::vector<double> weights{10, 100, 1000};
  EXPECT_EQ(weighted_pair_counts(receivers, sources, {.sources = weights}, {.radii = radii}),
            (std::vector<double>{110, 220, 1220, 2220}));
}

/// Sums that round: they round the same way for any number of threads.
TEST(PairCounts, WeightedSumsDoNotDependOnThreads) {
  const auto set = test::random_sets<float>(3, 20000, 9)[1];
  const Tree tree(set.view());
  Draw draw(1);
  std::vector<double> weights(set.size());
  for (double& w : weights) w = draw.uniform();
  const std::vector<double> radii{0.001, 0.01, 0.1, 0.5};
  const auto sums =
      weighted_pair_counts(tree, tree, {weights, weights}, {.radii = radii}, {.threads = 1});
  for (const int threads : {2, 3})
    EXPECT_EQ(weighted_pair_counts(tree, tree, {weights, weights}, {.radii = radii},
                                   {.threads = threads}),
              sums);
  EXPECT_GT(sums[3], sums[0]);
}

TEST(PairCounts, DroppedPointsDoNotCount) {
  const std::vector<std::array<float, 2>> points{{0, 0}, {NAN, 0}, {1, 0}};
  const Tree tree(view(points), {.non_finite = NonFinite::drop});
  const std::vector<double> radii{5}, weights{1, 10, 100};
  EXPECT_EQ(pair_counts(tree, tree, {.radii = radii})[0], 4);
  EXPECT_EQ(weighted_pair_counts(tree, tree, {weights, {}}, {.radii = radii})[0], 202);
}

TEST(PairCounts, Errors) {
  const std::vector<std::array<float, 2>> points{{0, 0}, {1, 0}};
  const std::vector<std::array<double, 2>> doubles{{0, 0}};
  const Tree tree(view(points)), periodic(view(points), {.box = Box::periodic(1.0)});
  const std::vector<double> falling{2, 1}, negative{-1}, one{1};
  expect_error(ErrorCode::invalid_argument, "ascend",
               [&] { pair_counts(tree, tree, {.radii = falling, .cumulative = false}); });
  expect_error(ErrorCode::invalid_argument, "a radius = -1",
               [&] { pair_counts(tree, tree, {.radii = negative}); });
  expect_error(ErrorCode::invalid_argument, "same box",
               [&] { pair_counts(tree, periodic, {.radii = one}); });
  expect_error(ErrorCode::invalid_argument, "must agree",
               [&] { pair_counts(tree, Tree(view(doubles)), {.radii = one}); });
  expect_error(ErrorCode::invalid_argument, "1 weights for the 2 sources",
               [&] { weighted_pair_counts(tree, tree, {.sources = one}, {.radii = one}); });
  expect_error(ErrorCode::invalid_argument, "p = 0",
               [&] { pair_counts(tree, tree, {.radii = one, .p = 0}); });
}

TEST(PairCounts, CancelStopsSoon) {
  const auto set = test::random_sets<float>(8, 100000, 8)[0];
  const Tree tree(set.view());
  const std::vector<double> radii{0.3, 0.5, 0.7, 0.8, 0.9};
  CancelToken token;
  test::ProcessorClock::time_point cancelled;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    cancelled = test::ProcessorClock::now();
    token.cancel();
  });
  expect_error(ErrorCode::cancelled, "cancelled",
               [&] { pair_counts(tree, tree, {.radii = radii}, {.cancel = &token}); });
  other.join();
  const std::chrono::duration<double> late = test::ProcessorClock::now() - cancelled;
  EXPECT_LT(late, test::longest_stop());
}

}  // namespace
}  // namespace kith
