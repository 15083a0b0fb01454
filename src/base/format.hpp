// Text with values in it. Patterns are those of fmt, whose header only format.cpp includes:
// compiled into every file that has an error message, it took a third of the time that the library
// takes to build.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/shared.hpp"

namespace kith {

/// A pattern with as many {}, or {0} to {9}, as there are values; checked by the compiler.
template <std::size_t Values>
struct Pattern {
  std::string_view text;

  template <std::size_t N>
  consteval Pattern(const char (&literal)[N]) : text(literal, N - 1) {
    if (count(text) != Values) throw "the number of {} differs from the number of arguments";
  }

 private:
  static consteval std::size_t count(std::string_view of) {
    std::size_t values = 0;
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (of[i] != '{' && of[i] != '}') continue;
      const char next = i + 1 < of.size() ? of[i + 1] : ' ';
      if (next == of[i]) {
        ++i;
      } else if (of[i] == '{') {  // the next value, or a numbered one
        const bool is_numbered = next >= '0' && next <= '9';
        const std::size_t needed =
            is_numbered ? static_cast<std::size_t>(next - '0') + 1 : values + 1;
        if (needed > values) values = needed;
      }
    }
    return values;
  }
};

/// A value of a pattern; text is not copied.
class FormatValue {
 public:
  enum class Kind { integer, natural, boolean, letter, float32, float64, text };

  template <class T>
  requires std::is_arithmetic_v<T> FormatValue(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      set(Kind::boolean).natural = value;
    } else if constexpr (std::is_same_v<T, char>) {
      set(Kind::letter).letter = value;
    } else if constexpr (std::is_same_v<T, float>) {
      set(Kind::float32).float32 = value;
    } else if constexpr (std::is_floating_point_v<T>) {
      set(Kind::float64).float64 = static_cast<double>(value);
    } else if constexpr (std::is_signed_v<T>) {
      set(Kind::integer).integer = value;  // NOLINT(bugprone-signed-char-misuse): its number
    } else {
      set(Kind::natural).natural = value;
    }
  }
  FormatValue(std::string_view words) : kind(Kind::text), text(words) {}
  FormatValue(const std::string& words) : FormatValue(std::string_view(words)) {}
  FormatValue(const char* words) : FormatValue(std::string_view(words)) {}

  Kind kind;
  union Number {
    long long integer;
    unsigned long long natural;
    char letter;
    float float32;
    double float64;
  } number{};
  std::string_view text;

 private:
  Number& set(Kind the_kind) {
    kind = the_kind;
    return number;
  }
};

KITH_SHARED std::string formatted_values(std::string_view pattern,
                                         std::initializer_list<FormatValue> values);

/// formatted("{} of {}", 3, 4) = "3 of 4".
template <class... Args>
std::string formatted(Pattern<sizeof...(Args)> pattern, const Args&... args) {
  return formatted_values(pattern.text, {FormatValue(args)...});
}

}  // namespace kith
