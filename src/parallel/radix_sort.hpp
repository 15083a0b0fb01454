// Sorting by integer keys: one stable scatter to buckets that fit a cache, then passes inside each
// bucket.
//
// Scattering straight from the source keeps the large arrays to one write each; sorting everything
// digit by digit would move each record through memory once per digit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "parallel/workers.hpp"

namespace kith {

/// How many records a part of a scatter has: few enough to notice a cancelled call and to share
/// among threads, enough that the parts' tables of buckets stay small compared to the records.
inline std::size_t scatter_grain(std::size_t n) {
  return std::clamp<std::size_t>(n / 256, std::size_t{1} << 16, std::size_t{1} << 19);
}

/// Stable scatter of n records to `buckets` buckets: out receives record(i) for all i, ordered by
/// code(i), equal codes in the order of i. Returns the start of each bucket and the end of the
/// last. `codes` is scratch for n values; code(i) is called once per i, then record(i).
template <class Record, class CodeOf, class RecordOf>
std::vector<std::size_t> scatter_to_buckets(const Workers& workers, std::size_t n,
                                            std::size_t buckets, CodeOf code_of, RecordOf record_of,
                                            std::uint16_t* codes, Record* out) {
  const std::size_t grain = scatter_grain(n);
  std::vector<std::size_t> next(range_count(n, grain) * buckets, 0);
  workers.for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
    std::size_t* count = next.data() + begin / grain * buckets;
    for (std::size_t i = begin; i < end; ++i)
      ++count[codes[i] = static_cast<std::uint16_t>(code_of(i))];
  });
  std::vector<std::size_t> start(buckets + 1);
  std::size_t sum = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    start[bucket] = sum;
    for (std::size_t at = bucket; at < next.size(); at += buckets) {
      const std::size_t count = next[at];
      next[at] = sum;
      sum += count;
    }
  }
  start[buckets] = sum;
  workers.for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
    std::size_t* to = next.data() + begin / grain * buckets;
    for (std::size_t i = begin; i < end; ++i) out[to[codes[i]]++] = record_of(i);
  });
  return start;
}

/// Sorts up to 2^32 short keys with their positions, inside a cache.
class KeySorter {
 public:
  /// Words key(i) << 32 | i for i in [0, n), ascending, i.e. stable. Keys have 18 bits. The result
  /// is valid until the next call.
  template <class KeyOf>
  const std::uint64_t* sort(std::size_t n, KeyOf key_of) {
    if (words_.size() < n) {
      words_.resize(n + n / 2);
      other_.resize(n + n / 2);
    }
    // Few keys: short tables, more passes. Measured in bench/tree: 2 passes of 9 bits lose below
    // ~1,000.
    if (n <= kRanked) return by_rank(n, key_of);
    return n < 1024 ? passes<3>(n, key_of) : passes<2>(n, key_of);
  }

 private:
  /// Up to this many keys are compared with each other, many at once, in less time than clearing
  /// tables takes.
  static constexpr std::size_t kRanked = 64;

  /// Each key goes to its rank, the number of those before it: no branch depends on the keys.
  template <class KeyOf>
  const std::uint64_t* by_rank(std::size_t n, KeyOf key_of) {
    constexpr std::size_t kStep = 16;
    std::int32_t key[kRanked];  // with its position, so that no two are equal
    for (std::size_t i = 0; i < n; ++i) key[i] = static_cast<std::int32_t>(key_of(i) * kRanked + i);
    const std::size_t steps = (n + kStep - 1) / kStep;
    std::fill(key + n, key + steps * kStep, std::numeric_limits<std::int32_t>::max());
    std::uint64_t* out = words_.data();
    for (std::size_t i = 0; i < n; ++i) {
      std::int32_t rank = 0;
      for (std::size_t step = 0; step < steps; ++step)
        for (std::size_t j = 0; j < kStep; ++j) rank += key[step * kStep + j] < key[i];
      out[rank] = std::uint64_t{static_cast<std::uint32_t>(key[i]) / kRanked} << 32 | i;
    }
    return out;
  }

  template <int Passes, class KeyOf>
  const std::uint64_t* passes(std::size_t n, KeyOf key_of) {
    constexpr int kBits = 18 / Passes;
    constexpr std::uint32_t kMask = (1u << kBits) - 1;
    std::uint32_t count[Passes][1 << kBits] = {};
    std::uint64_t* from = words_.data();
    std::uint64_t* to = other_.data();
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t key = key_of(i);
      from[i] = std::uint64_t{key} << 32 | i;
      for (int pass = 0; pass < Passes; ++pass) ++count[pass][key >> (pass * kBits) & kMask];
    }
    for (auto& table : count) {
      std::uint32_t sum = 0;
      for (std::uint32_t& entry : table) sum += std::exchange(entry, sum);
    }
    for (int pass = 0; pass < Passes; ++pass) {
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t word = from[i];
        to[count[pass][word >> (32 + pass * kBits) & kMask]++] = word;
      }
      std::swap(from, to);
    }
    return from;
  }

  std::vector<std::uint64_t> words_, other_;
};

/// A long key and the index of its record.
struct KeyIndex {
  std::uint64_t key;
  std::uint32_t index;
  friend bool operator<(const KeyIndex& a, const KeyIndex& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  }
};

/// Sorts by (key, index); pairs with equal keys must come with ascending indices. A bucket of any
/// size is sorted by all threads: it is scattered again by the bits below those that its keys
/// share.
void sort_keys(const Workers& workers, KeyIndex* keys, std::size_t n);

}  // namespace kith
