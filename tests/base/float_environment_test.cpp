// The scope that sets the floating-point environment and restores the caller's.
#include "base/float_environment.hpp"

#include <gtest/gtest.h>

#include "support/float_environment.hpp"

namespace kith {
namespace {

using test::ForeignEnvironment;
using test::is_default_environment;

TEST(FloatEnvironment, TheTestSeesForeignEnvironments) {
  EXPECT_TRUE(is_default_environment());
  const ForeignEnvironment foreign(FE_UPWARD);
  EXPECT_FALSE(test::rounds_to_nearest());
#if defined(__SSE2__)
  EXPECT_FALSE(test::keeps_subnormals());
  EXPECT_FALSE(test::reads_subnormals());
#endif
}

TEST(FloatEnvironment, SetsTheDefaultAndRestoresTheCallers) {
  for (const int rounding : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    const ForeignEnvironment foreign(rounding);
    {
      const FloatEnvironment environment;
      EXPECT_TRUE(is_default_environment()) << rounding;
    }
    EXPECT_EQ(test::rounds_to_nearest(), rounding == FE_TONEAREST);
#if defined(__SSE2__)
    EXPECT_FALSE(test::keeps_subnormals());
    EXPECT_FALSE(test::reads_subnormals());
#endif
  }
}

TEST(FloatEnvironment, LeavesADefaultEnvironmentAlone) {
  {
    const FloatEnvironment environment;
    EXPECT_TRUE(is_default_environment());
  }
  EXPECT_TRUE(is_default_environment());
}

TEST(FloatEnvironment, Nests) {
  const ForeignEnvironment foreign(FE_DOWNWARD);
  const FloatEnvironment outer;
  {
    const FloatEnvironment inner;
    EXPECT_TRUE(is_default_environment());
  }
  EXPECT_TRUE(is_default_environment());
}

}  // namespace
}  // namespace kith
