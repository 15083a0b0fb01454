// Whole numbers from files.
#include "files/number.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kith::io {
namespace {

TEST(WholeNumber, HoldsWhatTheTypeHolds) {
  EXPECT_EQ(whole_number<int>(2147483647.0), 2147483647);
  EXPECT_EQ(whole_number<int>(-2147483648.0), -2147483648LL);
  EXPECT_EQ(whole_number<int>(2147483648.0), std::nullopt);
  EXPECT_EQ(whole_number<int>(2.8e14), std::nullopt);
  EXPECT_EQ(whole_number<int>(-2147483649.0), std::nullopt);
  EXPECT_EQ(whole_number<std::uint8_t>(255.0), 255);
  EXPECT_EQ(whole_number<std::uint8_t>(256.0), std::nullopt);
  EXPECT_EQ(whole_number<bool>(1.0), true);
  EXPECT_EQ(whole_number<bool>(2.0), std::nullopt);
  EXPECT_EQ(whole_number<std::uint64_t>(0x1p63), std::uint64_t{1} << 63);
  EXPECT_EQ(whole_number<std::uint64_t>(0x1p64), std::nullopt);
  EXPECT_EQ(whole_number<std::int64_t>(0x1p63), std::nullopt);
  EXPECT_EQ(whole_number<std::int64_t>(-0x1p63), INT64_MIN);
}

TEST(WholeNumber, IsWhole) {
  for (const double value : {0.5, -1e-300, std::nan(""), HUGE_VAL, -HUGE_VAL, 1e300})
    EXPECT_EQ(whole_number<std::int64_t>(value), std::nullopt) << value;
  EXPECT_EQ(whole_number<int>(-0.0), 0);
  EXPECT_EQ(whole_number<std::uint32_t>(-1.0), std::nullopt);
}

TEST(WholeNumber, ComesFromWholeNumbersToo) {
  EXPECT_EQ(whole_number<std::int64_t>(UINT64_MAX), std::nullopt);
  EXPECT_EQ(whole_number<std::int32_t>(std::int64_t{-1}), -1);
  EXPECT_EQ(whole_number<std::uint8_t>(std::int64_t{-1}), std::nullopt);
}

}  // namespace
}  // namespace kith::io
