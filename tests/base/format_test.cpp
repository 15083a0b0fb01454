#include "base/format.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

namespace kith {
namespace {

TEST(Format, WritesEveryKindOfValue) {
  EXPECT_EQ(formatted("no values"), "no values");
  EXPECT_EQ(formatted("{} {} {} {}", -3, std::size_t{4}, true, 'x'), "-3 4 true x");
  EXPECT_EQ(formatted("{} {}", 0.1F, 0.1), "0.1 0.1");
  EXPECT_EQ(formatted("{} {} {}", "a", std::string("b"), std::string_view("c")), "a b c");
  EXPECT_EQ(formatted("{}", std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(formatted("{}", std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(Format, KnowsThePatternsOfFmt) {
  EXPECT_EQ(formatted("{{}} {:.3f} {:04x}", 1.0, 255), "{} 1.000 00ff");
  EXPECT_EQ(formatted("<{0}>{1}</{0}>", "b", 7), "<b>7</b>");
}

}  // namespace
}  // namespace kith
