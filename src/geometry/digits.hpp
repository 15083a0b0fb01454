// The binary digits of floating-point numbers, written as fixed-point numbers of unlimited length.
//
// Digit b of x has the value 2^b. z-order compares points by the most significant digit in which
// they differ, so everything about that order is defined here. Numbers are finite and never -0.0.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace kith {

/// How a scalar type stores sign, exponent and mantissa.
template <class T>
struct FloatLayout;

template <>
struct FloatLayout<float> {
  using Bits = std::uint32_t;
  static constexpr int kMantissa = 23, kBias = 127;
};

template <>
struct FloatLayout<double> {
  using Bits = std::uint64_t;
  static constexpr int kMantissa = 52, kBias = 1023;
};

/// The place given to the sign: above every digit.
template <class T>
inline constexpr int kSignDigit = std::numeric_limits<T>::max_exponent;

/// Less than any digit: two numbers that are equal differ nowhere.
inline constexpr int kNoDigit = -(1 << 20);

/// The digit of the exponent: the leading digit of a normal number, one above the leading place of
/// a subnormal one.
template <class T>
int exponent_digit(typename FloatLayout<T>::Bits magnitude) {
  using F = FloatLayout<T>;
  return std::max(static_cast<int>(magnitude >> F::kMantissa), 1) - F::kBias;
}

/// The most significant digit in which a and b differ: kSignDigit if their signs do, kNoDigit if
/// they are equal.
template <class T>
int differing_digit(T a, T b) {
  using F = FloatLayout<T>;
  using Bits = typename F::Bits;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  constexpr int kWidth = static_cast<int>(8 * sizeof(Bits));
  const Bits p = std::bit_cast<Bits>(a), q = std::bit_cast<Bits>(b), x = p ^ q;
  // All cases are computed and one is chosen: branches on random digits cost more (bench/tree,
  // cells).
  const int exponent = exponent_digit<T>(std::max(p & ~kSign, q & ~kSign));
  const int in_mantissa = exponent + kWidth - F::kMantissa - 1 - std::countl_zero(x | 1);
  // Different exponents: the leading digit of the larger number is where they differ.
  int digit = x >> F::kMantissa ? exponent : in_mantissa;
  digit = x & kSign ? kSignDigit<T> : digit;
  return x == 0 ? kNoDigit : digit;
}

/// The leading digit of |x|, or any digit above it; x is not 0.
template <class T>
int leading_digit(T x) {
  using Bits = typename FloatLayout<T>::Bits;
  return exponent_digit<T>(std::bit_cast<Bits>(x) & (~Bits{0} >> 1));
}

/// A run of digits, from `top` down, that makes part of the z-order of numbers which agree above
/// `top`. With `has_sign` the sign is the first digit of all.
template <class T>
struct DigitWindow {
  int low = 0;    ///< the least digit in the window
  int count = 0;  ///< digits of the magnitude
  bool has_sign = false;

  DigitWindow() = default;
  DigitWindow(int top, int bits, bool with_sign)
      : low(top - (bits - (with_sign ? 1 : 0)) + 1),
        count(bits - (with_sign ? 1 : 0)),
        has_sign(with_sign) {}

  /// The digits as an integer that grows with x: digits of negative numbers are complemented.
  std::uint64_t operator()(T x) const {
    using F = FloatLayout<T>;
    using Bits = typename F::Bits;
    constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
    constexpr Bits kLeading = Bits{1} << F::kMantissa;
    const Bits bits = std::bit_cast<Bits>(x), magnitude = bits & ~kSign;
    const bool is_negative = (bits & kSign) != 0;
    const std::uint64_t mantissa =
        (magnitude & (kLeading - 1)) | (magnitude >= kLeading ? kLeading : 0);
    const int shift = exponent_digit<T>(magnitude) - F::kMantissa - low;
    const std::uint64_t mask = (std::uint64_t{1} << count) - 1;
    // Shifts past the window leave nothing of the mantissa inside; both are done to avoid a branch.
    std::uint64_t digits = mantissa << std::clamp(shift, 0, 63) >> std::clamp(-shift, 0, 63);
    digits = (is_negative ? ~digits : digits) & mask;
    return has_sign && !is_negative ? digits | (mask + 1) : digits;
  }
};

}  // namespace kith
