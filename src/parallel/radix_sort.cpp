#include "parallel/radix_sort.hpp"

#include <bit>

namespace kith {
namespace {

constexpr std::size_t kInCache = std::size_t{1} << 14;  // 256 KiB of pairs
constexpr int kBucketBits = 11;
constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
constexpr std::size_t kGrain = std::size_t{1} << 16;

/// The bits in which the keys differ from the first.
std::uint64_t differing_bits(const Workers& workers, const KeyIndex* keys, std::size_t n) {
  return reduce(
      workers, n, kGrain, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::uint64_t bits = 0;
        for (std::size_t i = begin; i < end; ++i) bits |= keys[i].key ^ keys[0].key;
        return bits;
      },
      [](std::uint64_t a, std::uint64_t b) { return a | b; });
}

}  // namespace

void sort_keys(const Workers& workers, KeyIndex* keys, std::size_t n) {
  if (n <= kInCache) {
    std::sort(keys, keys + n);
    return;
  }
  const int width = static_cast<int>(std::bit_width(differing_bits(workers, keys, n)));
  // Ties keep their order through every scatter; callers pass indices in ascending order.
  if (width == 0) return;
  const int shift = std::max(0, width - kBucketBits);
  Array<KeyIndex> copy(n, workers.pool());
  Array<std::uint16_t> codes(n, workers.pool());
  const std::vector<std::size_t> start = scatter_to_buckets(
      workers, n, kBuckets, [&](std::size_t i) { return keys[i].key >> shift & (kBuckets - 1); },
      [&](std::size_t i) { return keys[i]; }, codes.data(), copy.data());
  workers.for_ranges(kBuckets, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t bucket = begin; bucket < end; ++bucket) {
      const std::size_t first = start[bucket], count = start[bucket + 1] - first;
      workers.for_ranges(count, kGrain, [&](std::size_t from, std::size_t to) {
        std::copy(copy.data() + first + from, copy.data() + first + to, keys + first + from);
      });
      sort_keys(workers, keys + first, count);
    }
  });
}

}  // namespace kith
