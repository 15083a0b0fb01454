// Sorts a column of up to 2^16 coordinates inside a cache, by (coordinate, place).
//
// Coordinates are mapped to 22 bits linearly between the least and the largest, which never swaps
// two of them, and sorted by two radix passes. Many that share a cell are mapped again by the bits
// of their representation, which separates values that span many powers of two. The rest is sorted
// by comparing: no input costs more than O(n log n).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "tree/planes_view.hpp"

namespace kith {

/// Widens [lo, hi] to hold all values.
template <class T>
void widen(const T* x, std::size_t n, T& lo, T& hi) {
  constexpr std::size_t kWide = 8;  // independent minima become vectors
  T least[kWide], most[kWide];
  std::fill_n(least, kWide, lo);
  std::fill_n(most, kWide, hi);
  std::size_t i = 0;
  for (; i + kWide <= n; i += kWide)
    for (std::size_t lane = 0; lane < kWide; ++lane) {
      least[lane] = x[i + lane] < least[lane] ? x[i + lane] : least[lane];
      most[lane] = x[i + lane] > most[lane] ? x[i + lane] : most[lane];
    }
  for (; i < n; ++i) {
    least[0] = x[i] < least[0] ? x[i] : least[0];
    most[0] = x[i] > most[0] ? x[i] : most[0];
  }
  lo = *std::min_element(least, least + kWide);
  hi = *std::max_element(most, most + kWide);
}

template <class T>
class ColumnSorter {
 public:
  using Place = std::uint16_t;
  static constexpr std::size_t kMost = std::size_t{1} << 16;

  /// order becomes the places 0 ... n - 1 by (x[place], place).
  void sort(const T* x, std::size_t n, Place* order) {
    std::iota(order, order + n, Place{0});
    if (n < 2) return;
    T lower = x[0], upper = x[0];
    widen(x, n, lower, upper);
    const T scale = T(kCells) / (upper - lower);
    if (!(scale < std::numeric_limits<T>::max())) return sort_by_bits(x, order, n);
    const auto cell = [=](T value) {
      return std::min(static_cast<std::uint32_t>((value - lower) * scale), kCells - 1);
    };
    for (const IndexRange& run : sort_by(x, order, n, cell))
      sort_by_bits(x, order + run.begin, run.size());
  }

  /// Places that had to be sorted by comparing so far, times the logarithm of their number.
  std::uint64_t work() const { return work_; }

 private:
  static constexpr int kBits = 11;
  static constexpr std::uint32_t kCells = 1u << 2 * kBits;
  static constexpr std::size_t kFew = 1024, kShort = 24;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

  /// In the order of the numbers.
  static Bits bits_of(T value) {
    constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
    const Bits bits = std::bit_cast<Bits>(value);
    return bits & kSign ? ~bits : bits | kSign;
  }

  void sort_by_bits(const T* x, Place* order, std::size_t n) {
    Bits least = bits_of(x[order[0]]), most = least;
    for (std::size_t i = 1; i < n; ++i) {
      least = std::min(least, bits_of(x[order[i]]));
      most = std::max(most, bits_of(x[order[i]]));
    }
    if (least == most) return;  // ascending places already
    const int shift = std::max(0, static_cast<int>(std::bit_width(most - least)) - 2 * kBits);
    const auto cell = [=](T value) {
      return static_cast<std::uint32_t>((bits_of(value) - least) >> shift);
    };
    for (const IndexRange& run : sort_by(x, order, n, cell)) {
      if (shift == 0) continue;
      for (std::size_t rest = run.size(); rest > 1; rest /= 2) work_ += run.size();
      std::sort(order + run.begin, order + run.end, Less{x});
    }
  }

  struct Less {
    const T* x;
    bool operator()(Place a, Place b) const { return x[a] != x[b] ? x[a] < x[b] : a < b; }
  };

  /// Sorts ascending places by the cells of their values. Short runs that share a cell are put in
  /// order, long ones are returned.
  template <class Cell>
  std::vector<IndexRange> sort_by(const T* x, Place* order, std::size_t n, Cell cell) {
    if (words_.size() < n) {
      words_.resize(n);
      other_.resize(n);
    }
    if (n < kFew)
      sort_few(x, order, n, cell);
    else
      sort_many(x, order, n, cell);
    std::vector<IndexRange> runs;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < n; ++i) {
      order[i] = static_cast<Place>(words_[i]);
      if (words_[i] >> 16 == words_[begin] >> 16) continue;
      if (i - begin > 1) end_run(x, order, {begin, i}, runs);
      begin = i;
    }
    end_run(x, order, {begin, n}, runs);
    return runs;
  }

  template <class Cell>
  void sort_few(const T* x, const Place* order, std::size_t n, Cell cell) {
    for (std::size_t i = 0; i < n; ++i)
      words_[i] = std::uint64_t{cell(x[order[i]])} << 16 | order[i];
    std::sort(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(n));
  }

  template <class Cell>
  void sort_many(const T* x, const Place* order, std::size_t n, Cell cell) {
    constexpr std::uint32_t kMask = (1u << kBits) - 1;
    std::uint32_t count[2][1 << kBits] = {};
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t at = cell(x[order[i]]);
      words_[i] = std::uint64_t{at} << 16 | order[i];
      ++count[0][at & kMask];
      ++count[1][at >> kBits];
    }
    for (auto& table : count) {
      std::uint32_t sum = 0;
      for (std::uint32_t& entry : table) sum += std::exchange(entry, sum);
    }
    for (std::size_t i = 0; i < n; ++i) other_[count[0][words_[i] >> 16 & kMask]++] = words_[i];
    for (std::size_t i = 0; i < n; ++i) words_[count[1][other_[i] >> (16 + kBits)]++] = other_[i];
  }

  static void end_run(const T* x, Place* order, IndexRange run, std::vector<IndexRange>& runs) {
    if (run.size() > kShort) return runs.push_back(run);
    const Less is_less{x};
    for (std::size_t i = run.begin + 1; i < run.end; ++i) {
      const Place moving = order[i];
      std::size_t at = i;
      for (; at > run.begin && is_less(moving, order[at - 1]); --at) order[at] = order[at - 1];
      order[at] = moving;
    }
  }

  std::vector<std::uint64_t> words_, other_;
  std::uint64_t work_ = 0;
};

}  // namespace kith
