// Checks that all products share: finite differences, and <J t, c> = <t, J^T c>.
#pragma once

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include <kith/kith.hpp>

namespace kith::test {

using Numbers = std::vector<double>;

inline Numbers random_numbers(std::size_t count, unsigned seed, double low = -1, double high = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  Numbers out(count);
  for (double& x : out) x = uniform(random);
  return out;
}

inline double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != 0 && b[i] != 0) sum += a[i] * b[i];
  return sum;
}

/// The derivative of f along a direction, by central differences of fourth order.
inline double slope_along(const std::function<double(const Numbers&)>& f, const Numbers& at,
                          const Numbers& direction, double step = 1e-4) {
  const auto moved = [&](double by) {
    Numbers x = at;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += by * direction[i];
    return f(x);
  };
  return (8 * (moved(step) - moved(-step)) - (moved(2 * step) - moved(-2 * step))) / (12 * step);
}

/// The gradient is that of f, along several random directions.
inline void expect_gradient(const std::function<double(const Numbers&)>& f, const Numbers& at,
                            const Numbers& gradient, double step = 1e-4, double error = 1e-6) {
  for (unsigned round = 0; round < 3; ++round) {
    const Numbers direction = random_numbers(at.size(), 100 + round);
    const double found = dot(gradient, direction), expected = slope_along(f, at, direction, step);
    EXPECT_NEAR(found, expected, error * std::max(1.0, std::abs(expected)));
  }
}

}  // namespace kith::test
