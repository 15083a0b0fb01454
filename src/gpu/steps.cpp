#include "gpu/steps.hpp"

#include <algorithm>
#include <utility>

namespace kith::gpu {
namespace {

constexpr std::size_t kTile = 1024;  // SCAN_TILE and SORT_TILE of the kernels
constexpr int kDigitBits = 8;
constexpr std::size_t kDigits = 1 << kDigitBits;
const ProgramKey kScan{"scan"};
const ProgramKey kSort{"sort"};

std::size_t tiles_of(std::size_t n) { return (n + kTile - 1) / kTile; }

template <class V>
void scan(OpenDevice& device, Buffer<V>& values, std::size_t n, const char* scan_kernel,
          const char* add_kernel) {
  const std::size_t tiles = tiles_of(n);
  Buffer<V> sums(device, tiles);
  device.launch(kScan, scan_kernel, tiles * kGroupSize, values, sums, std::uint64_t{n});
  if (tiles <= 1) return;
  scan(device, sums, tiles, scan_kernel, add_kernel);
  device.launch(kScan, add_kernel, n, values, sums, std::uint64_t{n});
}

}  // namespace

void fill(OpenDevice& device, Uints& values, std::uint32_t value, std::size_t n) {
  device.launch(kScan, "fill_uint", n, values, value, std::uint64_t{n});
}
void fill(OpenDevice& device, Ulongs& values, std::uint64_t value, std::size_t n) {
  device.launch(kScan, "fill_ulong", n, values, value, std::uint64_t{n});
}

void exclusive_scan(OpenDevice& device, Uints& values, std::size_t n) {
  scan(device, values, n, "scan_uint", "add_uint");
}
void exclusive_scan(OpenDevice& device, Ulongs& values, std::size_t n) {
  scan(device, values, n, "scan_ulong", "add_ulong");
}

namespace {

/// The kernel of this name for keys of this type.
template <class Key>
const char* sort_kernel(const char* of_uints, const char* of_ulongs) {
  return sizeof(Key) == sizeof(std::uint32_t) ? of_uints : of_ulongs;
}

}  // namespace

template <class Key>
KeySort<Key>::KeySort(OpenDevice& device, std::size_t room)
    : device_(device),
      keys_(device, room),
      other_keys_(device, room),
      items_(device, room),
      other_items_(device, room),
      counts_(device, kDigits * tiles_of(room)) {}

template <class Key>
void KeySort<Key>::reset(std::size_t n) {
  device_.launch(kSort, "sort_identity", n, items_, std::uint64_t{n});
}

template <class Key>
void KeySort<Key>::copy_keys(const Buffer<Key>& keys, std::size_t n) {
  device_.launch(kSort, sort_kernel<Key>("sort_copy_uint", "sort_copy_ulong"), n, keys, keys_,
                 std::uint64_t{n});
}

template <class Key>
void KeySort<Key>::gather(const Uints& values, std::size_t n) {
  device_.launch(kSort, sort_kernel<Key>("sort_gather_uint", "sort_gather_ulong"), n, values,
                 items_, keys_, std::uint64_t{n});
}

template <class Key>
void KeySort<Key>::sort(std::size_t n, int bits) {
  const std::size_t tiles = tiles_of(n);
  const auto tile_count = static_cast<std::uint32_t>(tiles);
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    const auto digit = static_cast<std::uint32_t>(shift);
    const std::uint32_t mask = (1u << std::min(kDigitBits, bits - shift)) - 1;
    device_.launch(kSort, sort_kernel<Key>("sort_count_uint", "sort_count_ulong"),
                   tiles * kGroupSize, keys_, counts_, digit, mask, std::uint64_t{n}, tile_count);
    exclusive_scan(device_, counts_, (mask + std::size_t{1}) * tiles);
    device_.launch(kSort, sort_kernel<Key>("sort_scatter_uint", "sort_scatter_ulong"),
                   tiles * kGroupSize, keys_, items_, other_keys_, other_items_, counts_, digit,
                   mask, std::uint64_t{n}, tile_count);
    std::swap(keys_, other_keys_);
    std::swap(items_, other_items_);
  }
}

template class KeySort<std::uint32_t>;
template class KeySort<std::uint64_t>;

}  // namespace kith::gpu
