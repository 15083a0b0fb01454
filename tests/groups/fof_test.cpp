// Small sets with known groups, and how calls run: threads, progress, cancelling.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "groups/support.hpp"
#include "support/expect_error.hpp"

namespace kith {
namespace {

using test::expect_error;
using test::expect_exact;
using test::to_vector;
using Labels = std::vector<std::int32_t>;
using Numbers = std::vector<std::int64_t>;
using Line = std::vector<std::array<float, 1>>;
using Flat = std::vector<std::array<double, 2>>;

TEST(Fof, LabelsBySizeThenLowestIndex) {
  //            0     1     2     3     4     5     6   (positions on a line)
  const Line x = {{9}, {5}, {0}, {5.5}, {0.5}, {1}, {9.5}};
  const Groups groups = fof(view(x), {.linking_length = 0.5});
  EXPECT_EQ(to_vector(groups.label()), (Labels{1, 2, 0, 2, 0, 0, 1}));
  EXPECT_EQ(groups.sizes(), (Numbers{3, 2, 2}));
  EXPECT_EQ(groups.lowest_members(), (Numbers{2, 0, 1}));
  EXPECT_EQ(groups.size(0), 3u);
  EXPECT_EQ(groups.lowest(1), 0u);
  EXPECT_TRUE(groups.root().empty());
}

TEST(Fof, SmallGroupsGetNoLabel) {
  const Line x = {{9}, {5}, {0}, {5.5}, {0.5}, {1}, {20}};
  const Groups groups = fof(view(x), {.linking_length = 0.5, .min_size = 2, .keep_roots = true});
  EXPECT_EQ(to_vector(groups.label()), (Labels{-1, 1, 0, 1, 0, 0, -1}));
  EXPECT_EQ(groups.count(), 2u);
  EXPECT_EQ(to_vector(groups.root()), (Numbers{0, 1, 2, 1, 2, 2, 6}));
  EXPECT_EQ(fof(view(x), {.linking_length = 0.5, .min_size = 4}).count(), 0u);
  EXPECT_EQ(fof(view(x), {.linking_length = 0.5, .min_size = std::size_t{1} << 40}).count(), 0u);
}

TEST(Fof, TheLinkingLengthItselfLinksUnlessStrict) {
  const Flat x = {{0, 0}, {3, 4}};
  EXPECT_EQ(fof(view(x), {.linking_length = 5}).count(), 1u);
  EXPECT_EQ(fof(view(x), {.linking_length = 5, .strict = true}).count(), 2u);
  EXPECT_EQ(fof(view(x), {.linking_length = std::nextafter(5, 6), .strict = true}).count(), 1u);
  EXPECT_EQ(fof(view(x), {.linking_length = std::nextafter(5, 4)}).count(), 2u);
}

TEST(Fof, AcrossThePeriodicEdgeAndTheOrigin) {
  const Flat x = {{0.1, 5}, {9.9, 5}, {0.1, 0.1}, {0.1, 9.9}};
  EXPECT_EQ(fof(view(x), {.linking_length = 0.3}).count(), 4u);
  EXPECT_EQ(fof(view(x), {.box = Box::periodic(10), .linking_length = 0.3}).count(), 2u);
  EXPECT_EQ(fof(view(x), {.box = Box::periodic({10.0, 0.0}), .linking_length = 0.3}).count(), 3u);
  const Flat centered = {{-4.9, 0}, {4.9, 0}};
  EXPECT_EQ(fof(view(centered), {.box = Box::periodic(10).with_origin(-5), .linking_length = 0.3})
                .count(),
            1u);
}

TEST(Fof, LengthsOverHalfThePeriodLinkByTheNearestImage) {
  const Flat x = {{0, 0}, {5, 5}, {2.5, 2.5}};
  EXPECT_EQ(fof(view(x), {.box = Box::periodic(10), .linking_length = 7.0}).count(), 1u);
  EXPECT_EQ(fof(view(x), {.box = Box::periodic(10), .linking_length = 100}).count(), 1u);
}

TEST(Fof, NoPointsAndOnePoint) {
  const Flat none;
  const Groups empty = fof(view(none), {.linking_length = 1, .keep_roots = true});
  EXPECT_EQ(empty.count(), 0u);
  EXPECT_TRUE(empty.label().empty());
  EXPECT_EQ(fof(view(none), {.b = 1, .volume = 1}).count(), 0u);
  const Flat one = {{1, 2}};
  EXPECT_EQ(to_vector(fof(view(one), {.linking_length = 1}).label()), Labels{0});
  EXPECT_EQ(to_vector(fof(view(one), {.linking_length = 1, .min_size = 2}).label()), Labels{-1});
}

TEST(Fof, VanishingAndHugeLengths) {
  std::vector<std::array<float, 3>> x = {{1, 2, 3}, {1, 2, 3}, {1, 2, 4}};
  // Rounded to float this length is 0: only equal points are linked, and none if strict.
  EXPECT_EQ(fof(view(x), {.linking_length = 1e-300}).count(), 2u);
  EXPECT_EQ(fof(view(x), {.linking_length = 1e-300, .strict = true}).count(), 3u);
  EXPECT_EQ(fof(view(x), {.linking_length = 1e300}).count(), 1u);
  EXPECT_EQ(fof(view(x), {.linking_length = 1e300, .strict = true}).count(), 1u);
  x.push_back({-1e30f, 0, 1e30f});
  for (const double length : {1e-300, 1e-30, 0.5, 1.0, 1e29, 3e30, 1e300})
    expect_exact(view(x), {.linking_length = length});
}

/// 3-D points in clumps of several sizes in the unit box.
std::vector<std::array<float, 3>> clumps(std::size_t n) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<std::array<float, 3>> points;
  while (points.size() < n) {
    const std::array<float, 3> center = {uniform(random), uniform(random), uniform(random)};
    const float size = 0.03f * uniform(random);
    for (std::size_t i = 0; i < 64 && points.size() < n; ++i) {
      std::array<float, 3> x = center;
      for (float& value : x) value += size * normal(random);
      points.push_back(x);
    }
  }
  std::shuffle(points.begin(), points.end(), random);
  return points;
}

TEST(Fof, AnyNumberOfThreadsGivesTheSameLabels) {
  const auto points = clumps(40000);
  for (const double length : {0.002, 0.01, 0.03}) {
    const FofOptions options{
        .box = Box::periodic(1), .linking_length = length, .min_size = 3, .keep_roots = true};
    const Groups one = fof(view(points), options, {.threads = 1});
    EXPECT_GT(one.count(), 0u);
    for (int threads = 2; threads <= 16; ++threads) {
      const Groups many = fof(view(points), options, {.threads = threads});
      ASSERT_EQ(to_vector(many.label()), to_vector(one.label())) << threads << " threads";
      ASSERT_EQ(to_vector(many.root()), to_vector(one.root())) << threads << " threads";
      ASSERT_EQ(many.sizes(), one.sizes());
    }
  }
}

TEST(Fof, OneTreeServesSeveralLengths) {
  const auto points = clumps(3000);
  const Tree tree(view(points), {.box = Box::periodic(1)});
  for (const double length : {0.001, 0.01, 0.1, 0.7}) {
    const FofOptions options{.box = Box::periodic(1), .linking_length = length};
    test::expect_equal(fof(tree, options), brute_fof(view(points), options));
  }
}

TEST(Fof, CanBeCancelled) {
  const auto points = clumps(20000);
  const Tree tree(view(points));
  const CancelToken token;
  token.cancel();
  expect_error(ErrorCode::cancelled, "cancelled",
               [&] { fof(tree, {.linking_length = 0.01}, {.cancel = &token}); });
}

TEST(Fof, CancelsFromTheProgressOfItsStages) {
  const auto points = clumps(200000);
  const Tree tree(view(points));
  for (const std::string_view stage : {"link", "labels"}) {
    const CancelToken token;
    Execution execution{.threads = 2, .cancel = &token};
    execution.progress = [&](const Progress& progress) {
      EXPECT_LE(progress.done, progress.total);
      if (progress.stage == stage) token.cancel();
    };
    // The labels may be done before a progress interval has passed; then there is nothing to
    // cancel.
    try {
      fof(tree, {.linking_length = 0.01}, execution);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
  }
}

TEST(Fof, StatisticsNameTheStages) {
  const auto points = clumps(20000);
  Statistics statistics;
  fof(view(points), {.linking_length = 0.01}, {.statistics = &statistics});
  EXPECT_GT(statistics.seconds("order"), 0);
  EXPECT_GT(statistics.seconds("link"), 0);
  EXPECT_GT(statistics.seconds("labels"), 0);
}

}  // namespace
}  // namespace kith
