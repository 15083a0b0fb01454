#include "gpu/steps.hpp"

#include <utility>

namespace kith::gpu {
namespace {

constexpr std::size_t kTile = 1024;  // SCAN_TILE and SORT_TILE of the kernels
constexpr std::size_t kDigits = 16;
constexpr int kDigitBits = 4;
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

KeySort::KeySort(OpenDevice& device, std::size_t room)
    : device_(device),
      keys_(device, room),
      other_keys_(device, room),
      items_(device, room),
      other_items_(device, room),
      counts_(device, kDigits * tiles_of(room)) {}

void KeySort::reset(std::size_t n) {
  device_.launch(kSort, "sort_identity", n, items_, std::uint64_t{n});
}

void KeySort::gather(const Uints& values, std::size_t n) {
  device_.launch(kSort, "sort_gather", n, values, items_, keys_, std::uint64_t{n});
}

void KeySort::sort(std::size_t n, int bits) {
  const std::size_t tiles = tiles_of(n);
  const auto tile_count = static_cast<std::uint32_t>(tiles);
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    const auto digit = static_cast<std::uint32_t>(shift);
    device_.launch(kSort, "sort_count", tiles * kGroupSize, keys_, counts_, digit, std::uint64_t{n},
                   tile_count);
    exclusive_scan(device_, counts_, kDigits * tiles);
    device_.launch(kSort, "sort_scatter", tiles * kGroupSize, keys_, items_, other_keys_,
                   other_items_, counts_, digit, std::uint64_t{n}, tile_count);
    std::swap(keys_, other_keys_);
    std::swap(items_, other_items_);
  }
}

}  // namespace kith::gpu
