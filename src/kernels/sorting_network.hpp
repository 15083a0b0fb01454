// Batcher's odd-even merge sort as a list of comparators: sorting without branches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kith {

/// A comparator: puts the smaller of two rows first.
struct Comparator {
  std::uint16_t low = 0, high = 0;
};

/// Rows that are sorted in registers.
inline constexpr std::size_t kSortedRun = 16;

/// f(i, j) for each comparator that sorts n rows. As each puts the smaller row first, n may be any
/// number.
template <class F>
constexpr void for_each_comparator(std::size_t n, F f) {
  for (std::size_t p = 1; p < n; p *= 2)
    for (std::size_t q = p; q >= 1; q /= 2)
      for (std::size_t j = q % p; j + q < n; j += 2 * q)
        for (std::size_t i = j; i < j + q && i + q < n; ++i)
          if (i / (2 * p) == (i + q) / (2 * p)) f(i, i + q);
}

/// The network of one run.
inline constexpr std::size_t kRunComparators = [] {
  std::size_t count = 0;
  for_each_comparator(kSortedRun, [&](std::size_t, std::size_t) { ++count; });
  return count;
}();
inline constexpr auto kRunNetwork = [] {
  std::array<Comparator, kRunComparators> network{};
  std::size_t count = 0;
  for_each_comparator(kSortedRun, [&](std::size_t i, std::size_t j) {
    network[count++] = {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j)};
  });
  return network;
}();

}  // namespace kith
