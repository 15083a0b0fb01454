// A device of OpenCL: memory, programs, launches. Everything above it is kernels and their order.
//
// Calls may come from several threads at once: the queue takes them in order, kernels belong to one
// call each, and the cache of programs is locked.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <kith/gpu.hpp>

#include "gpu/opencl.hpp"

namespace kith::gpu {

/// Work-items of a group, in all kernels.
inline constexpr std::size_t kGroupSize = 64;

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
  cl_mem memory() const { return memory_; }

  void write(const V* from, std::size_t count, std::size_t at = 0);
  void read(V* to, std::size_t count, std::size_t at = 0) const;
  V value(std::size_t at) const {
    V result;
    read(&result, 1, at);
    return result;
  }

 private:
  OpenDevice* device_ = nullptr;
  cl_mem memory_ = nullptr;
  std::size_t size_ = 0;
};

/// What a program is compiled for; 0 and false where it does not matter.
struct ProgramKey {
  std::string_view file;  ///< knn: the text of knn.cl after portable.h and what it needs
  bool is_double = false;
  int dimension = 1;
  int k = 0;
  bool operator<(const ProgramKey& other) const {
    return std::tie(file, is_double, dimension, k) <
           std::tie(other.file, other.is_double, other.dimension, other.k);
  }
};

class OpenDevice {
 public:
  explicit OpenDevice(Device facts, cl_platform_id platform, cl_device_id id);
  ~OpenDevice();
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;

  const Device& facts() const { return facts_; }

  /// A kernel over at least `threads` work-items, in whole groups. Arguments are buffers and
  /// numbers, whose types must be exactly those of the kernel.
  template <class... Args>
  void launch(const ProgramKey& program, const char* kernel, std::size_t threads,
              const Args&... args) {
    if (threads == 0) return;
    cl_kernel made = make_kernel(program, kernel);
    cl_uint number = 0;
    (set_argument(made, kernel, number++, args), ...);
    enqueue(made, kernel, threads);
  }
  void finish();

  std::size_t memory_limit() const;
  void set_memory_limit(std::size_t bytes) { limit_ = bytes; }
  std::size_t allocated() const { return allocated_; }
  /// Asks the driver what is free: other programs use the device, too.
  void look_at_memory() const;
  /// Bytes that may still be taken, and at most in one piece.
  std::size_t available() const;
  std::size_t largest_piece() const { return largest_piece_; }
  /// Gives the buffers that wait for another use back to the driver.
  void empty_pool();
  /// Tests may say no: a checker of memory may know a buffer only by its first use.
  static inline std::atomic<bool> reuses_buffers{true};
  Traffic traffic() const;
  void measure_kernels(bool is_on);
  std::vector<KernelTime> kernel_times();

 private:
  template <class V>
  friend class Buffer;

  cl_mem allocate(std::size_t bytes);
  cl_mem take_pooled(std::size_t room);
  void empty_locked_pool();
  void release(cl_mem memory, std::size_t bytes) noexcept;
  void write(cl_mem to, std::size_t at, const void* from, std::size_t bytes);
  void read(cl_mem from, std::size_t at, void* to, std::size_t bytes);

  cl_program program(const ProgramKey& key);
  cl_program build(const ProgramKey& key) const;
  cl_program compiled(const ProgramKey& key, const std::string& options, std::string& log) const;
  std::string options(const ProgramKey& key) const;
  cl_kernel make_kernel(const ProgramKey& program, const char* name);
  void enqueue(cl_kernel kernel, const char* name, std::size_t threads);
  void make_queue(cl_command_queue_properties properties);
  void collect_events();

  template <class V>
  void set_argument(cl_kernel kernel, const char* name, cl_uint number, const Buffer<V>& buffer) {
    const cl_mem memory = buffer.memory();
    set_bytes(kernel, name, number, &memory, sizeof(void*));
  }
  template <class V>
  requires std::is_arithmetic_v<V>
  void set_argument(cl_kernel kernel, const char* name, cl_uint number, V value) {
    set_bytes(kernel, name, number, &value, sizeof value);
  }
  void set_bytes(cl_kernel kernel, const char* name, cl_uint number, const void* value,
                 std::size_t bytes);

  struct Launch {
    const char* kernel;
    cl_event event;
  };
  static constexpr std::size_t kMostEvents = 4096;

  Device facts_;
  cl_device_id id_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  bool divides_exactly_ = false;
  std::size_t largest_piece_ = 0;
  std::mutex mutex_;
  std::map<ProgramKey, cl_program> programs_;
  // Released buffers, by size: a search takes some for each plane and batch, and drivers need long
  // to make one. They are given back before memory runs out. `room_` has the size of each buffer.
  std::multimap<std::size_t, cl_mem> pool_;
  std::map<cl_mem, std::size_t> room_;
  std::atomic<std::size_t> pooled_{0};
  std::mutex pool_mutex_;
  // While kernels are measured: launches that may still run, and the sums of those that ended.
  std::atomic<bool> measures_{false};
  std::mutex events_mutex_;
  std::vector<Launch> events_;
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

/// The text of a kernel file, embedded at build; empty if there is none.
std::string_view kernel_text(std::string_view file);

}  // namespace kith::gpu
