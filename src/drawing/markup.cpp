#include "drawing/markup.hpp"

#include "base/format.hpp"
#include "drawing/text.hpp"

namespace kith::io {
namespace {

void append_utf8(std::string& text, char32_t code) {
  const auto c = static_cast<unsigned>(code);
  const auto add = [&](unsigned byte) { text += static_cast<char>(byte); };
  const auto add_rest = [&](unsigned shift) { add(0x80U | (c >> shift & 0x3fU)); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xc0U | c >> 6);
  } else if (c < 0x10000) {
    add(0xe0U | c >> 12);
    add_rest(6);
  } else {
    add(0xf0U | c >> 18);
    add_rest(12);
    add_rest(6);
  }
  add_rest(0);
}

/// XML 1.0 allows tab and line ends of the control characters, and neither surrogates nor the last
/// two of a plane.
bool is_allowed(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  if (c >= 0x7f && c < 0xa0) return false;
  return !(c >= 0xd800 && c < 0xe000) && c != 0xfffe && c != 0xffff && c <= 0x10ffff;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char32_t c : code_points(text)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: append_utf8(result, is_allowed(c) ? c : U'\ufffd');
    }
  }
  return result;
}

std::string decimal(double x) {
  std::string text = formatted("{:.3f}", x);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      result += i + k <= bytes.size() ? kDigits[word >> (18 - 6 * k) & 0x3fU] : '=';
  }
  return result;
}

}  // namespace kith::io
