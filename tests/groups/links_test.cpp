// Links that public codes lose, and extreme inputs.
#include <cmath>
#include <limits>
#include <random>

#include "groups/support.hpp"

namespace kith {
namespace {

using test::expect_exact;

template <class T>
using Points3 = std::vector<std::array<T, 3>>;

/// A node whose points are within the linking length of another node, but not of each other, is not
/// one group: linking the pair of nodes as a whole and dropping it loses the links to the others.
/// (Seen in a tree code.)
///
///     o . . . . . . . o      two far ends, both within reach of the clump in the middle only by
///     its points
///           :::
TEST(FofLinks, NodesThatAreNotOneAreNotLinkedAsAWhole) {
  Points3<float> points;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> jitter(-0.01f, 0.01f);
  for (int row = 0; row < 40; ++row)
    for (int i = 0; i < 6; ++i) {
      const float y = static_cast<float>(row) * 0.9f;
      points.push_back({jitter(random), y, 0});
      points.push_back({1.2f + jitter(random), y, 0});
      if (row % 5 == 0) points.push_back({0.6f, y + 0.1f, jitter(random)});
    }
  for (const double length : {0.5, 0.59, 0.7, 0.9, 0.95, 1.0, 1.19, 1.21})
    expect_exact(view(points), {.linking_length = length}, 2);
}

/// A grid of ceil(L / l) cells has cells smaller than l: a stencil of the 27 neighbors misses
/// links across them.
TEST(FofLinks, CellsAreNeverSmallerThanTheLinkingLength) {
  for (const double length : {0.26, 0.31, 0.34, 0.4, 0.51, 0.7, 0.99}) {
    Points3<double> points;
    for (double x = 0; x < 1; x += length * 0.999999) points.push_back({x, 0.5, 0.5});
    expect_exact(view(points), {.box = Box::periodic(1), .linking_length = length});
    EXPECT_EQ(fof(view(points), {.linking_length = length}).count(), 1u);
  }
}

/// A compare-and-swap against a parent that was read again, instead of the root that was found,
/// loses a link when two threads join the same sets. Long chains in a random order make many
/// threads meet in few sets.
TEST(FofLinks, NoLinkIsLostBetweenThreads) {
  std::vector<std::array<float, 2>> points;
  for (int i = 0; i < 20000; ++i)
    points.push_back(
        {std::cos(static_cast<float>(i)) * 30, std::sin(static_cast<float>(i) * 0.37f) * 30});
  for (int i = 0; i < 20000; ++i)
    points.push_back({static_cast<float>(i % 200), static_cast<float>(i / 200)});
  const FofOptions options{.linking_length = 1, .keep_roots = true};
  const Groups one = fof(view(points), options, {.threads = 1});
  for (int round = 0; round < 20; ++round) {
    const Groups many = fof(view(points), options, {.threads = 8});
    ASSERT_EQ(test::to_vector(many.root()), test::to_vector(one.root()));
  }
}

/// Codes that cap the neighbors of a point, or the number of iterations, break dense clumps and
/// long chains.
TEST(FofLinks, LongChainsAndDenseClumps) {
  Points3<float> points;
  for (int i = 0; i < 3000; ++i) points.push_back({static_cast<float>(i), 0, 0});
  for (int i = 0; i < 500; ++i) points.push_back({static_cast<float>(i) * 1e-4f, 1, 0});
  expect_exact(view(points), {.linking_length = 1});
  expect_exact(view(points), {.linking_length = 0.999});
  EXPECT_EQ(fof(view(points), {.linking_length = 1}).count(), 1u);
}

TEST(FofLinks, LatticesWithSpacingExactlyTheLinkingLength) {
  for (const int m : {2, 3, 5, 8, 13}) {
    for (const float side : {1.0f, 0.7f, 100.0f}) {
      Points3<float> points;
      const float step = side / static_cast<float>(m);
      for (int i = 0; i < m * m * m; ++i)
        points.push_back({static_cast<float>(i % m) * step, static_cast<float>(i / m % m) * step,
                          static_cast<float>(i / m / m) * step});
      for (const float length : {step, std::nextafter(step, 0.0f), std::nextafter(step, side)})
        for (const bool strict : {false, true})
          for (const bool periodic : {false, true})
            expect_exact(view(points), {.box = periodic ? Box::periodic(side) : Box::open(),
                                        .linking_length = length,
                                        .strict = strict});
    }
  }
}

/// L / l up to 10^7: cells, or keys, of a linking length would not fit 32 bits.
TEST(FofLinks, BoxesOfManyLinkingLengths) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (const double ratio : {10.0, 1e3, 1e5, 1e7}) {
    Points3<float> points;
    const auto length = static_cast<float>(1 / ratio);
    for (int i = 0; i < 500; ++i) {
      const std::array<float, 3> x = {uniform(random), uniform(random), uniform(random)};
      points.push_back(x);
      points.push_back({x[0] + length * uniform(random), x[1], x[2] + length * uniform(random)});
    }
    for (const Box& box : {Box::open(), Box::periodic(1)})
      expect_exact(view(points), {.box = box, .linking_length = length}, 2);
  }
}

/// The table of inputs that every algorithm runs through.
template <class T>
std::vector<Points3<T>> degenerate_sets() {
  std::vector<Points3<T>> sets;
  const T tiny = std::numeric_limits<T>::denorm_min(), huge = std::numeric_limits<T>::max() / 4;
  auto line = [](int n, T step) {
    Points3<T> points;
    for (int i = 0; i < n; ++i) points.push_back({step * static_cast<T>(i), 0, 0});
    return points;
  };
  for (const int n : {0, 1, 2, 7, 8, 9, 63, 64, 65, 511, 512, 513}) sets.push_back(line(n, 1));
  sets.push_back(Points3<T>(300, {1, 2, 3}));                           // all equal
  sets.push_back(line(100, 0));                                         // at the origin
  sets.push_back(line(100, tiny));                                      // subnormal
  sets.push_back(line(100, huge / 100));                                // of the largest numbers
  sets.push_back({{T(-0.0), 0, 0}, {0, 0, 0}, {T(-0.0), T(-0.0), 0}});  // signed zeros
  sets.push_back({{huge, -huge, 0}, {0, 0, 0}, {tiny, 0, 0}, {huge, -huge, 0}});
  Points3<T> outlier = line(200, T(1e-3));
  outlier.push_back({T(1e6), T(1e6), T(1e6)});
  sets.push_back(outlier);
  Points3<T> half = line(100, 1);  // half of them identical
  half.resize(200, {50, 0, 0});
  sets.push_back(half);
  return sets;
}

template <class T>
void expect_degenerate_sets() {
  const std::vector<Points3<T>> sets = degenerate_sets<T>();
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (const double length : {1e-300, 1e-45, 1e-3, 0.5, 1.0, 7.0, 1e6, 1e36, 1e300})
      for (const bool periodic : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << "set " << i << ", length " << length << ", periodic " << periodic);
        FofOptions options{.linking_length = length};
        if (periodic) options.box = Box::periodic({64.0, 0.0, 3.0});
        expect_exact(view(sets[i]), options, 2);
        options.strict = true;
        expect_exact(view(sets[i]), options);
      }
}

TEST(FofDegenerate, Float) { expect_degenerate_sets<float>(); }
TEST(FofDegenerate, Double) { expect_degenerate_sets<double>(); }

/// 10^5 identical points, twice: tight nodes are one from the start.
TEST(FofDegenerate, DuplicatesAreCheap) {
  Points3<float> points(100000, {1, 1, 1});
  points.resize(200000, {3, 3, 3});
  Statistics statistics;
  const Groups groups =
      fof(view(points), {.linking_length = 0.1}, {.threads = 1, .statistics = &statistics});
  EXPECT_EQ(groups.sizes(), (std::vector<std::int64_t>{100000, 100000}));
  EXPECT_LT(statistics.seconds("link"), 0.5);
}

}  // namespace
}  // namespace kith
