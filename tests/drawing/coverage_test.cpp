// Shares of pixels against areas.
#include "drawing/coverage.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <numeric>
#include <random>

namespace kith::io {
namespace {

double total(const std::vector<Polygon>& polygons, const Pixels& window) {
  const Coverage coverage(polygons, window);
  double sum = 0;
  for (int y = 0; y < window.height(); ++y)
    for (const float share : coverage.row(y)) sum += share;
  return sum;
}

Polygon square(double left, double top, double side) {
  return {{left, top}, {left + side, top}, {left + side, top + side}, {left, top + side}};
}

TEST(Coverage, IsTheAreaOfATriangle) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> place(0, 40);
  for (int trial = 0; trial < 200; ++trial) {
    const Polygon t{{place(random), place(random)},
                    {place(random), place(random)},
                    {place(random), place(random)}};
    const double area = 0.5 * std::abs((t[1].x - t[0].x) * (t[2].y - t[0].y) -
                                       (t[2].x - t[0].x) * (t[1].y - t[0].y));
    EXPECT_NEAR(total({t}, {0, 0, 40, 40}), area, 1e-3) << trial;
  }
}

TEST(Coverage, IsExactInEveryPixel) {
  const Coverage coverage({square(1.25, 0.5, 2)}, {0, 0, 5, 3});
  EXPECT_EQ(coverage.row(0), (std::vector<float>{0, 0.375, 0.5, 0.125, 0}));
  EXPECT_EQ(coverage.row(1), (std::vector<float>{0, 0.75, 1, 0.25, 0}));
  EXPECT_EQ(coverage.row(2), (std::vector<float>{0, 0.375, 0.5, 0.125, 0}));
}

TEST(Coverage, CountsOverlapsOnceAndLeavesHoles) {
  EXPECT_NEAR(total({square(1, 1, 4), square(2, 2, 4)}, {0, 0, 10, 10}), 23, 1e-5);
  Polygon hole = square(2, 2, 2);
  std::reverse(hole.begin(), hole.end());
  EXPECT_NEAR(total({square(1, 1, 4), hole}, {0, 0, 10, 10}), 12, 1e-5);
}

TEST(Coverage, OfAWindowIsThatOfTheWholeInsideIt) {
  const Polygon big = square(-100, -100, 1000);
  EXPECT_NEAR(total({big}, {3, 4, 10, 9}), 35, 1e-4);
  EXPECT_NEAR(total({square(5, 5, 10)}, {0, 0, 8, 8}), 9, 1e-4);
}

TEST(Coverage, OfStrokesIsLengthTimesWidth) {
  std::vector<Polygon> polygons;
  add_stroke({{2, 2}, {2 + 12, 2 + 16}}, 3, false, polygons);
  EXPECT_NEAR(total(polygons, {0, 0, 30, 30}), 60, 1e-3);
  polygons.clear();
  add_stroke({{2, 2}, {2 + 12, 2 + 16}}, 3, true, polygons);
  EXPECT_NEAR(total(polygons, {0, 0, 30, 30}), 60 + std::numbers::pi * 2.25, 1.5);
}

TEST(Coverage, OfADiscIsThatOfACircle) {
  for (const double radius : {1.0, 5.0, 60.0}) {
    const double area = std::numbers::pi * radius * radius;
    EXPECT_NEAR(total({disc({70, 70}, radius)}, {0, 0, 140, 140}), area, 0.06 * area) << radius;
  }
}

TEST(Coverage, DashesLeaveGaps) {
  const auto pieces = dashed({{0, 0}, {10, 0}, {10, 5}}, {4, 2});
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_DOUBLE_EQ(pieces[0].back().x, 4);
  EXPECT_DOUBLE_EQ(pieces[1].front().x, 6);
  EXPECT_DOUBLE_EQ(pieces[1].back().x, 10);
  EXPECT_DOUBLE_EQ(pieces[2].front().y, 2);
  EXPECT_EQ(dashed({{0, 0}, {10, 0}}, {}).size(), 1U);
}

TEST(Coverage, EndsForAnyNumbers) {
  const Polygon wild{{NAN, 3}, {1e300, -1e300}, {-INFINITY, INFINITY}, {5, 5}};
  const Pixels window = intersection(bounds({wild}), {0, 0, 8, 8});
  if (!window.is_empty()) total({wild}, window);
  EXPECT_LE(window.width(), 8);
}

}  // namespace
}  // namespace kith::io
