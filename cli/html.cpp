#include "html.hpp"

#include <cstdint>
#include <fmt/format.h>

namespace kith::cli {
namespace {

constexpr const char* kReplacement = "\ufffd";

/// Bytes of the UTF-8 letter at the start of a text; 0 if it is not one that XML may hold.
std::size_t letter_size(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80)
    return (first >= 0x20 && first != 0x7f) || first == '\t' || first == '\n' || first == '\r';
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  std::uint32_t code = first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  const bool is_control = code < 0xa0;
  const bool is_nothing = code == 0xfffe || code == 0xffff || code > 0x10ffff;
  return code < kLeast[size] || is_surrogate || is_control || is_nothing ? 0 : size;
}

/// Goes through the letters of a text; each as it is, or replaced by what `special` returns.
template <class Special>
std::string each_letter(const std::string& text, Special special) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = letter_size(text, at);
    if (size == 0)
      result += kReplacement;
    else if (const std::string other = size == 1 ? special(text[at]) : ""; !other.empty())
      result += other;
    else
      result.append(text, at, size);
    at += size == 0 ? 1 : size;
  }
  return result;
}

std::string entity(char c) {
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return "";
  }
}

}  // namespace

std::string html_text(const std::string& text) { return each_letter(text, entity); }

std::string html_label(const std::string& label) {
  std::string result;
  std::size_t begin = 0;
  while (begin < label.size()) {
    const std::size_t at = label.find_first_of("^_", begin);
    const std::size_t end = at == std::string::npos ? at : label.find('}', at);
    if (end == std::string::npos) break;
    if (label[at + 1] != '{') {
      result += html_text(label.substr(begin, at + 1 - begin));
      begin = at + 1;
      continue;
    }
    result += html_text(label.substr(begin, at - begin));
    result += fmt::format("<{0}>{1}</{0}>", label[at] == '^' ? "sup" : "sub",
                          html_text(label.substr(at + 2, end - at - 2)));
    begin = end + 1;
  }
  return result + html_text(label.substr(begin));
}

std::string script_text(const std::string& text) {
  const std::string letters = each_letter(text, [](char c) -> std::string {
    const bool is_plain = c >= 0x20 && c != '<' && c != '>' && c != '&' && c != '"' && c != '\\';
    return is_plain ? "" : fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  });
  return '"' + letters + '"';
}

std::string base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      result += i + k <= bytes.size() ? kDigits[word >> (18 - 6 * k) & 0x3fU] : '=';
  }
  return result;
}

}  // namespace kith::cli
