// Receivers batch by batch: as many as memory allows, and few enough that a cancelled call stops
// soon. Batches grow while they are quick. So do their lists: where points are crowded, 256
// receivers could keep a slow GPU busy for seconds, and drivers of displays stop such a kernel.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/fail.hpp"
#include "gpu/device.hpp"

namespace kith::gpu {

class Batches {
 public:
  /// `bytes`: the size of the results of one receiver.
  Batches(const OpenDevice& device, std::uint32_t receivers, std::size_t bytes)
      : device_(device), receivers_(receivers) {
    device.query_memory();
    most_ = std::max<std::size_t>(1, device.available() / 4 / std::max<std::size_t>(1, bytes));
    size_ = std::min(kFirst, most_);
  }

  /// Calls body(begin, end) until all receivers are done. A body that returns false had no room for
  /// its lists; one that throws DeviceMemoryError had no memory. It is called again with half of
  /// the receivers. Errors: out_of_memory for a single one.
  template <class Body>
  void run(Body body) {
    for (std::uint32_t begin = 0; begin < receivers_;) {
      const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(receivers_, begin + size_));
      const auto start = std::chrono::steady_clock::now();
      if (!try_batch(body, begin, end)) {
        make_smaller(end - begin);
        continue;
      }
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      adapt(passed.count());
      begin = end;
    }
  }

  /// Room for the lists of a batch, and for their results, in bytes.
  std::size_t list_room() const { return std::min(list_room_, result_room()); }
  std::size_t result_room() const {
    return std::min(device_.available() / 4, device_.largest_piece());
  }

 private:
  static constexpr std::size_t kFirst = 256;
  static constexpr std::size_t kFirstRoom = std::size_t{1} << 20;  // 131,072 sources of 64 points
  static constexpr double kQuick = 0.04, kSlow = 0.16;             // seconds

  template <class Body>
  bool try_batch(Body& body, std::uint32_t begin, std::uint32_t end) {
    try {
      return body(begin, end);
    } catch (const DeviceMemoryError&) {
      if (end - begin == 1) throw;
      most_ = (end - begin) / 2;
      return false;
    }
  }

  void make_smaller(std::size_t receivers) {
    if (receivers > 1) {
      size_ = receivers / 2;
      if (list_room_ >= result_room()) most_ = size_;
      return;
    }
    // One receiver whose lists are long: they take as long as they take.
    if (list_room_ >= result_room()) fail_for_memory();
    list_room_ = result_room();
  }

  void adapt(double seconds) {
    if (seconds < kQuick) {
      size_ = std::min(most_, 2 * size_);
      list_room_ = std::min(result_room(), 2 * list_room_);
    }
    if (seconds > kSlow) {
      size_ = std::max<std::size_t>(1, size_ / 2);
      list_room_ = std::max(kFirstRoom, list_room_ / 2);
    }
  }

  [[noreturn]] void fail_for_memory() const {
    fail(ErrorCode::out_of_memory,
         "gpu: 64 queries or one group alone need more than the memory of {} ({} bytes available); "
         "ask for less, raise the memory limit, or use device = cpu",
         device_.facts().name, device_.available());
  }

  const OpenDevice& device_;
  std::size_t receivers_, most_ = 1, size_ = 1, list_room_ = kFirstRoom;
};

}  // namespace kith::gpu
