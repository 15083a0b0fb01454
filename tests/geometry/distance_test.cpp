// THE distance and its bounds.
#include "geometry/distance.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "geometry/frame.hpp"

namespace kith {
namespace {

using Bounds1 = Bounds<kAnyDimension, float>;

/// Few-digit floats and their awkward relatives in [0, side].
std::vector<float> small_floats(float side) {
  std::vector<float> values{0,
                            side,
                            std::nextafter(side, 0.f),
                            side / 2,
                            std::nextafter(side / 2, 0.f),
                            side / 3,
                            1e-7f * side,
                            1e-20f * side};
  for (int i = 1; i < 16; ++i) values.push_back(side * static_cast<float>(i) / 16.f);
  for (int i = 1; i < 7; ++i) values.push_back(side * (static_cast<float>(i) / 7.f));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Every pair of intervals with ends in the set, every pair of points of the set inside them.
void check_all_intervals(float side, bool is_periodic) {
  const std::vector<float> x = small_floats(side);
  Metric<kAnyDimension, float> metric{Axes<kAnyDimension>(1)};
  metric.side[0] = is_periodic ? side : 0;
  const std::size_t n = x.size();
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a; b < n; ++b)
      for (std::size_t c = 0; c < n; ++c)
        for (std::size_t d = c; d < n; ++d) {
          Bounds1 p, q;
          p.lo[0] = x[a], p.hi[0] = x[b], q.lo[0] = x[c], q.hi[0] = x[d];
          const float lower = metric.lower2(p, q), upper = metric.upper2(p, q);
          for (std::size_t i = a; i <= b; ++i)
            for (std::size_t j = c; j <= d; ++j) {
              const float d2 = metric.distance2(&x[i], &x[j]);
              ASSERT_LE(lower, d2) << x[a] << " " << x[b] << " " << x[c] << " " << x[d];
              ASSERT_LE(d2, upper) << x[a] << " " << x[b] << " " << x[c] << " " << x[d];
            }
        }
}

TEST(Distance, BoundsHoldForAllSmallFloatsOpen) { check_all_intervals(0.7f, false); }
TEST(Distance, BoundsHoldForAllSmallFloatsPeriodic) {
  check_all_intervals(0.7f, true);
  check_all_intervals(3.0f, true);
}

TEST(Distance, BoundsHoldInManyDimensions) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    const int dimension = 1 + static_cast<int>(random() % 6);
    const Axes<kAnyDimension> axes(dimension);
    Metric<kAnyDimension, double> metric{axes};
    auto p = Bounds<kAnyDimension, double>::empty(), q = p;
    double points[2][4][6];
    for (int axis = 0; axis < dimension; ++axis) metric.side[axis] = random() % 2 ? 0.9 : 0;
    for (auto& set : points)
      for (auto& point : set) {
        for (double& x : point) x = std::uniform_real_distribution<double>(0, 0.9)(random);
        (&set == &points[0] ? p : q).add(point, axes);
      }
    for (const auto& a : points[0])
      for (const auto& b : points[1]) {
        const double d2 = metric.distance2(a, b);
        ASSERT_LE(metric.lower2(p, q), d2);
        ASSERT_LE(d2, metric.upper2(p, q));
      }
  }
}

TEST(Distance, IsTheMinimumImage) {
  Metric<2, float> metric{Axes<2>(2), {10, 0}};
  const float p[2] = {0.5f, 0.5f}, q[2] = {9.5f, 9.5f};
  EXPECT_EQ(metric.distance2(p, q), 1.f + 81.f);  // periodic on the first axis only
}

/// The distance's dx on one axis.
template <class T>
T dx_of(T p, T q, T side) {
  const T dx = std::abs(p - q);
  return side > 0 ? std::min(dx, side - dx) : dx;
}

TEST(Displacement, HasTheBitsOfTheDistanceAndChangesSignWithItsArguments) {
  for (const float period : {0.7f, 3.0f})
    for (const float side : {0.f, period})
      for (const float p : small_floats(period))
        for (const float q : small_floats(period)) {
          const float there = displacement(p, q, side), back = displacement(q, p, side);
          ASSERT_EQ(std::abs(there), dx_of(p, q, side)) << p << " " << q << " " << side;
          ASSERT_EQ(there, -back) << p << " " << q << " " << side;
        }
}

