#include "sample/elementary.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace kith::sample {
namespace {

constexpr double kLn2 = std::numbers::ln2;
constexpr double kSqrt2 = std::numbers::sqrt2;
// ln 2 in two parts, the first with so few digits that a product with an exponent is exact.
constexpr double kLn2High = 0x1.62e42fee00000p-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

double two_to_the(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

/// cos and sin of an angle within an eighth of a turn of zero, by their series.
CirclePoint near_zero(double angle) {
  const double square = angle * angle;
  double cosine = 1;
  double sine = 1;
  for (int k = 9; k >= 1; --k) {
    cosine = 1 - square * cosine / ((2 * k - 1) * (2 * k));
    sine = 1 - square * sine / ((2 * k) * (2 * k + 1));
  }
  return {cosine, angle * sine};
}

}  // namespace

double natural_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (mantissa > kSqrt2) {
    mantissa *= 0.5;
    ++exponent;
  }
  // ln m = 2 artanh(s) with |s| < 0.172: the terms fall by a factor of 34 each.
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double series = 0;
  for (int k = 21; k >= 3; k -= 2) series = (series + 1.0 / k) * square;
  return exponent * kLn2High + (2 * s + (2 * s * series + exponent * kLn2Low));
}

double exponential(double x) {
  const double whole = std::floor(x / kLn2 + 0.5);
  const double rest = (x - whole * kLn2High) - whole * kLn2Low;
  double series = 1;
  for (int k = 14; k >= 1; --k) series = 1 + rest * series / k;
  return series * two_to_the(static_cast<int>(whole));
}

double power(double x, double exponent) {
  return x > 0 ? exponential(exponent * natural_log(x)) : 0;
}

CirclePoint circle_point(double turns) {
  const double quarter = std::floor(4 * turns + 0.5);
  const CirclePoint p = near_zero((turns - quarter / 4) * (2 * std::numbers::pi));
  switch (static_cast<std::int64_t>(quarter) & 3) {
    case 0: return p;
    case 1: return {-p.sine, p.cosine};
    case 2: return {-p.cosine, -p.sine};
    default: return {p.sine, -p.cosine};
  }
}

double sine(double angle) { return circle_point(angle / (2 * std::numbers::pi)).sine; }

}  // namespace kith::sample
