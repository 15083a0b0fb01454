#include "gpu/self_test.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gpu/steps.hpp"

namespace kith::gpu {
namespace {

constexpr std::size_t kRandom = 1024;

/// The operations of check_reals, in its order.
constexpr const char* kRealNames[] = {
    "a * a + b * b", "a + b",     "a - b",  "a * b",    "a / b", "fmod(a, b)", "ldexp(a)",
    "min(a, b)",     "max(a, b)", "abs(a)", "floor(a)", "a < b", "a == b",     "int(a)"};
constexpr std::size_t kReals = std::size(kRealNames);

template <class T>
std::array<T, kReals> on_host(T x, T y, std::size_t i) {
  constexpr T kMost = 1000000;
  return {x * x + y * y,
          x + y,
          x - y,
          x * y,
          x / y,
          std::fmod(x, y),
          std::ldexp(x, static_cast<int>(i % 97) - 48),
          y < x ? y : x,
          x < y ? y : x,
          std::fabs(x),
          std::floor(x),
          static_cast<T>(x < y),
          static_cast<T>(x == y),
          std::fabs(x) < kMost ? static_cast<T>(static_cast<std::uint64_t>(std::fabs(x))) : T(0)};
}

/// Every pair of some special values, and random ones of all magnitudes.
template <class T>
void make_values(std::vector<T>& a, std::vector<T>& b) {
  using Limits = std::numeric_limits<T>;
  const T special[] = {T(0),
                       T(-0.0),
                       T(1),
                       T(-1),
                       T(0.1),
                       T(3),
                       Limits::denorm_min(),
                       -11 * Limits::denorm_min(),
                       Limits::min(),
                       Limits::min() / 3,
                       Limits::max(),
                       -Limits::max() / 5,
                       1 + Limits::epsilon(),
                       std::sqrt(Limits::min()),
                       std::sqrt(Limits::max()),
                       T(1234567.5)};
  for (const T x : special)
    for (const T y : special) {
      a.push_back(x);
      b.push_back(y);
    }
  std::mt19937_64 random(1);
  std::uniform_real_distribution<T> uniform(-1, 1);
  for (std::size_t i = 0; i < kRandom; ++i) {
    const int spread = Limits::max_exponent / 4;
    const auto power = static_cast<int>(random() % static_cast<unsigned>(spread)) - spread / 2;
    a.push_back(std::ldexp(uniform(random), i % 2 ? power : 0));
    b.push_back(std::ldexp(uniform(random), i % 4 < 2 ? power : 0));
  }
}

template <class T>
bool same_value(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b) || (std::isnan(a) && std::isnan(b));
}

/// Where rows stay on the device, it takes the roots.
template <class T>
std::string different_root(OpenDevice& device) {
  std::vector<T> values, others;
  make_values(values, others);
  for (T& value : values) value = std::fabs(value);
  const std::size_t n = values.size();
  Buffer<T> in(device, n), out(device, n);
  in.write(values.data(), n);
  device.launch({"rows", sizeof(T) == 8}, "check_roots", n, in, std::uint64_t{n}, out);
  std::vector<T> found(n);
  out.read(found.data(), n);
  for (std::size_t i = 0; i < n; ++i)
    if (!same_value(found[i], std::sqrt(values[i])))
      return formatted("the root of {} ({}) is {}, and {} on the CPU; update its driver", values[i],
                       sizeof(T) == 4 ? "float32" : "float64", found[i], std::sqrt(values[i]));
  return "";
}

template <class T>
std::string different_real(OpenDevice& device) {
  std::vector<T> a, b;
  make_values(a, b);
  const std::size_t n = a.size();
  Buffer<T> on_a(device, n), on_b(device, n), out(device, n * kReals);
  on_a.write(a.data(), n);
  on_b.write(b.data(), n);
  device.launch({"check", sizeof(T) == 8}, "check_reals", n, on_a, on_b, std::uint64_t{n}, out);
  std::vector<T> found(n * kReals);
  out.read(found.data(), found.size());
  for (std::size_t i = 0; i < n; ++i) {
    const auto expected = on_host(a[i], b[i], i);
    for (std::size_t what = 0; what < kReals; ++what)
      if (!same_value(found[i * kReals + what], expected[what]))
        return formatted("{} of {} is {} for a = {}, b = {}, and {} on the CPU; update its driver",
                         kRealNames[what], sizeof(T) == 4 ? "float32" : "float64",
                         found[i * kReals + what], a[i], b[i], expected[what]);
  }
  return "";
}

std::string different_integer(OpenDevice& device) {
  constexpr std::size_t kChecks = 6;
  constexpr const char* kNames[kChecks] = {
      "shift to the left", "shift to the right",       "product",
      "quotient",          "leading zeros of 64 bits", "leading zeros of 32 bits"};
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> x(256), found(x.size() * kChecks);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random() >> i % 64;
  Ulongs in(device, x.size()), out(device, found.size());
  in.write(x.data(), x.size());
  device.launch({"check"}, "check_integers", x.size(), in, std::uint64_t{x.size()}, out);
  out.read(found.data(), found.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t v = x[i], by = i + 1;
    const std::uint64_t expected[kChecks] = {
        v << i % 64,
        v >> i % 64,
        v * by,
        v / by + v % by,
        static_cast<std::uint64_t>(std::countl_zero(v | 1)),
        static_cast<std::uint64_t>(std::countl_zero(static_cast<std::uint32_t>(v) | 1u))};
    for (std::size_t what = 0; what < kChecks; ++what)
      if (found[i * kChecks + what] != expected[what])
        return formatted("the {} of the integer {} is {}, and {} on the CPU; update its driver",
                         kNames[what], v, found[i * kChecks + what], expected[what]);
  }
  return "";
}

std::string different_atomic(OpenDevice& device) {
  constexpr std::uint32_t kItems = 64 * 32, kAll = 0xffffffff, kSum = kItems * (kItems - 1) / 2,
                          kLeast = kAll - kItems;
  constexpr std::array<std::uint32_t, 7> kStart = {0, kAll, 0, 0, 0, kAll, 0},
                                         kExpected = {kSum, kLeast, kAll, kItems,
                                                      kSum, kLeast, kAll};
  constexpr const char* kNames[] = {"sum",
                                    "minimum",
                                    "union of bits",
                                    "count",
                                    "sum in local memory",
                                    "minimum in local memory",
                                    "union of bits in local memory"};
  Uints out(device, kStart.size());
  out.write(kStart.data(), kStart.size());
  device.launch({"check"}, "check_atomics", kItems, out);
  auto found = kStart;
  out.read(found.data(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != kExpected[i])
      return formatted(
          "the {} of {} work-items by atomic operations is {} instead of {}; update its "
          "driver",
          kNames[i], kItems, found[i], kExpected[i]);
  return "";
}

}  // namespace

std::string first_difference(OpenDevice& device) {
  std::string found = different_real<float>(device);
  if (found.empty() && device.facts().has_float64) found = different_real<double>(device);
  if (!device.facts().api.starts_with("opencl:")) {
    if (found.empty()) found = different_root<float>(device);
    if (found.empty()) found = different_root<double>(device);
  }
  if (found.empty()) found = different_integer(device);
  return found.empty() ? different_atomic(device) : found;
}

}  // namespace kith::gpu
