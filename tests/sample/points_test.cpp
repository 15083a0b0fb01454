// The simple shapes: where the points are, that threads do not matter, and refused options.
#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include <kith/error.hpp>
#include <kith/sample.hpp>

#include "support/expect_error.hpp"
#include "support/float_environment.hpp"

namespace kith::sample {
namespace {

using test::expect_error;

double radius_of(const Points& points, std::size_t i) {
  double sum = 0;
  for (int axis = 0; axis < points.dimension; ++axis) {
    const double x = points.coordinates[i * static_cast<std::size_t>(points.dimension) + axis];
    sum += x * x;
  }
  return std::sqrt(sum);
}

double part_within(const Points& points, double radius) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < points.size(); ++i) count += radius_of(points, i) <= radius ? 1 : 0;
  return static_cast<double>(count) / static_cast<double>(points.size());
}

void expect_inside(const Points& points, double side) {
  const auto [low, high] =
      std::minmax_element(points.coordinates.begin(), points.coordinates.end());
  EXPECT_GE(*low, 0);
  EXPECT_LT(*high, static_cast<float>(side));
}

using Maker = std::function<Points(std::uint64_t seed, const Execution&)>;

const std::map<std::string, Maker>& makers() {
  constexpr std::size_t kN = 20011;
  static const std::map<std::string, Maker> all = {
      {"uniform",
       [](auto seed, auto& e) { return uniform({.n = kN, .dimension = 5, .seed = seed}, e); }},
      {"normal",
       [](auto seed, auto& e) { return normal({.n = kN, .dimension = 3, .seed = seed}, e); }},
      {"grid", [](auto, auto& e) { return grid({.n = 27}, e); }},
      {"plummer", [](auto seed, auto& e) { return plummer({.n = kN, .seed = seed}, e); }},
      {"nfw", [](auto seed, auto& e) { return nfw({.n = kN, .seed = seed}, e); }},
      {"shells", [](auto seed, auto& e) { return shells({.n = kN, .seed = seed}, e); }},
      {"lines",
       [](auto seed, auto& e) { return lines({.n = kN, .dimension = 2, .seed = seed}, e); }},
      {"all_equal", [](auto, auto& e) { return all_equal({.n = kN}, e); }},
      {"half_identical",
       [](auto seed, auto& e) { return half_identical({.n = kN, .seed = seed}, e); }},
  };
  return all;
}

TEST(Points, SameBitsForAnyNumberOfThreads) {
  for (const auto& [name, make] : makers()) {
    const Points one = make(7, {.threads = 1});
    EXPECT_EQ(one.coordinates, make(7, {.threads = 2}).coordinates) << name;
    EXPECT_EQ(one.coordinates, make(7, {.threads = 5}).coordinates) << name;
  }
}

TEST(Points, SameBitsInAForeignFloatingPointEnvironment) {
  for (const auto& [name, make] : makers()) {
    const Points expected = make(7, {});
    const test::ForeignEnvironment environment(FE_UPWARD);
    EXPECT_EQ(make(7, {}).coordinates, expected.coordinates) << name;
  }
}

TEST(Points, AnotherSeedGivesOtherPoints) {
  const std::set<std::string> without_chance = {"grid", "all_equal"};
  for (const auto& [name, make] : makers()) {
    const bool is_equal = make(7, {}).coordinates == make(8, {}).coordinates;
    EXPECT_EQ(is_equal, without_chance.contains(name)) << name;
  }
}

TEST(Points, UniformFillsTheCubeEvenly) {
  const Points points = uniform({.n = 80000, .dimension = 3, .side = 2.5});
  EXPECT_EQ(points.size(), 80000U);
  expect_inside(points, 2.5);
  std::map<int, int> count;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const float* p = points.coordinates.data() + 3 * i;
    ++count[int(p[0] >= 1.25) + 2 * int(p[1] >= 1.25) + 4 * int(p[2] >= 1.25)];
  }
  for (int octant = 0; octant < 8; ++octant)
    EXPECT_NEAR(count[octant], 10000, 5 * std::sqrt(8750.0));
}

TEST(Points, UniformNeverReachesItsSideByRounding) {
  const double side = 1e-44;  // seven floats from 0: one draw in fourteen rounds up to the side
  expect_inside(uniform({.n = 1000, .dimension = 1, .side = side}), side);
}

TEST(Points, NormalHasItsWidthOnEveryAxis) {
  const Points points = normal({.n = 50000, .dimension = 2, .sigma = 3});
  for (std::size_t axis = 0; axis < 2; ++axis) {
    double sum = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double x = points.coordinates[2 * i + axis];
      sum += x * x;
    }
    EXPECT_NEAR(sum / 50000, 9, 9 * 5 * std::sqrt(2.0 / 50000));
  }
}

TEST(Points, GridHoldsEachCellCenterOnceLastAxisFastest) {
  const Points points = grid({.n = 2, .dimension = 3, .side = 8});
  EXPECT_EQ(points.coordinates, (std::vector<float>{2, 2, 2, 2, 2, 6, 2, 6, 2, 2, 6, 6,  //
                                                    6, 2, 2, 6, 2, 6, 6, 6, 2, 6, 6, 6}));
}

