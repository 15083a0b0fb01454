// Statistics: sums over stages and counts of one name.
#include <gtest/gtest.h>

#include <kith/execution.hpp>

namespace kith {
namespace {

TEST(Statistics, AreEmptyAtFirst) {
  const Statistics statistics;
  EXPECT_EQ(statistics.seconds(), 0);
  EXPECT_EQ(statistics.seconds("sort"), 0);
  EXPECT_EQ(statistics.count("rescanned queries"), 0u);
}

TEST(Statistics, AddUpWhatHasOneName) {
  const Statistics statistics{{{"sort", 0.5}, {"boxes", 0.25}, {"sort", 1.0}},
                              {{"ties", 3}, {"rounds", 1}, {"ties", 4}}};
  EXPECT_EQ(statistics.seconds(), 1.75);
  EXPECT_EQ(statistics.seconds("sort"), 1.5);
  EXPECT_EQ(statistics.seconds("sor"), 0);
  EXPECT_EQ(statistics.count("ties"), 7u);
  EXPECT_EQ(statistics.count("none"), 0u);
}

TEST(CancelToken, IsSharedByItsCopies) {
  const CancelToken token;
  const CancelToken copy = token;
  EXPECT_FALSE(copy.is_cancelled());
  token.cancel();
  EXPECT_TRUE(copy.is_cancelled());
  EXPECT_FALSE(CancelToken().is_cancelled());
}

}  // namespace
}  // namespace kith
