// Sine, cosine and angles of chords against long doubles, and their exact properties.
#include "geometry/sphere.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

namespace kith {
namespace {

constexpr long double kPi = std::numbers::pi_v<long double>;

double units_of_last_place(double value, long double exact) {
  const double unit = std::nextafter(std::abs(value), INFINITY) - std::abs(value);
  return static_cast<double>(std::abs((value - exact) / unit));
}

/// Chords of all sizes: uniform, tiny ones, and near 2.
double some_chord(std::mt19937_64& random, int kind) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const double u = uniform(random);
  return kind % 3 == 0 ? 2 * u : kind % 3 == 1 ? std::exp2(-60 * u) : 2 - std::exp2(-52 * u);
}

TEST(Sphere, CircleIsWithinHalfAUnitOfOne) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> degrees(-720, 720), radians(-1000, 1000);
  for (int i = 0; i < 300000; ++i) {
    const double a = degrees(random), b = radians(random);
    const OnCircle p = at_degrees(a), q = at_radians(b);
    ASSERT_LT(std::abs(p.sine - std::sin(a * kPi / 180)), 0x1p-52L) << a;
    ASSERT_LT(std::abs(p.cosine - std::cos(a * kPi / 180)), 0x1p-52L) << a;
    ASSERT_LT(std::abs(q.sine - std::sin(static_cast<long double>(b))), 0x1p-52L) << b;
    ASSERT_LT(std::abs(q.cosine - std::cos(static_cast<long double>(b))), 0x1p-52L) << b;
  }
}

TEST(Sphere, QuarterTurnsAreExact) {
  for (int turn = -3; turn <= 3; ++turn) {
    const double sines[] = {0, 1, 0, -1}, cosines[] = {1, 0, -1, 0};
    for (int quarter = 0; quarter < 4; ++quarter) {
      const OnCircle p = at_degrees(360.0 * turn + 90 * quarter);
      EXPECT_EQ(p.sine, sines[quarter]);
      EXPECT_EQ(p.cosine, cosines[quarter]);
    }
    const OnCircle a = at_degrees(12.375), b = at_degrees(360.0 * turn + 12.375);
    EXPECT_EQ(a.sine, b.sine);
    EXPECT_EQ(a.cosine, b.cosine);
  }
  EXPECT_EQ(at_degrees(1e300).sine, at_degrees(std::fmod(1e300, 360)).sine);
}

TEST(Sphere, AnglesAreWithinThreeQuartersOfAUnit) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 600000; ++i) {
    const double chord = some_chord(random, i), angle = angle_of_chord(chord);
    ASSERT_LT(units_of_last_place(angle, 2 * std::asin(static_cast<long double>(chord) / 2)), 0.75)
        << chord;
  }
}

TEST(Sphere, AnglesNeverFall) {
  std::mt19937_64 random(3);
  const auto check = [](double chord) {
    for (int step = 0; step < 4; ++step) {
      const double next = std::nextafter(chord, 3);
      ASSERT_LE(angle_of_chord(chord), angle_of_chord(next)) << chord;
      ASSERT_LE(measured(chord, Measure::degrees), measured(next, Measure::degrees)) << chord;
      chord = next;
    }
  };
  for (int i = 0; i < 300000; ++i) check(some_chord(random, i));
  for (const double seam : {0.06, 1.0, 2.0, 1.99999999}) {
    double chord = seam;
    for (int i = 0; i < 1000; ++i) chord = std::nextafter(chord, 0);
    for (int i = 0; i < 2000; ++i, chord = std::nextafter(chord, 3)) check(chord);
  }
}

TEST(Sphere, EndsAreExact) {
  EXPECT_EQ(angle_of_chord(0), 0);
  EXPECT_EQ(measured(2, Measure::degrees), 180);
  EXPECT_EQ(measured(2.0000001, Measure::radians), std::numbers::pi);
  EXPECT_EQ(measured(1e-300, Measure::radians), 1e-300);
  EXPECT_EQ(measured(INFINITY, Measure::degrees), INFINITY);
  EXPECT_TRUE(std::isnan(measured(NAN, Measure::degrees)));
  EXPECT_EQ(measured(0.7, Measure::length), 0.7);
  EXPECT_EQ(distance_of(0, Measure::degrees), 0);
  EXPECT_EQ(distance_of(180, Measure::degrees), 3);
  EXPECT_EQ(distance_of(INFINITY, Measure::radians), 3);
  EXPECT_EQ(distance_of(0.7, Measure::length), 0.7);
}

TEST(Sphere, LimitsAreWithinAUnit) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 200000; ++i) {
    const double angle = i % 2 ? 180 * uniform(random) : 180 * std::exp2(-50 * uniform(random));
    ASSERT_LT(
        units_of_last_place(distance_of(angle, Measure::degrees), 2 * std::sin(angle * kPi / 360)),
        2)
        << angle;
  }
}

}  // namespace
}  // namespace kith
