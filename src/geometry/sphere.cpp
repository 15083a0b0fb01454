#include "geometry/sphere.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace kith {
namespace {

constexpr double kDegreesPerRadian = 57.29577951308232;

/// The value of c[0] + c[1] z + c[2] z^2 + ...
template <std::size_t N>
double polynomial(const std::array<double, N>& c, double z) {
  double sum = c[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) sum = c[i] + z * sum;
  return sum;
}

/// 1 / first!, -1 / (first + 2)!, ... with alternating signs.
template <std::size_t N>
constexpr std::array<double, N> circle_series(int first, double sign) {
  std::array<double, N> series{};
  double factorial = 1;
  for (int k = 2; k <= first; ++k) factorial *= k;
  for (std::size_t i = 0; i < N; ++i) {
    series[i] = sign / factorial;
    const int next = first + 2 * static_cast<int>(i);
    factorial *= (next + 1) * (next + 2);
    sign = -sign;
  }
  return series;
}

/// The coefficients of asin x = x + x^3 (c[0] + c[1] x^2 + ...).
template <std::size_t N>
constexpr std::array<double, N> arc_series() {
  std::array<double, N> series{};
  double product = 1;
  for (std::size_t i = 0; i < N; ++i) {
    const auto n = static_cast<double>(i + 1);
    product *= (2 * n - 1) / (2 * n);
    series[i] = product / (2 * n + 1);
  }
  return series;
}

constexpr auto kSine = circle_series<8>(3, -1);   // to x^17: the rest is below 2^-62
constexpr auto kCosine = circle_series<8>(4, 1);  // to x^18
constexpr auto kArc = arc_series<26>();           // for x up to 1 / 2
constexpr auto kSmallArc = arc_series<5>();       // for x up to kSmall: angles below 3.5 degrees
constexpr double kSmall = 0.03;

// pi / 2 in three parts; products of the first two with whole numbers below 2^20 are exact.
constexpr double kQuarter1 = 0x1.921fb54400000p+0;
constexpr double kQuarter2 = 0x1.0b4611a600000p-34;
constexpr double kQuarter3 = 0x1.3198a2e037073p-69;
// pi / 2 in two parts.
constexpr double kHalfPi = 0x1.921fb54442d18p+0;
constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;

/// Within an eighth of a turn of zero.
OnCircle near_start(double x) {
  const double z = x * x, half = z / 2, whole = 1 - half;
  const double lost = (1 - whole) - half;  // exactly
  return {whole + (lost + z * z * polynomial(kCosine, z)), x + x * (z * polynomial(kSine, z))};
}

OnCircle turned(OnCircle p, double quarters) {
  switch (static_cast<std::int64_t>(quarters) & 3) {
    case 0: return p;
    case 1: return {-p.sine, p.cosine};
    case 2: return {-p.cosine, -p.sine};
    default: return {p.sine, -p.cosine};
  }
}

/// asin(x) - x for x up to 1 / 2.
double arc_excess(double x) {
  const double z = x * x;
  return x * (z * (x < kSmall ? polynomial(kSmallArc, z) : polynomial(kArc, z)));
}

/// z - s^2, rounded once; s is the root of z, so the difference is small.
double rest_of_root(double z, double s) {
  constexpr double kSplit = 134217729;  // 2^27 + 1: cuts a double into two halves
  const double scaled = kSplit * s, high = scaled - (scaled - s), low = s - high;
  const double square = s * s, error = ((high * high - square) + 2 * high * low) + low * low;
  return (z - square) - error;
}

/// asin(x) for x in [0, 1]. Above 1 / 2: pi / 2 - 2 asin(s) with s = sqrt((1 - x) / 2), where the
/// large parts are subtracted exactly.
double arc_sine(double x) {
  if (x <= 0.5) return x + arc_excess(x);
  const double z = (1 - x) / 2, s = std::sqrt(z);
  if (s == 0) return kHalfPi;
  const double small = arc_excess(s) + rest_of_root(z, s) / (2 * s);
  const double large = kHalfPi - 2 * s, lost = (kHalfPi - large) - 2 * s;
  return large + (lost + (kHalfPiLow - 2 * small));
}

}  // namespace

OnCircle at_degrees(double angle) {
  // Exact; the call takes longer than all the rest.
  const double turn = std::abs(angle) < 360 ? angle : std::fmod(angle, 360.0);
  const double quarters = std::floor(turn / 90 + 0.5);
  return turned(near_start((turn - 90 * quarters) / kDegreesPerRadian), quarters);
}

OnCircle at_radians(double angle) {
  const double quarters = std::floor(angle / kHalfPi + 0.5);
  const double rest =
      ((angle - quarters * kQuarter1) - quarters * kQuarter2) - quarters * kQuarter3;
  return turned(near_start(rest), quarters);
}

double angle_of_chord(double chord) {
  if (std::isnan(chord) || chord == std::numeric_limits<double>::infinity()) return chord;
  return chord < 2 ? 2 * arc_sine(chord / 2) : 2 * kHalfPi;
}

double measured(double distance, Measure measure) {
  if (measure == Measure::length) return distance;
  const double angle = angle_of_chord(distance);
  return measure == Measure::degrees ? angle * kDegreesPerRadian : angle;
}

double distance_of(double measured, Measure measure) {
  constexpr double kLongerThanAll = 3;
  if (measure == Measure::length) return measured;
  if (measure == Measure::degrees)
    return measured < 180 ? 2 * at_degrees(measured / 2).sine : kLongerThanAll;
  return measured < 2 * kHalfPi ? 2 * at_radians(measured / 2).sine : kLongerThanAll;
}

}  // namespace kith