TEST(Points, PlummerHoldsItsMassWithinRadii) {
  const Points points = plummer({.n = 100000, .radius = 2});
  for (const double x : {0.3, 1.0, 3.0, 10.0})  // M(r) = x^3 / (1 + x^2)^(3/2)
    EXPECT_NEAR(part_within(points, 2 * x), std::pow(x * x / (1 + x * x), 1.5), 0.008) << x;
  EXPECT_EQ(part_within(plummer({.n = 10000, .max_radius = 0.5}), 0.500001), 1);
}

TEST(Points, NfwHoldsItsMassWithinRadii) {
  const Points points = nfw({.n = 100000, .radius = 3, .concentration = 8});
  const auto mass = [](double x) { return std::log(1 + x) - x / (1 + x); };
  for (const double r : {0.1, 0.5, 1.0, 2.0})
    EXPECT_NEAR(part_within(points, r), mass(8 * r / 3) / mass(8), 0.008) << r;
  EXPECT_EQ(part_within(points, 3.00001), 1);
}

TEST(Points, ShellsAreThinAndEquallyFull) {
  const Points points = shells({.n = 5000, .dimension = 4, .shells = 5, .radius = 10});
  std::map<int, int> count;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double shell = radius_of(points, i) / 2;
    EXPECT_NEAR(shell, std::round(shell), 1e-6);
    ++count[static_cast<int>(std::lround(shell))];
  }
  EXPECT_EQ(count, (std::map<int, int>{{1, 1000}, {2, 1000}, {3, 1000}, {4, 1000}, {5, 1000}}));
}

TEST(Points, LinesAreStraight) {
  constexpr std::size_t kLines = 3;
  const Points points = lines({.n = 300, .dimension = 3, .lines = int{kLines}});
  expect_inside(points, 1);
  const auto at = [&](std::size_t i, std::size_t axis) -> double {
    return points.coordinates[3 * i + axis];
  };
  for (std::size_t i = 2 * kLines; i < points.size(); ++i) {
    const std::size_t a =
        i % kLines;  // three points of one line: the cross product of their differences is 0
    const std::size_t b = a + kLines;
    for (std::size_t u = 0; u < 3; ++u) {
      const std::size_t v = (u + 1) % 3;
      const double cross = (at(b, u) - at(a, u)) * (at(i, v) - at(a, v)) -
                           (at(b, v) - at(a, v)) * (at(i, u) - at(a, u));
      EXPECT_NEAR(cross, 0, 1e-6);
    }
  }
}

TEST(Points, AllEqualAndHalfIdenticalRepeatOnePoint) {
  const Points equal = all_equal({.n = 100, .dimension = 2, .value = -3.5});
  EXPECT_EQ(equal.coordinates, std::vector<float>(200, -3.5F));
  const Points half = half_identical({.n = 1001, .dimension = 2, .side = 4});
  std::map<std::pair<float, float>, int> count;
  for (std::size_t i = 0; i < half.size(); ++i)
    ++count[{half.coordinates[2 * i], half.coordinates[2 * i + 1]}];
  EXPECT_EQ((count[{2.0F, 2.0F}]), 501);
  EXPECT_EQ(count.size(), 501U);
}

TEST(Points, NoPointsIsASampleToo) {
  EXPECT_EQ(uniform({.n = 0}).size(), 0U);
  EXPECT_EQ(grid({.n = 0, .dimension = 2}).size(), 0U);
}

TEST(Points, RefusesWhatMakesNoSense) {
  expect_error(ErrorCode::invalid_argument, "uniform: dimension = 0; points have 1 to 32",
               [] { uniform({.n = 10, .dimension = 0}); });
  expect_error(ErrorCode::invalid_argument, "uniform: side = -1; give a positive",
               [] { uniform({.n = 10, .side = -1}); });
  expect_error(ErrorCode::invalid_argument, "normal: sigma = 0",
               [] { normal({.n = 10, .sigma = 0}); });
  expect_error(ErrorCode::invalid_argument, "plummer: max_radius = -1",
               [] { plummer({.n = 10, .max_radius = -1}); });
  expect_error(ErrorCode::invalid_argument, "nfw: concentration = 0",
               [] { nfw({.n = 10, .concentration = 0}); });
  expect_error(ErrorCode::invalid_argument, "shells: shells = 0; ask for at least 1",
               [] { shells({.n = 10, .shells = 0}); });
  expect_error(ErrorCode::invalid_argument, "lines: lines = -2",
               [] { lines({.n = 10, .lines = -2}); });
  expect_error(ErrorCode::invalid_argument, "all_equal: value = nan",
               [] { all_equal({.n = 1, .value = NAN}); });
  expect_error(ErrorCode::too_large, "grid: 1000 points along",
               [] { grid({.n = 1000, .dimension = 32}); });
  expect_error(ErrorCode::too_large, "uniform: n = 184467",
               [] { uniform({.n = std::size_t(-1)}); });
}

}  // namespace
}  // namespace kith::sample
