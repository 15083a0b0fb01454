// The random numbers: known answers, independence of streams, moments.
#include "sample/random.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kith::sample {
namespace {

TEST(Random, PhiloxGivesThePublishedAnswers) {
  // From the test vectors that come with the generator's paper.
  EXPECT_EQ(philox({0, 0, 0, 0}, 0), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0U, ~0U, ~0U, ~0U}, ~std::uint64_t{0}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, SeedStreamAndIndexEachChangeTheNumbers) {
  const double base = Random(1, Stream::points, 5).uniform();
  EXPECT_EQ(base, Random(1, Stream::points, 5).uniform());
  EXPECT_NE(base, Random(2, Stream::points, 5).uniform());
  EXPECT_NE(base, Random(1, Stream::modes, 5).uniform());
  EXPECT_NE(base, Random(1, Stream::points, 6).uniform());
  EXPECT_NE(base, Random(1, Stream::points, 5 + (std::uint64_t{1} << 32)).uniform());
}

TEST(Random, UniformNumbersFillTheUnitInterval) {
  double sum = 0;
  double low = 1;
  double high = 0;
  Random random(3, Stream::points, 0);
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const double u = random.uniform();
    sum += u;
    low = std::min(low, u);
    high = std::max(high, u);
  }
  EXPECT_GT(low, 0);
  EXPECT_LT(low, 1e-4);
  EXPECT_LT(high, 1);
  EXPECT_GT(high, 1 - 1e-4);
  EXPECT_NEAR(sum / kCount, 0.5, 5 * std::sqrt(1.0 / 12 / kCount));
}

TEST(Random, NormalNumbersHaveTheirMomentsAndTails) {
  constexpr int kCount = 200000;
  double moment[5] = {};
  int beyond_two = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = Random(4, Stream::points, static_cast<std::uint64_t>(i)).normal();
    for (int m = 1; m <= 4; ++m) moment[m] += std::pow(x, m) / kCount;
    beyond_two += std::abs(x) > 2 ? 1 : 0;
  }
  const double unit = 1 / std::sqrt(double{kCount});
  EXPECT_NEAR(moment[1], 0, 5 * unit);
  EXPECT_NEAR(moment[2], 1, 5 * std::sqrt(2.0) * unit);
  EXPECT_NEAR(moment[3], 0, 5 * std::sqrt(15.0) * unit);
  EXPECT_NEAR(moment[4], 3, 5 * std::sqrt(96.0) * unit);
  EXPECT_NEAR(beyond_two / double{kCount}, 0.0455, 5 * std::sqrt(0.0455) * unit);
}

}  // namespace
}  // namespace kith::sample
