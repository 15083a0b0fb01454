// Numbers as files store them: their types, byte orders, and conversion to those of the caller.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace kith::io {

enum class Number : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 };

std::size_t bytes_of(Number number);
const char* name_of(Number number);  ///< "float32"
inline bool is_integer(Number number) { return number < Number::f16; }

/// The type of a variable of ours.
template <class T>
constexpr Number number_of() {
  using Plain = std::remove_cv_t<T>;
  static_assert(std::is_arithmetic_v<Plain>);
  if constexpr (std::is_floating_point_v<Plain>) {
    static_assert(sizeof(Plain) == 4 || sizeof(Plain) == 8);
    return sizeof(Plain) == 4 ? Number::f32 : Number::f64;
  } else {
    constexpr int kSize = sizeof(Plain) == 1   ? 0
                          : sizeof(Plain) == 2 ? 2
                          : sizeof(Plain) == 4 ? 4
                                               : 6;
    return static_cast<Number>(kSize + (std::is_unsigned_v<Plain> ? 1 : 0));
  }
}

/// How a file stores a number.
struct Stored {
  Number number = Number::f32;
  bool is_big_endian = false;
  std::size_t bytes() const { return bytes_of(number); }
  bool operator==(const Stored&) const = default;
};

/// The number as a T, if it is one: whole, and not too large. All whole numbers of headers and
/// attributes come through here, since a cast of others is undefined.
template <std::integral T>
std::optional<T> whole_number(double value) {
  // The limits are powers of two (or 0), which every double holds.
  constexpr auto kHalf = std::numeric_limits<T>::max() / 2 + 1;
  constexpr double kBelow = std::is_same_v<T, bool> ? 2 : 2.0 * static_cast<double>(kHalf);
  if (!(value >= static_cast<double>(std::numeric_limits<T>::min())) || !(value < kBelow) ||
      value != std::floor(value))
    return std::nullopt;
  return static_cast<T>(value);
}
template <std::integral T, std::integral From>
std::optional<T> whole_number(From value) {
  return std::in_range<T>(value) ? std::optional(static_cast<T>(value)) : std::nullopt;
}

double float_of_half(std::uint16_t half);

/// to[i * to_stride] = the number at from + i * from_stride bytes, for i in [0, n).
/// Any alignment. Floating-point numbers become unsigned integers by cutting; negative ones,
/// those over 2^64 and NaN become 0.
template <class T>
void convert(Stored stored, const char* from, std::size_t from_stride, T* to, std::size_t to_stride,
             std::size_t n);

extern template void convert(Stored, const char*, std::size_t, float*, std::size_t, std::size_t);
extern template void convert(Stored, const char*, std::size_t, double*, std::size_t, std::size_t);
extern template void convert(Stored, const char*, std::size_t, std::uint64_t*, std::size_t,
                             std::size_t);

}  // namespace kith::io
