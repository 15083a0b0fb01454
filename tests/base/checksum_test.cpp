// The values are part of a file format: those of XXH3 as xxHash's own library has them.
#include "base/checksum.hpp"

#include <gtest/gtest.h>
#include <string>

namespace kith {
namespace {

TEST(Checksum, HasTheValuesOfXxh3) {
  EXPECT_EQ(checksum("", 0), 0x2d06800538d394c2U);
  const std::string text = "kith: exact nearest neighbors and friends-of-friends groups";
  EXPECT_EQ(checksum(text.data(), text.size()), 0x770dac001ebfb502U);
  EXPECT_EQ(checksum(text.data(), text.size(), 7), 0x1e07ce959f389804U);
  const std::string longer(1 << 20, 'k');
  EXPECT_EQ(checksum(longer.data(), longer.size()), 0x03ca53908b16d8f9U);
}

}  // namespace
}  // namespace kith
