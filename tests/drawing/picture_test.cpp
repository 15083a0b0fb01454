// Pictures: the bright places, and the colors.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include <kith/io/picture.hpp>

#include "support/expect_error.hpp"

namespace kith {
namespace {

using test::expect_error;

int brightness(const Picture& picture, int x, int y) {
  const std::size_t i = 3 * (static_cast<std::size_t>(y) * picture.width + x);
  return picture.pixels[i] + picture.pixels[i + 1] + picture.pixels[i + 2];
}

int darkness() {
  const Color color = color_of(0);
  return color.red + color.green + color.blue;
}

/// OKLab of a color, by the matrices of its definition (the library uses their inverses).
std::array<double, 3> lab(const Color& color) {
  const auto linear = [](int c) {
    const double x = c / 255.0;
    return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  const double r = linear(color.red);
  const double g = linear(color.green);
  const double b = linear(color.blue);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

TEST(Colors, GetLighterInEqualSteps) {
  std::vector<double> step;
  for (int i = 1; i <= 16; ++i) {
    const auto before = lab(color_of((i - 1) / 16.0));
    const auto now = lab(color_of(i / 16.0));
    EXPECT_GT(now[0], before[0] + 0.02) << i;
    step.push_back(std::hypot(now[0] - before[0], now[1] - before[1], now[2] - before[2]));
  }
  const auto [low, high] = std::minmax_element(step.begin(), step.end());
  EXPECT_LT(*high / *low, 1.25);
  EXPECT_LT(lab(color_of(0))[0], 0.15);
  EXPECT_GT(lab(color_of(1))[0], 0.95);
}

TEST(Colors, AreDefinedForEveryNumber) {
  const auto same = [](const Color& a, const Color& b) {
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
  };
  EXPECT_TRUE(same(color_of(-3), color_of(0)));
  EXPECT_TRUE(same(color_of(7), color_of(1)));
  EXPECT_TRUE(same(color_of(std::numeric_limits<double>::quiet_NaN()), color_of(0)));
}

TEST(Picture, ShowsPointsWhereTheyAreWithTheVerticalAxisUp) {
  const std::vector<float> x = {0.5F, 0.5F, 9.5F, 2.5F, 9.5F, 2.5F};
  const Picture p =
      picture(view(x.data(), 3, 2), {.box = Box::periodic(10), .size = 10, .smoothing = 0});
  ASSERT_EQ(p.width, 10);
  ASSERT_EQ(p.height, 10);
  EXPECT_GT(brightness(p, 9, 7), brightness(p, 0, 9));  // two points against one
  for (int y = 0; y < 10; ++y)
    for (int i = 0; i < 10; ++i) {
      const bool is_point = (i == 0 && y == 9) || (i == 9 && y == 7);
      EXPECT_TRUE(is_point || brightness(p, i, y) == darkness()) << i << " " << y;
    }
}

TEST(Picture, CutsASliceThatMayWrapAround) {
  const std::vector<float> x = {1, 1, 0.2F, 3, 3, 5, 5, 5, 9.9F, 7, 7, 1.1F};
  PictureOptions options{.box = Box::periodic(10), .size = 10, .thickness = 2, .smoothing = 0};
  const auto shown = [&] {
    const Picture p = picture(view(x.data(), 4, 3), options);
    std::string result;
    for (const int i : {1, 3, 5, 7}) result += brightness(p, i, 9 - i) > darkness() ? 'x' : '.';
    return result;
  };
  options.darkest = 0.01;  // with equal counts the automatic scale calls all of them dark
  options.brightest = 100;
  EXPECT_EQ(shown(), "x.x.");
  options.center = 5;
  EXPECT_EQ(shown(), ".x..");
  options.thickness = 0;
  EXPECT_EQ(shown(), "xxxx");
}

TEST(Picture, ShowsASquareThatMayReachOverAnEdge) {
  // Two beside a corner of the box, one in its middle.
  const std::vector<std::array<double, 2>> points{{0.015, 0.015}, {0.985, 0.985}, {0.5, 0.5}};
  PictureOptions options{.box = Box::periodic(1), .size = 10, .smoothing = 0};
  options.width = 0.1;
  options.around = {0, 0};
  options.darkest = 0.01;  // as above
  options.brightest = 100;
  const Picture shown = picture(view(points), options);
  ASSERT_EQ(shown.width, 10);
  EXPECT_GT(brightness(shown, 6, 3), darkness());
  EXPECT_GT(brightness(shown, 3, 6), darkness());
  int bright = 0;
  for (int y = 0; y < 10; ++y)
    for (int x = 0; x < 10; ++x) bright += brightness(shown, x, y) > darkness() ? 1 : 0;
  EXPECT_EQ(bright, 2);  // the third is outside
  options.around = {0};
  expect_error(ErrorCode::invalid_argument, "1 coordinates; give 2",
               [&] { picture(view(points), options); });
}

TEST(Picture, LooksAlongAnyAxis) {
  const std::vector<float> x = {1, 5, 8};
  const auto is_lit = [&](int axis, int px, int py) {
    const Picture p = picture(view(x.data(), 1, 3), {.box = Box::periodic(10),
                                                     .size = 10,
                                                     .axis = axis,
                                                     .darkest = 0.01,
                                                     .brightest = 100,
                                                     .smoothing = 0});
    return brightness(p, px, 9 - py) > darkness();
  };
  EXPECT_TRUE(is_lit(0, 5, 8));
  EXPECT_TRUE(is_lit(1, 1, 8));
  EXPECT_TRUE(is_lit(2, 1, 5));
}

TEST(Picture, OfAnOpenBoxSpansThePointsInTheirProportions) {
  const std::vector<double> x = {-3, 10, 5, 12, std::numeric_limits<double>::quiet_NaN(), 11};
  const Picture p = picture(view(x.data(), 3, 2), {.size = 100, .smoothing = 0});
  EXPECT_EQ(p.width, 100);
  EXPECT_EQ(p.height, 25);
}

TEST(Picture, IsTheSameForAnyNumberOfThreads) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0.5F, 0.2F);
  std::vector<float> x(30000);
  for (float& each : x) each = normal(random);
  const PictureOptions options{.box = Box::periodic(1), .size = 64, .thickness = 0.4};
  const auto pixels = picture(view(x.data(), 10000, 3), options, {.threads = 1}).pixels;
  EXPECT_EQ(pixels, picture(view(x.data(), 10000, 3), options, {.threads = 2}).pixels);
  EXPECT_EQ(pixels, picture(view(x.data(), 10000, 3), options, {.threads = 5}).pixels);
}

TEST(Picture, OfNothingIsDark) {
  const Picture p = picture(view(static_cast<const float*>(nullptr), 0, 3), {.size = 8});
  EXPECT_EQ(p.pixels.size(), 8U * 8 * 3);
  EXPECT_EQ(brightness(p, 3, 3), darkness());
}

TEST(Picture, RefusesWhatMakesNoSense) {
  const std::vector<float> x(12);
  const auto refused = [&](int dimension, const PictureOptions& options, std::string_view words) {
    expect_error(ErrorCode::invalid_argument, words,
                 [&] { picture(view(x.data(), 1, dimension), options); });
  };
  refused(1, {}, "picture: points of dimension 1; give 2 to 32");
  refused(3, {.size = 0}, "picture: size = 0");
  refused(3, {.axis = 3}, "picture: axis = 3; points of dimension 3 have axes 0 to 2");
  refused(3, {.thickness = -1}, "picture: a slice of thickness -1");
  refused(3, {.darkest = 5, .brightest = 2}, "picture: colors from 5 to 2");
  refused(3, {.smoothing = -1}, "picture: smoothing = -1");
  refused(3, {.box = Box::periodic({1, 1})},
          "picture: a box of dimension 2 for points of dimension 3");
}

}  // namespace
}  // namespace kith
