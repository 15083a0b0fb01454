// Exact sums against sums of whole numbers.
#include "base/exact_sum.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>

namespace kith {
namespace {

__extension__ using Wide = __int128;

/// Terms m 2^e with e from -50 to 50 are whole multiples of 2^-50: their sums fit 128 bits.
TEST(ExactSum, EqualsWholeNumbers) {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 20000; ++repeat) {
    ExactSum sum;
    Wide whole = 0;
    const int terms = static_cast<int>(random() % 12);
    double last = 0;
    for (int i = 0; i < terms; ++i) {
      const int shift = static_cast<int>(random() % 60);
      const auto m = static_cast<std::int64_t>(random() % 2001) - 1000;
      last = std::ldexp(static_cast<double>(m), shift - 50);
      sum.add(last);
      whole += static_cast<Wide>(m) << shift;
    }
    EXPECT_EQ(sum.reaches(0), whole >= 0);
    const int shift = static_cast<int>(random() % 40);
    const double least =
        repeat % 2 ? last : std::ldexp(static_cast<double>(random() % 99), shift - 50);
    const auto units = static_cast<Wide>(std::ldexp(least, 50));
    EXPECT_EQ(sum.reaches(least), whole >= units) << repeat;
  }
}

TEST(ExactSum, KeepsWhatRoundingLoses) {
  ExactSum sum;
  for (int i = 0; i < 10; ++i) sum.add(0.1);
  EXPECT_TRUE(sum.reaches(1));  // 0.1 is more than a tenth
  sum.add(-1);
  EXPECT_FALSE(sum.reaches(1e-15));
  sum.clear();
  sum.add(1e300);
  sum.add(1e-300);
  sum.add(-1e300);
  EXPECT_TRUE(sum.reaches(1e-300));
  EXPECT_FALSE(sum.reaches(std::nextafter(1e-300, 1)));
}

}  // namespace
}  // namespace kith
