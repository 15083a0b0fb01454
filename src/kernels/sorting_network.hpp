// Batcher's odd-even merge sort as lists of comparators: sorting without branches.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kith {

/// A comparator: puts the smaller of two rows first.
struct Comparator {
  std::uint16_t low = 0, high = 0;
};

/// Rows that are sorted in registers.
inline constexpr std::size_t kSortedRun = 16;

/// f(i, j) for each comparator that sorts n rows whose runs of `run` (a power of two) are sorted already. As every
/// comparator puts the smaller row first, n may be any number.
template <class F>
constexpr void for_each_comparator(std::size_t n, std::size_t run, F f) {
  for (std::size_t p = run; p < n; p *= 2)
    for (std::size_t q = p; q >= 1; q /= 2)
      for (std::size_t j = q % p; j + q < n; j += 2 * q)
        for (std::size_t i = j; i < j + q && i + q < n; ++i)
          if (i / (2 * p) == (i + q) / (2 * p)) f(i, i + q);
}

/// The network of one run.
inline constexpr std::size_t kRunComparators = [] {
  std::size_t count = 0;
  for_each_comparator(kSortedRun, 1, [&](std::size_t, std::size_t) { ++count; });
  return count;
}();
inline constexpr auto kRunNetwork = [] {
  std::array<Comparator, kRunComparators> network{};
  std::size_t count = 0;
  for_each_comparator(kSortedRun, 1, [&](std::size_t i, std::size_t j) {
    network[count++] = {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j)};
  });
  return network;
}();

/// Merges sorted runs of n rows (n < 65536), as far as the first `keep` rows need it.
inline std::vector<Comparator> merge_network(std::size_t n, std::size_t keep) {
  std::vector<Comparator> all, network;
  for_each_comparator(n, kSortedRun, [&](std::size_t i, std::size_t j) {
    all.push_back({static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j)});
  });
  std::vector<bool> is_needed(n);
  std::fill_n(is_needed.begin(), std::min(keep, n), true);
  for (std::size_t i = all.size(); i-- > 0;) {
    const Comparator c = all[i];
    if (!is_needed[c.low] && !is_needed[c.high]) continue;
    is_needed[c.low] = is_needed[c.high] = true;
    network.push_back(c);
  }
  std::reverse(network.begin(), network.end());
  return network;
}

}  // namespace kith
