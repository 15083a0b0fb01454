#include "files/number.hpp"

#include <bit>
#include <cmath>
#include <cstring>

static_assert(std::endian::native == std::endian::little,
              "files are read and written as if it were");

namespace kith::io {
namespace {

/// Bits as wide as T.
template <class T>
using Bits = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// Reversed byte by byte; compilers know the pattern.
template <class U>
U reversed(U bits) {
  U result = 0;
  for (std::size_t i = 0; i < sizeof(U); ++i)
    result = static_cast<U>(
        result | (static_cast<U>((bits >> (8 * i)) & 0xff) << (8 * (sizeof(U) - 1 - i))));
  return result;
}

template <class From, bool kSwap>
From load(const char* from) {
  Bits<From> bits;
  std::memcpy(&bits, from, sizeof bits);
  if constexpr (kSwap) bits = reversed(bits);
  return std::bit_cast<From>(bits);
}

template <class To, class From>
To cast(From value) {
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    return value >= 0 && value < static_cast<From>(0x1p64) ? static_cast<To>(value) : To{0};
  } else {
    return static_cast<To>(value);
  }
}

template <class From, bool kSwap, class To>
void convert_as(const char* from, std::size_t from_stride, To* to, std::size_t to_stride,
                std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    to[i * to_stride] = cast<To>(load<From, kSwap>(from + i * from_stride));
}

template <bool kSwap, class To>
void convert_half(const char* from, std::size_t from_stride, To* to, std::size_t to_stride,
                  std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    to[i * to_stride] = cast<To>(float_of_half(load<std::uint16_t, kSwap>(from + i * from_stride)));
}

template <bool kSwap, class To>
void convert_any(Number number, const char* from, std::size_t from_stride, To* to,
                 std::size_t to_stride, std::size_t n) {
  switch (number) {
    case Number::i8: return convert_as<std::int8_t, kSwap>(from, from_stride, to, to_stride, n);
    case Number::u8: return convert_as<std::uint8_t, kSwap>(from, from_stride, to, to_stride, n);
    case Number::i16: return convert_as<std::int16_t, kSwap>(from, from_stride, to, to_stride, n);
    case Number::u16: return convert_as<std::uint16_t, kSwap>(from, from_stride, to, to_stride, n);
    case Number::i32: return convert_as<std::int32_t, kSwap>(from, from_stride, to, to_stride, n);
    case Number::u32: return convert_as<std::uint32_t, kSwap>(from, from_stride, to, to_stride, n);
    case Number::i64: return convert_as<std::int64_t, kSwap>(from, from_stride, to, to_stride, n);
    case Number::u64: return convert_as<std::uint64_t, kSwap>(from, from_stride, to, to_stride, n);
    case Number::f16: return convert_half<kSwap>(from, from_stride, to, to_stride, n);
    case Number::f32: return convert_as<float, kSwap>(from, from_stride, to, to_stride, n);
    case Number::f64: return convert_as<double, kSwap>(from, from_stride, to, to_stride, n);
  }
}

}  // namespace

std::size_t bytes_of(Number number) {
  switch (number) {
    case Number::i8:
    case Number::u8: return 1;
    case Number::i16:
    case Number::u16:
    case Number::f16: return 2;
    case Number::i32:
    case Number::u32:
    case Number::f32: return 4;
    case Number::i64:
    case Number::u64:
    case Number::f64: return 8;
  }
  return 0;
}

const char* name_of(Number number) {
  constexpr const char* kNames[] = {"int8",  "uint8",  "int16",   "uint16",  "int32",  "uint32",
                                    "int64", "uint64", "float16", "float32", "float64"};
  return kNames[static_cast<int>(number)];
}

double float_of_half(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1f;
  const int mantissa = half & 0x3ff;
  const double sign = (half & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0x1f) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 0x400, exponent - 25);
}

template <class T>
void convert(Stored stored, const char* from, std::size_t from_stride, T* to, std::size_t to_stride,
             std::size_t n) {
  if (stored.is_big_endian)
    return convert_any<true>(stored.number, from, from_stride, to, to_stride, n);
  convert_any<false>(stored.number, from, from_stride, to, to_stride, n);
}

template void convert(Stored, const char*, std::size_t, float*, std::size_t, std::size_t);
template void convert(Stored, const char*, std::size_t, double*, std::size_t, std::size_t);
template void convert(Stored, const char*, std::size_t, std::uint64_t*, std::size_t, std::size_t);

}  // namespace kith::io
