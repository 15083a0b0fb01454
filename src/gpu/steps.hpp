// Prefix sums and sorting on a device: the steps of all algorithms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/device.hpp"

namespace kith::gpu {

using Uints = Buffer<std::uint32_t>;
using Ulongs = Buffer<std::uint64_t>;

void fill(OpenDevice& device, Uints& values, std::uint32_t value, std::size_t n);
void fill(OpenDevice& device, Ulongs& values, std::uint64_t value, std::size_t n);

/// Replaces values[i] by the sum of all values before it.
void exclusive_scan(OpenDevice& device, Uints& values, std::size_t n);
void exclusive_scan(OpenDevice& device, Ulongs& values, std::size_t n);

/// Items with keys of 32 or 64 bits, and room to sort them.
template <class Key>
class KeySort {
 public:
  KeySort(OpenDevice& device, std::size_t room);

  Buffer<Key>& keys() { return keys_; }
  Uints& items() { return items_; }
  /// items = 0, 1, 2, ...
  void reset(std::size_t n);
  /// Copies the keys.
  void copy_keys(const Buffer<Key>& keys, std::size_t n);
  /// keys = values[items], for a second sort by a coarser key.
  void gather(const Uints& values, std::size_t n);
  /// Stable, by the lowest `bits` bits of the keys.
  void sort(std::size_t n, int bits);

 private:
  OpenDevice& device_;
  Buffer<Key> keys_, other_keys_;
  Uints items_, other_items_, counts_;
};

}  // namespace kith::gpu
