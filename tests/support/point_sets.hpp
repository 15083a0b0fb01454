// Point sets that every algorithm is run through: the degenerate table and random sets of all
// characters.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <kith/points.hpp>

#include "support/sanitizers.hpp"

namespace kith::test {

/// Points with a name, row by row.
template <class T>
struct PointSet {
  std::string name;
  int dimension = 0;
  std::vector<T> x;

  std::size_t size() const { return x.size() / static_cast<std::size_t>(dimension); }
  View<T> view() const { return kith::view(x.data(), size(), dimension); }
  const T* row(std::size_t i) const { return x.data() + i * static_cast<std::size_t>(dimension); }
};

/// Fills n rows with f(point, axis).
template <class T, class F>
PointSet<T> make_set(std::string name, int dimension, std::size_t n, F f) {
  PointSet<T> set{std::move(name), dimension, {}};
  for (std::size_t i = 0; i < n; ++i)
    for (int axis = 0; axis < dimension; ++axis) set.x.push_back(static_cast<T>(f(i, axis)));
  return set;
}

/// Sets that differ in character; n is approximate.
template <class T>
std::vector<PointSet<T>> random_sets(int dimension, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto uniform = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
  auto normal = [&] { return std::normal_distribution<double>()(random); };
  auto bits = [&] { return random(); };
  const auto make = [&](const char* name, auto f) { return make_set<T>(name, dimension, n, f); };
  std::vector<double> center(64);
  for (double& c : center) c = uniform();
  std::vector<PointSet<T>> sets;
  sets.push_back(make("uniform", [&](auto, int) { return uniform(); }));
  sets.push_back(make("clustered", [&](std::size_t i, int axis) {
    return center[(i % 7 * 8 + static_cast<std::size_t>(axis)) % 64] + 1e-3 * normal() * normal();
  }));
  sets.push_back(make("negative", [&](auto, int) { return -uniform(); }));
  sets.push_back(make("mixed signs", [&](auto, int) { return normal(); }));
  sets.push_back(make("subnormal", [&](auto, int) {
    return static_cast<double>(std::numeric_limits<T>::denorm_min()) *
           static_cast<double>(static_cast<std::int64_t>(bits() % 1000) - 500);
  }));
  sets.push_back(make("huge range", [&](auto, int) {
    return std::ldexp(uniform() - 0.5, static_cast<int>(bits() % 200) - 110);
  }));
  sets.push_back(
      make("one far outlier", [&](std::size_t i, int) { return i == n / 2 ? 1e30 : uniform(); }));
  sets.push_back(make("grid", [&](auto, int) { return static_cast<double>(bits() % 4); }));
  sets.push_back(
      make("signed grid", [&](auto, int) { return static_cast<double>(bits() % 5) - 2; }));
  sets.push_back(make("all equal", [](auto, int) { return 0.3; }));
  sets.push_back(
      make("half identical", [&](std::size_t i, int) { return i % 2 ? 0.7 : uniform(); }));
  sets.push_back(make("large equal axis",
                      [&](auto, int axis) { return axis == 0 ? 1e20 : 1e-3 * uniform(); }));
  return sets;
}

/// Leaves a large set only its first quarter: a definition takes the square of the number of points
/// to compute, and what sanitizers look for does not depend on it.
template <class T>
void thin(PointSet<T>& set) {
  constexpr std::size_t kLarge = 100;
  if (set.size() > kLarge) set.x.resize(set.size() / 4 * static_cast<std::size_t>(set.dimension));
}

/// The degenerate table: empty, 1, 2, all equal, collinear, grid, sizes around a leaf, subnormal
/// numbers, enormous and tiny numbers, -0.0, one far outlier, half identical.
template <class T>
std::vector<PointSet<T>> degenerate_sets(int dimension) {
  constexpr T kHuge = std::is_same_v<T, float> ? T(1e38) : T(1e300);
  constexpr T kTiny = std::is_same_v<T, float> ? T(1e-38) : T(1e-300);
  std::mt19937_64 random(11);
  auto uniform = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
  std::vector<PointSet<T>> sets;
  for (const std::size_t n : {0, 1, 2, 7, 8, 9, 47, 48, 49, 63, 64, 65, 511, 512, 513})
    sets.push_back(make_set<T>("uniform " + std::to_string(n), dimension, n,
                               [&](auto, int) { return uniform(); }));
  sets.push_back(make_set<T>("two equal", dimension, 2, [](auto, int) { return 0.25; }));
  sets.push_back(make_set<T>("1000 equal", dimension, 1000, [](auto, int) { return 0.25; }));
  sets.push_back(make_set<T>("all zero", dimension, 100, [](auto, int) { return 0.0; }));
  sets.push_back(make_set<T>("negative zero", dimension, 100,
                             [](std::size_t i, int) { return i % 2 ? 0.0 : -0.0; }));
  sets.push_back(make_set<T>("collinear", dimension, 300, [](std::size_t i, int axis) {
    return axis == 0 ? static_cast<double>(i) / 300 : 0.5;
  }));
  sets.push_back(make_set<T>("diagonal", dimension, 300,
                             [](std::size_t i, int) { return static_cast<double>(i) / 300; }));
  sets.push_back(
      make_set<T>("huge", dimension, 200, [&](auto, int) { return kHuge * (uniform() - 0.5); }));
  sets.push_back(make_set<T>("tiny", dimension, 200, [&](auto, int) { return kTiny * uniform(); }));
  for (PointSet<T>& set : random_sets<T>(dimension, 400, 5)) sets.push_back(std::move(set));
  if (kIsSanitized)
    for (PointSet<T>& set : sets) thin(set);
  return sets;
}

}  // namespace kith::test
