// The functions that replace the C library's, against the C library's.
#include "sample/elementary.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>

namespace kith::sample {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();

TEST(Elementary, LogarithmOfSmallLargeAndNearOne) {
  for (const double x :
       {1e-300, 2.3e-10, 0.3, 0.707, 0.9999, 1.0, 1.0001, 1.4142, 1.5, 2.0, 77.7, 1e300})
    EXPECT_NEAR(natural_log(x), std::log(x), 2 * kUnit * std::abs(std::log(x))) << x;
  EXPECT_EQ(natural_log(1), 0);
}

TEST(Elementary, ExponentialOverItsRange) {
  for (double x = -690; x < 690; x += 0.37) {
    const double expected = std::exp(x);
    ASSERT_NEAR(exponential(x), expected, 4 * kUnit * expected) << x;
  }
  EXPECT_EQ(exponential(0), 1);
}

TEST(Elementary, PowerIncludesZero) {
  EXPECT_EQ(power(0, 0.5), 0);
  EXPECT_NEAR(power(2, 10), 1024, 1024 * 20 * kUnit);
  EXPECT_NEAR(power(0.31, -0.419), std::pow(0.31, -0.419), 8 * kUnit);
}

TEST(Elementary, CirclePointsInAllQuarters) {
  for (double turns = -3; turns < 3; turns += 0.0137) {
    const CirclePoint p = circle_point(turns);
    ASSERT_NEAR(p.cosine, std::cos(2 * std::numbers::pi * turns), 16 * kUnit) << turns;
    ASSERT_NEAR(p.sine, std::sin(2 * std::numbers::pi * turns), 16 * kUnit) << turns;
  }
  EXPECT_EQ(circle_point(0.25).sine, 1);
  EXPECT_EQ(circle_point(0.5).cosine, -1);
  EXPECT_NEAR(sine(1), std::sin(1.0), 2 * kUnit);
}

}  // namespace
}  // namespace kith::sample
