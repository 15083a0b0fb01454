// Blurring and smoothing.
#include "drawing/image.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <numeric>

namespace kith::io {
namespace {

Image one_dot(std::size_t n, std::size_t x, std::size_t y, float value, bool wraps) {
  Image image{n, n, wraps, wraps, std::vector<float>(n * n)};
  image.row(y)[x] = value;
  return image;
}

double sum_of(const Image& image) {
  return std::accumulate(image.values.begin(), image.values.end(), 0.0);
}

class ImageTest : public testing::Test {
 protected:
  const Execution execution{.threads = 2};
  const Workers workers{execution};
};

TEST_F(ImageTest, ADotBecomesAGaussian) {
  const Image image = blurred(one_dot(64, 32, 32, 1, false), 4, workers);
  const double peak = 1 / (2 * std::numbers::pi * 16);
  EXPECT_NEAR(image.row(32)[32], peak, 0.01 * peak);
  EXPECT_NEAR(image.row(32)[36], peak * std::exp(-0.5), 0.01 * peak);
  EXPECT_NEAR(image.row(37)[28], peak * std::exp(-41.0 / 32), 0.01 * peak);
  EXPECT_NEAR(sum_of(image), 1, 1e-5);
}

TEST_F(ImageTest, EdgesWrapOrEnd) {
  const Image wrapped = blurred(one_dot(32, 0, 31, 1, true), 3, workers);
  EXPECT_NEAR(sum_of(wrapped), 1, 1e-5);
  EXPECT_EQ(wrapped.row(30)[31], wrapped.row(0)[1]);  // one step to either side
  const Image ended = blurred(one_dot(32, 0, 31, 1, false), 3, workers);
  EXPECT_EQ(ended.row(0)[0], 0);
  EXPECT_LT(sum_of(ended), 0.5);
}

TEST_F(ImageTest, SmoothingKeepsPeaksSharpAndSpreadsWhatIsThin) {
  Image image{96, 96, true, true, std::vector<float>(96 * 96)};
  image.row(20)[20] = 1000;
  image.row(70)[70] = 1;
  const Image result = smoothed(image, 10, workers);
  EXPECT_EQ(result.row(20)[20], blurred(image, 0.7, workers).row(20)[20]);  // the least there is
  EXPECT_GT(result.row(20)[20], 200);
  EXPECT_LT(result.row(70)[70], 0.02);
  EXPECT_GT(result.row(70)[70], 0);
}

TEST_F(ImageTest, SmoothingLeavesAnEvenImageAsItIs) {
  Image image{48, 24, true, true, std::vector<float>(48 * 24, 0.25F)};
  for (const float value : smoothed(image, 30, workers).values) ASSERT_NEAR(value, 0.25, 1e-5);
}

}  // namespace
}  // namespace kith::io
