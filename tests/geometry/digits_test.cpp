// Binary digits, z-order and its cells.
#include "geometry/digits.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "geometry/z_order.hpp"

namespace kith {
namespace {

/// Digit b of |x|, by the book.
template <class T>
int digit(T x, int b) {
  // |x| / 2^b is exact in long double for every float and double digit that can be set.
  const long double scaled = std::floor(std::ldexp(std::abs(static_cast<long double>(x)), -b));
  return std::fmod(scaled, 2.0L) == 1.0L ? 1 : 0;
}

template <class T>
int differing_digit_slowly(T a, T b) {
  if (a == b) return kNoDigit;
  if ((a < 0) != (b < 0)) return kSignDigit<T>;
  for (int place = std::numeric_limits<T>::max_exponent; place >= -1074; --place)
    if (digit(a, place) != digit(b, place)) return place;
  return kNoDigit;
}

/// Numbers of every magnitude, with neighbors that differ in few digits.
template <class T>
std::vector<T> awkward_numbers() {
  const T least = std::numeric_limits<T>::denorm_min(), normal = std::numeric_limits<T>::min();
  std::vector<T> values{0,
                        least,
                        2 * least,
                        3 * least,
                        normal,
                        normal - least,
                        normal + least,
                        2 * normal,
                        T(0.1),
                        T(1) / 3,
                        T(0.5),
                        T(1),
                        std::nextafter(T(1), T(0)),
                        std::nextafter(T(1), T(2)),
                        T(1.5),
                        T(2),
                        T(3),
                        T(7),
                        T(8),
                        T(1e10),
                        std::numeric_limits<T>::max()};
  const std::size_t positive = values.size();
  for (std::size_t i = 1; i < positive; ++i) values.push_back(-values[i]);
  return values;
}

template <class T>
void check_differing_digits() {
  for (const T a : awkward_numbers<T>())
    for (const T b : awkward_numbers<T>())
      ASSERT_EQ(differing_digit(a, b), differing_digit_slowly(a, b)) << a << " " << b;
}

TEST(Digits, DifferingDigitIsThatOfTheFixedPointNumbers) {
  check_differing_digits<float>();
  check_differing_digits<double>();
}

/// Windows order numbers as their values do, as far as the window reaches.
template <class T>
void check_windows() {
  for (const T a : awkward_numbers<T>())
    for (const T b : awkward_numbers<T>()) {
      const int place = differing_digit(a, b);
      if (place == kNoDigit) continue;
      if (place == kSignDigit<T>) {
        const int top =
            std::max(a == 0 ? -1074 : leading_digit(a), b == 0 ? -1074 : leading_digit(b));
        const DigitWindow<T> window(top, 5, true);
        ASSERT_EQ(window(a) < window(b), a < b) << a << " " << b;
      } else {
        // The window may start anywhere above the digit as long as it reaches it, or at it.
        for (const int above : {0, 3, 9}) {
          const DigitWindow<T> window(place + above, 10, false);
          ASSERT_EQ(window(a) < window(b), a < b) << a << " " << b << " " << above;
        }
      }
    }
}

TEST(Digits, WindowsKeepTheOrder) {
  check_windows<float>();
  check_windows<double>();
}

TEST(ZOrder, IsAStrictWeakOrder) {
  std::mt19937 random(3);
  const std::vector<float> values = awkward_numbers<float>();
  std::vector<std::array<float, 2>> points(60);
  for (auto& point : points)
    for (float& x : point) x = values[random() % values.size()];
  const Axes<2> axes(2);
  auto less = [&](const auto& p, const auto& q) { return z_less(p.data(), q.data(), axes); };
  for (const auto& p : points)
    for (const auto& q : points) {
      ASSERT_EQ(!less(p, q) && !less(q, p), p == q);  // only equal points are equivalent
      for (const auto& r : points) ASSERT_TRUE(!(less(p, q) && less(q, r)) || less(p, r));
    }
}

TEST(ZOrder, LargeEqualCoordinatesNeverDecide) {
  // 1e20 has no digits below 2^43; its being equal must not hide a difference of 1e-3.
  const float p[2] = {1e20f, 0.001f}, q[2] = {1e20f, 0.002f};
  EXPECT_TRUE(z_less(p, q, Axes<2>(2)));
  EXPECT_FALSE(z_less(q, p, Axes<2>(2)));
}

TEST(ZOrder, ExtentsMultiplyToTheVolume) {
  for (int dimension = 1; dimension <= 8; ++dimension)
    for (int level = -40; level <= 40; ++level) {
      int sum = 0, least = 1000, most = -1000;
      for (int axis = 0; axis < dimension; ++axis) {
        const int extent = z_extent(level, axis, dimension);
        sum += extent;
        least = std::min(least, extent);
        most = std::max(most, extent);
      }
      ASSERT_EQ(sum, level);
      ASSERT_LE(most - least, 1);
    }
}

TEST(ZOrder, LevelIsThatOfTheSmallestCommonCell) {
  const float p[3] = {0.25f, 0.25f, 0.25f}, q[3] = {0.75f, 0.25f, 0.25f},
              r[3] = {0.25f, 0.25f, 0.75f};
  const Axes<3> axes(3);
  EXPECT_EQ(z_level(p, q, axes), 0);   // they part on the first axis: only the unit cube holds both
  EXPECT_EQ(z_level(p, r, axes), -2);  // half a cube on each of the first two axes
  EXPECT_EQ(z_level(p, p, axes), kPointLevel);
}

}  // namespace
}  // namespace kith
