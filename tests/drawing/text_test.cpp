// Labels, letters, and text as XML.
#include "drawing/text.hpp"

#include <gtest/gtest.h>
#include <set>

#include "drawing/markup.hpp"

namespace kith::io {
namespace {

TEST(Text, HasRaisedAndLoweredParts) {
  const auto runs = runs_of("10^{12} M_{x}/h");
  ASSERT_EQ(runs.size(), 5U);
  EXPECT_EQ(runs[0].text, "10");
  EXPECT_EQ(runs[1].text, "12");
  EXPECT_GT(runs[1].rise, 0);
  EXPECT_LT(runs[1].scale, 1);
  EXPECT_EQ(runs[2].text, " M");
  EXPECT_LT(runs[3].rise, 0);
  EXPECT_EQ(runs[4].text, "/h");
  EXPECT_EQ(runs_of("a^{b").at(0).text, "a^{b");
  EXPECT_EQ(runs_of("a_b {c}").size(), 1U);
  EXPECT_TRUE(runs_of("").empty());
}

TEST(Text, IsReadAsUtf8) {
  EXPECT_EQ(code_points("a\u00e9\u2299\U0001d11e"),
            (std::vector<char32_t>{U'a', 0xe9, 0x2299, 0x1d11e}));
  EXPECT_EQ(code_points("\xff\xc3"), (std::vector<char32_t>{0xfffd, 0xfffd}));
  EXPECT_EQ(code_points("\xe2\x8a"), (std::vector<char32_t>{0xfffd, 0xfffd}));
}

TEST(Text, HasALetterOfItsOwnForEveryAsciiCharacter) {
  std::set<std::string_view> seen;
  for (char32_t c = 0x20; c < 0x7f; ++c) {
    EXPECT_EQ(glyph_of(c).code, c);
    EXPECT_TRUE(seen.insert(glyph_of(c).path).second) << static_cast<int>(c);
  }
  EXPECT_EQ(glyph_of(0x4e00).code, U'\ufffd');
}

TEST(Text, StaysInItsPlace) {
  for (const std::string text : {"M", "g", "@", "W", "\u03a9", "j", "{", "\u2248"}) {
    const Lettering letters = lettering(text, 20);
    ASSERT_FALSE(letters.strokes.empty()) << text;
    for (const auto& stroke : letters.strokes)
      for (const Place& p : stroke) {
        EXPECT_GE(p.x, -2) << text;
        EXPECT_LE(p.x, letters.width + 1) << text;
        EXPECT_GE(p.y, -15) << text;
        EXPECT_LE(p.y, 6) << text;
      }
  }
}

TEST(Text, GlyphsHaveNoOtherCommandsThanThePenKnows) {
  for (char32_t c = 0x20; c < 0x2300; ++c)
    EXPECT_EQ(glyph_of(c).path.find_first_not_of("MLAO 0123456789.-"), std::string_view::npos)
        << static_cast<int>(c);
}

TEST(Text, WidthIsThatOfItsLetters) {
  EXPECT_DOUBLE_EQ(width_of("11", 20), 22.2);
  EXPECT_DOUBLE_EQ(width_of("1^{1}", 20), 11.1 * 1.72);
  EXPECT_DOUBLE_EQ(lettering("Mpc/h", 13).width, width_of("Mpc/h", 13));
}

TEST(Text, IsEscapedForXml) {
  EXPECT_EQ(escaped("<b a=\"1\">&'"), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;");
  EXPECT_EQ(escaped("a\x01\x7f\xff z"), "a\ufffd\ufffd\ufffd z");
  EXPECT_EQ(escaped("\u00e9\u2299\U0001d11e"), "\u00e9\u2299\U0001d11e");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\ufffd");  // half of a surrogate pair
}

TEST(Text, Base64IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

}  // namespace
}  // namespace kith::io
