// An open device: memory and its accounts, launches. Everything above it is kernels and their
// order; what differs between OpenCL, CUDA and HIP is in its driver.
//
// Calls may come from several threads at once.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <kith/gpu.hpp>

#include "gpu/driver.hpp"

namespace kith::gpu {

class OpenDevice;

/// An array of `size` values in the memory of a device.
template <class V>
class Buffer {
 public:
  Buffer() = default;
  Buffer(OpenDevice& device, std::size_t size);
  ~Buffer();
  Buffer(Buffer&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)),
        memory_(std::exchange(other.memory_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }

  std::size_t size() const { return size_; }
  const Memory& memory() const { return memory_; }

  void write(const V* from, std::size_t count, std::size_t at = 0);
  void read(V* to, std::size_t count, std::size_t at = 0) const;
  V value(std::size_t at) const {
    V result;
    read(&result, 1, at);
    return result;
  }

 private:
  OpenDevice* device_ = nullptr;
  Memory memory_ = nullptr;
  std::size_t size_ = 0;
};

class OpenDevice {
 public:
  OpenDevice(Device facts, std::unique_ptr<Driver> driver);
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;

  const Device& facts() const { return facts_; }

  /// A kernel over at least `threads` work-items, in whole groups. Arguments are buffers and
  /// numbers, whose types must be exactly those of the kernel.
  template <class... Args>
  void launch(const ProgramKey& program, const char* kernel, std::size_t threads,
              const Args&... args) {
    if (threads == 0) return;
    const std::array<Argument, sizeof...(Args)> arguments{argument(args)...};
    launch_groups({program, kernel, (threads + kGroupSize - 1) / kGroupSize, arguments});
  }
  void finish() { driver_->finish(); }

  /// Whether the caller's array is in the memory of this device.
  bool has(const void* array) const { return array && driver_->has(array); }
  /// Before the first read of such an array.
  void wait_for_others() { driver_->wait_for_others(); }
  template <class V>
  void copy(const Buffer<V>& to, const void* from) {
    if (to.size() > 0) driver_->copy(to.memory(), from, to.size() * sizeof(V));
  }
  /// For arrays of the caller, whose memory is not counted.
  Driver& driver() { return *driver_; }

  std::size_t memory_limit() const;
  void set_memory_limit(std::size_t bytes) { limit_ = bytes; }
  std::size_t allocated() const { return allocated_; }
  /// Asks the driver for the free memory: other programs also use the device.
  void query_memory() const;
  /// Bytes that may still be taken, and at most in one piece.
  std::size_t available() const;
  std::size_t largest_piece() const { return largest_piece_; }
  /// Returns the buffers that wait for another use to the driver.
  void empty_pool();
  /// Tests may say no: a checker of memory may know a buffer only by its first use.
  static inline std::atomic<bool> reuses_buffers{true};
  Traffic traffic() const;
  void measure_kernels(bool is_measured);
  std::vector<KernelTime> kernel_times();

 private:
  template <class V>
  friend class Buffer;

  Memory allocate(std::size_t bytes);
  Memory take_pooled(std::size_t room);
  void empty_locked_pool();
  void release(Memory memory, std::size_t bytes) noexcept;
  void write(Memory to, std::size_t at, const void* from, std::size_t bytes);
  void read(Memory from, std::size_t at, void* to, std::size_t bytes);
  void launch_groups(const Launch& launch);
  void collect_times();

  template <class V>
  static Argument argument(const Buffer<V>& buffer) {
    return {&buffer.memory(), sizeof(Memory), true};
  }
  /// Of the caller's memory on this device; it must live until the launch is made.
  static Argument argument(const Memory& memory) { return {&memory, sizeof(Memory), true}; }
  template <class V>
  requires std::is_arithmetic_v<V>
  static Argument argument(const V& value) { return {&value, sizeof value, false}; }

  static constexpr std::size_t kMostMeasured = 4096;

  Device facts_;
  std::unique_ptr<Driver> driver_;
  std::size_t largest_piece_ = 0;
  // Released buffers, by size: a search takes some for each plane and batch, and drivers need long
  // to make one. They are returned before memory runs out. `room_` has the size of each buffer.
  std::multimap<std::size_t, Memory> pool_;
  std::map<Memory, std::size_t> room_;
  std::atomic<std::size_t> pooled_{0};
  std::mutex pool_mutex_;
  // While kernels are measured: how many may still run, and the sums of the others.
  std::atomic<bool> measures_{false};
  std::mutex times_mutex_;
  std::size_t measured_ = 0;
  std::map<std::string, KernelTime> kernel_times_;
  std::atomic<std::size_t> limit_{0}, allocated_{0}, peak_{0};
  mutable std::atomic<std::size_t> within_free_{~std::size_t{0}};  // of the limit
  std::atomic<std::uint64_t> uploaded_{0}, downloaded_{0}, launches_{0};
};

template <class V>
Buffer<V>::Buffer(OpenDevice& device, std::size_t size)
    : device_(&device), memory_(device.allocate(size * sizeof(V))), size_(size) {}
template <class V>
Buffer<V>::~Buffer() {
  if (memory_) device_->release(memory_, size_ * sizeof(V));
}
template <class V>
void Buffer<V>::write(const V* from, std::size_t count, std::size_t at) {
  if (count > 0) device_->write(memory_, at * sizeof(V), from, count * sizeof(V));
}
template <class V>
void Buffer<V>::read(V* to, std::size_t count, std::size_t at) const {
  if (count > 0) device_->read(memory_, at * sizeof(V), to, count * sizeof(V));
}

/// The device of this name, opened by the first call. Errors: unavailable, invalid_argument.
OpenDevice& open_device(const char* call, const std::string& name);

/// One device per process: the GPUs in turn, or all devices if none of them is a GPU. Errors:
/// unavailable.
std::string device_of_process(const char* call, std::size_t process);

}  // namespace kith::gpu