TEST(Displacement, SquaresAddUpToTheDistance) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0, 0.9);
  const Metric<3, double> metric{Axes<3>(3), {0.9, 0, 0.9}};
  for (int round = 0; round < 20000; ++round) {
    double p[3], q[3], between[3], sum = 0;
    for (int axis = 0; axis < 3; ++axis) p[axis] = uniform(random), q[axis] = uniform(random);
    metric.displacement(p, q, between);
    for (const double dx : between) sum += dx * dx;
    ASSERT_EQ(sum, metric.distance2(p, q));
  }
}

TEST(Displacement, TakesTheShorterWayRoundAndTheDirectOneOfTwo) {
  EXPECT_EQ(displacement(0.25, 0.75, 0.0), -0.5);
  EXPECT_EQ(displacement(9.5, 0.5, 10.0), -1.0);  // across the edge
  EXPECT_EQ(displacement(0.5, 9.5, 10.0), 1.0);
  EXPECT_EQ(displacement(7.0, 2.0, 10.0), 5.0);  // half a side: p - q
  EXPECT_EQ(displacement(2.0, 7.0, 10.0), -5.0);
  EXPECT_EQ(displacement(7.0, 1.75, 10.0), -4.75);  // a little more than half: the other way
  EXPECT_EQ(displacement(10.0, 0.0, 10.0), 0.0);    // both ends of the axis are one place
  EXPECT_EQ(displacement(3.0, 3.0, 10.0), 0.0);
}

TEST(Frame, WrapsIntoTheBox) {
  EXPECT_EQ(wrapped(0.25f, 0.f, 1.f), 0.25f);
  EXPECT_EQ(wrapped(1.25f, 0.f, 1.f), 0.25f);
  EXPECT_EQ(wrapped(-0.25f, 0.f, 1.f), 0.75f);
  EXPECT_EQ(wrapped(1.f, 0.f, 1.f), 0.f);
  EXPECT_EQ(wrapped(-0.5f, -0.5f, 1.f), 0.f);
  EXPECT_EQ(wrapped(-1e-30f, 0.f, 1.f), 0.f);  // 1 - 1e-30 rounds to 1, which is 0
  EXPECT_FALSE(std::signbit(wrapped(-0.f, 0.f, 1.f)));
  EXPECT_FALSE(std::signbit(wrapped(-1.f, 0.f, 1.f)));
  const float far = wrapped(3e38f, -3e38f, 1.f);  // x - origin overflows
  EXPECT_TRUE(far >= 0 && far < 1);
}

TEST(Frame, WrappedValuesAreInsideForRandomNumbers) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200000; ++round) {
    const double side = std::ldexp(1 + std::uniform_real_distribution<double>(0, 1)(random),
                                   static_cast<int>(random() % 40) - 20);
    const double x = std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random),
                                static_cast<int>(random() % 80) - 40);
    const double r = wrapped(x, 0.0, side);
    ASSERT_TRUE(r >= 0 && r < side && !std::signbit(r)) << x << " " << side;
  }
}

TEST(Frame, ScaleKeepsOrdinaryDataAsTheyAre) {
  EXPECT_EQ(scale_exponent(1.f), 0);
  EXPECT_EQ(scale_exponent(0.f), 0);
  EXPECT_EQ(scale_exponent(std::ldexp(1.f, 48)), 0);
  EXPECT_EQ(scale_exponent(std::ldexp(1.f, -32)), 0);
  EXPECT_EQ(scale_exponent(std::ldexp(1.f, 49)), -49);
  EXPECT_EQ(scale_exponent(std::ldexp(1.f, -33)), 33);
  EXPECT_EQ(scale_exponent(std::numeric_limits<float>::denorm_min()), 149);
  EXPECT_EQ(scale_exponent(std::ldexp(1.0, 385)), -385);
  EXPECT_EQ(scale_exponent(std::ldexp(1.0, -257)), 257);
}

}  // namespace
}  // namespace kith
