// The interface of OpenCL, CUDA and HIP to an open device: memory, copies, launches.
//
// Calls may come from several threads at once. All work of a device is in order: a launch sees
// the bytes that were written before, and a read the results of earlier launches.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kith/gpu.hpp>

#include "base/fail.hpp"
#include "base/function_ref.hpp"
#include "gpu/programs.hpp"

namespace kith::gpu {

/// Work-items of a group, in all kernels.
inline constexpr std::size_t kGroupSize = 64;

/// Memory of a device: an object of OpenCL, an address of CUDA and HIP.
using Memory = void*;

/// An argument of a kernel: the bytes of a number, or a Memory.
struct Argument {
  const void* value;
  std::size_t bytes;
  bool is_memory;
};

struct Launch {
  const ProgramKey& program;
  const char* kernel;
  std::size_t groups;
  std::span<const Argument> arguments;
};

/// Errors: unavailable; DeviceMemoryError of allocate and launch.
class Driver {
 public:
  virtual ~Driver() = default;

  virtual Memory allocate(std::size_t bytes) = 0;
  /// Launches that still use it come first.
  virtual void release(Memory memory) noexcept = 0;
  /// Both return when the bytes are copied.
  virtual void write(Memory to, std::size_t at, const void* from, std::size_t bytes) = 0;
  virtual void read(Memory from, std::size_t at, void* to, std::size_t bytes) = 0;

  /// Whether the caller's array is in the memory of this device: then it may be the source of a
  /// copy, after `wait_for_others`, and an argument of a kernel. Errors: unavailable, if it is on
  /// another device.
  virtual bool has(const void* array) const = 0;
  virtual void copy(Memory to, const void* from, std::size_t bytes) = 0;
  /// Waits for the work that other libraries have given to the device.
  virtual void wait_for_others() = 0;

  /// Compiles the program if it is new. Returns before the kernel ends.
  virtual void launch(const Launch& launch) = 0;
  virtual void finish() = 0;

  /// Bytes of an array at most.
  virtual std::size_t largest_piece() const = 0;
  /// Bytes, if the driver reports them.
  virtual std::optional<std::size_t> free_memory() const = 0;

  /// Whether the launches from now on are measured. Nothing runs now.
  virtual void measure(bool is_measured) = 0;
  /// Calls take(kernel, seconds) for each measured launch since the last time. Nothing runs now.
  virtual void take_times(FunctionRef<void(const char*, double)> take) = 0;
};

/// A device that can be opened; `facts.api` is its only name so far.
struct Listed {
  Device facts;
  std::function<std::unique_ptr<Driver>(const Device& facts)> open;
};

/// A device lacks memory: the same work in smaller batches may succeed.
class DeviceMemoryError : public Error {
 public:
  explicit DeviceMemoryError(const Error& error) : Error(error) {}
};
template <class... Args>
[[noreturn]] void fail_for_device_memory(Pattern<sizeof...(Args)> pattern, const Args&... args) {
  try {
    fail(ErrorCode::out_of_memory, pattern, args...);
  } catch (const Error& error) {
    throw DeviceMemoryError(error);
  }
}

}  // namespace kith::gpu
