// Keys of the curves: prefixes of the order, whatever the points.
#include "geometry/curve_key.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "geometry/z_order.hpp"
#include "support/point_sets.hpp"

namespace kith {
namespace {

using test::PointSet;

template <int D, class T>
Bounds<D, T> bounds_of(const PointSet<T>& set) {
  auto bounds = Bounds<D, T>::empty();
  for (std::size_t i = 0; i < set.size(); ++i) bounds.add(set.row(i), Axes<D>(set.dimension));
  return bounds;
}

/// A smaller key means earlier in z-order, and the other way round: earlier is never larger.
template <class T, class Key>
void check_prefix(const PointSet<T>& set, const Key& key) {
  if (!key.can_split()) return;
  const Axes<kAnyDimension> axes(set.dimension);
  for (std::size_t i = 0; i + 1 < set.size(); ++i) {
    const T *p = set.row(i), *q = set.row(i + 1);
    ASSERT_TRUE(key(p) >= key(q) || z_less(p, q, axes)) << set.name << " " << i;
    ASSERT_TRUE(key(q) >= key(p) || z_less(q, p, axes)) << set.name << " " << i;
  }
}

template <class T>
void check_prefixes() {
  for (const auto& set : test::random_sets<T>(2, 500, 1))
    check_prefix(set, CurveKey<2, T, DigitCells>::long_key(bounds_of<2>(set)));
  for (const auto& set : test::random_sets<T>(3, 500, 2))
    check_prefix(set, CurveKey<3, T, DigitCells>::long_key(bounds_of<3>(set)));
  for (const int dimension : {1, 4, 7, 32})
    for (const auto& set : test::random_sets<T>(dimension, 500, 3))
      check_prefix(set, WideCurveKey<T, DigitCells>(bounds_of<kAnyDimension>(set), dimension));
}

TEST(CurveKey, OfDigitsIsAPrefixOfZOrder) {
  check_prefixes<float>();
  check_prefixes<double>();
}

/// Points that a thread of the caller spoils meanwhile, and whose digits would part nothing at all:
/// who sorts them would call itself forever.
TEST(CurveKey, OfSpoiledBoundsDoesNotSplit) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double points[][2] = {{kInfinity, 1}, {-kInfinity, 2}, {std::nan(""), 3}};
  for (const auto& point : points) {
    auto bounds = Bounds<2, double>::empty();
    bounds.add(point, Axes<2>(2));
    EXPECT_FALSE((CurveKey<2, double, DigitCells>::short_key(bounds).can_split())) << point[1];
    const double other[] = {point[0], 8};
    bounds.add(other, Axes<2>(2));
    EXPECT_FALSE((CurveKey<2, double, DigitCells>::short_key(bounds).can_split())) << point[1];
  }
}

/// The tables follow the same curve as the steps: each cell of a grid has its own key, and
/// consecutive keys are cells side by side.
TEST(CurveKey, OfEqualCellsVisitsNeighborsOneByOne) {
  constexpr int kSide = 8;
  Bounds<kAnyDimension, float> any = Bounds<kAnyDimension, float>::empty();
  Bounds<3, float> three = Bounds<3, float>::empty();
  std::vector<std::array<float, 3>> cells;
  for (int i = 0; i < kSide * kSide * kSide; ++i)
    cells.push_back({static_cast<float>(i % kSide), static_cast<float>(i / kSide % kSide),
                     static_cast<float>(i / kSide / kSide)});
  const float lower[3] = {0, 0, 0}, upper[3] = {kSide, kSide, kSide};
  three.add(lower, upper, Axes<3>(3));
  any.add(lower, upper, Axes<kAnyDimension>(3));
  auto check = [&](auto key) {
    std::sort(cells.begin(), cells.end(),
              [&](const auto& p, const auto& q) { return key(p.data()) < key(q.data()); });
    for (std::size_t i = 1; i < cells.size(); ++i) {
      float steps = 0;
      for (std::size_t axis = 0; axis < 3; ++axis)
        steps += std::abs(cells[i][axis] - cells[i - 1][axis]);
      ASSERT_EQ(steps, 1) << i;
    }
  };
  check(CurveKey<3, float, EqualCells>::long_key(three));
  check(WideCurveKey<float, EqualCells>(any, 3));
}

}  // namespace
}  // namespace kith
