// Property tests fail where they should, name the seed, and shrink.
#include "support/property.hpp"

#include <gtest/gtest.h>

namespace kith::test {
namespace {

/// Wrong for sets with two points beyond 0.9 on the first axis.
void check_wrongly(Draw& draw) {
  const auto set = draw.thinned(make_set<float>(
      "uniform", 2, 200, [&](auto, int) { return static_cast<float>(draw.uniform()); }));
  int beyond = 0;
  for (std::size_t i = 0; i < set.size(); ++i) beyond += set.row(i)[0] > 0.9f ? 1 : 0;
  ASSERT_LT(beyond, 2) << set.size() << " points";
}

std::string failure_of(void (*check)(Draw&)) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    for_cases(10, check);
  }
  std::string text;
  for (int i = 0; i < results.size(); ++i) text += results.GetTestPartResult(i).message();
  return text;
}

TEST(Property, AFailureShrinksToTheFewestPointsAndNamesItsSeed) {
  const std::string text = failure_of(check_wrongly);
  EXPECT_NE(text.find("KITH_SEED=1 repeats it"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  2 points (uniform): ("), std::string::npos) << text;
}

TEST(Property, NothingIsSaidOfCasesThatHold) {
  EXPECT_EQ(failure_of([](Draw& draw) { ASSERT_LT(draw.uniform(), 1); }), "");
}

TEST(Property, CasesDependOnTheirSeedAlone) {
  Draw once(7), again(7), other(8);
  EXPECT_EQ(once.random(), again.random());
  EXPECT_NE(once.random(), other.random());
}

}  // namespace
}  // namespace kith::test
