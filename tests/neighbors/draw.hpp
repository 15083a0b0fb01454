// Random cases from a seed.
#pragma once

#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <random>
#include <vector>

#include <kith/box.hpp>

namespace kith::testing {

/// One case, drawn from its seed.
struct Draw {
  std::mt19937_64 random;
  explicit Draw(std::uint64_t seed) : random(seed) {}

  std::size_t below(std::size_t n) { return random() % n; }
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random); }
  template <class X>
  X one_of(std::initializer_list<X> values) {
    return values.begin()[below(values.size())];
  }
  /// Small numbers more often than large ones.
  std::size_t size(double most) {
    return static_cast<std::size_t>(std::exp(uniform() * std::log(most)));
  }

  Box box(int dimension) {
    std::vector<double> sides;
    const bool is_mixed = below(3) == 0;
    for (int axis = 0; axis < dimension; ++axis)
      sides.push_back(is_mixed && below(2) ? 0 : 0.25 + uniform());
    return below(2) ? Box::open()
                    : Box::periodic(sides).with_origin(below(2) ? 0 : uniform() - 0.5);
  }
};

/// The value of an environment variable.
inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace kith::testing
