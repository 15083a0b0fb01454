// Text that is UTF-8, and bytes that are not.
#include "files/utf8.hpp"

#include <gtest/gtest.h>

namespace kith::io {
namespace {

TEST(Utf8, KnowsWhatIsText) {
  for (const char* text : {"", "plain", "gr\xc3\xbc\xc3\x9f", "\xe2\x82\xac", "\xf0\x9f\x99\x82"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
    EXPECT_EQ(as_utf8(text), text);
  }
  // A Latin letter, half a character, a surrogate, a longer form than needed, beyond the last one.
  for (const char* text : {"caf\xe9", "\xe2\x82", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
    EXPECT_TRUE(is_utf8(as_utf8(text))) << text;
  }
  EXPECT_EQ(as_utf8("caf\xe9.npy"), "caf\xef\xbf\xbd.npy");
}

}  // namespace
}  // namespace kith::io
