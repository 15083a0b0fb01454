// Scales, and ticks at round numbers with the right labels.
#include "drawing/axis.hpp"

#include <gtest/gtest.h>

namespace kith::io {
namespace {

std::string labels(const Ticks& ticks) {
  std::string text;
  for (const Tick& tick : ticks.ticks) {
    if (tick.label.empty()) continue;
    if (!text.empty()) text += ' ';
    text += tick.label;
  }
  return text;
}

TEST(Axis, HasRoundNumbersOnALinearScale) {
  EXPECT_EQ(labels(ticks_of({0, 128}, 6)), "0 20 40 60 80 100 120");
  EXPECT_EQ(labels(ticks_of({0, 1}, 5)), "0.0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(labels(ticks_of({-0.5, 0.5}, 4)), "\u22120.4 \u22120.2 0.0 0.2 0.4");
  EXPECT_EQ(labels(ticks_of({95, 105}, 5)), "96 98 100 102 104");
}

TEST(Axis, TakesAPowerOfTenOutOfLargeAndSmallNumbers) {
  const Ticks large = ticks_of({0, 250000}, 5);
  EXPECT_EQ(large.exponent, 5);
  EXPECT_EQ(labels(large), "0.0 0.5 1.0 1.5 2.0 2.5");
  EXPECT_EQ(axis_label("x", "kpc", large.exponent), "x (10^{5} kpc)");
  const Ticks small = ticks_of({0, 4e-5}, 4);
  EXPECT_EQ(small.exponent, -5);
  EXPECT_EQ(labels(small), "0 1 2 3 4");
  EXPECT_EQ(axis_label("x", "", small.exponent), "x (10^{\u22125})");
  EXPECT_EQ(axis_label("x", "", 0), "x");
  EXPECT_EQ(axis_label("x", "Mpc/h", 0), "x (Mpc/h)");
}

TEST(Axis, HasDecadesOnALogarithmicScale) {
  EXPECT_EQ(labels(ticks_of({0.5, 2000, true}, 4)), "1 10 100 1000");
  EXPECT_EQ(labels(ticks_of({0.1, 20, true}, 5)), "0.1 0.2 0.5 1 2 5 10 20");
  EXPECT_EQ(labels(ticks_of({3e12, 2e15, true}, 6)), "10^{13} 10^{14} 10^{15}");
  EXPECT_EQ(labels(ticks_of({3e-8, 5e-3, true}, 6)),
            "10^{\u22127} 10^{\u22126} 10^{\u22125} 10^{\u22124} 10^{\u22123}");
  EXPECT_EQ(labels(ticks_of({1.5e13, 6e13, true}, 6)), "2\u00d710^{13} 5\u00d710^{13}");
  const Ticks many = ticks_of({1e-30, 1e30, true}, 5);
  EXPECT_LE(labels(many).size(), 12U * 12);
  EXPECT_GE(many.ticks.size(), 5U);
}

TEST(Axis, KeepsItsTicksInside) {
  for (const bool is_log : {false, true})
    for (const double high : {1.1, 3.0, 7.7, 42.0, 1e4, 3e9}) {
      const Scale scale{1, high, is_log};
      for (const Tick& tick : ticks_of(scale, 5).ticks) {
        EXPECT_GE(scale.place(tick.value), -1e-6) << high;
        EXPECT_LE(scale.place(tick.value), 1 + 1e-6) << high;
      }
    }
}

TEST(Axis, PlacesValues) {
  EXPECT_DOUBLE_EQ((Scale{10, 20}.place(15)), 0.5);
  EXPECT_DOUBLE_EQ((Scale{1, 100, true}.place(10)), 0.5);
  EXPECT_DOUBLE_EQ(round_below(37), 20);
  EXPECT_DOUBLE_EQ(round_below(0.5), 0.5);
  EXPECT_DOUBLE_EQ(round_below(1e7), 1e7);
}

}  // namespace
}  // namespace kith::io
