// Runs kith on OpenCL devices, with the same results bit for bit.
//
// Link kith::gpu and set Execution::device:
//
//   kith::gpu::enable();
//   const kith::Tree tree(kith::view(x), {}, {.device = "gpu"});
//   auto near = kith::knn(tree, {.k = 16}, {.device = "gpu"});
//
// The OpenCL loader (libOpenCL.so.1) is opened when a device is first used. Without it, or without
// a device, such calls fail with ErrorCode::unavailable, and everything else works.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <kith/export.hpp>

namespace kith::gpu {

struct Device {
  /// For Execution::device: "gpu:0", "gpu:1", ... The numbers follow the order of the drivers; the
  /// PCI address and the UUID name the same card on every system, and are names, too.
  std::string name;
  std::string model;       ///< as reported by the driver
  std::string platform;    ///< the driver
  std::string version;     ///< of OpenCL and the driver
  bool is_gpu = false;     ///< real GPUs come first
  std::size_t memory = 0;  ///< bytes
  int compute_units = 0;
  bool has_float64 = false;
  std::string refusal;      ///< why it cannot be used; empty if it can
  std::string pci_address;  ///< "0000:3b:00.0"; empty if the driver does not report it
  std::string uuid;         ///< "8-4-4-4-12" digits, as in nvidia-smi; empty likewise
};

/// Makes the devices known to Execution::device. Linking the library does it too, unless the linker
/// drops a library that nothing calls. Opens nothing yet.
KITH_API void enable() noexcept;

/// All devices, real GPUs first. Errors: unavailable, if there is no loader of OpenCL.
KITH_API std::vector<Device> devices();

/// Opens a device, which tests its arithmetic, and returns its facts. Errors: unavailable, with the
/// first operation whose result differs from the CPU's; invalid_argument.
KITH_API Device device(const std::string& name = "gpu");

/// Transfers to and from a device since the program started.
struct Traffic {
  std::uint64_t uploaded = 0;    ///< bytes
  std::uint64_t downloaded = 0;  ///< bytes
  std::uint64_t launches = 0;    ///< number of kernel launches
  std::uint64_t allocated = 0;   ///< bytes in use now
  std::uint64_t peak = 0;        ///< largest use so far
};
KITH_API Traffic traffic(const std::string& device = "gpu");

/// What a kernel took by the clock of the device.
struct KernelTime {
  std::string kernel;          ///< its name in the sources
  std::uint64_t launches = 0;  ///< since the measurement began
  double seconds = 0;          ///< all launches together, without what the host does in between
};
/// Begins to measure all kernels of a device, from 0, or ends it. Not while other calls run there.
KITH_API void measure_kernels(bool is_on, const std::string& device = "gpu");
/// What has been measured, the slowest first. Waits for the device.
KITH_API std::vector<KernelTime> kernel_times(const std::string& device = "gpu");

/// Bytes that kith may use on a device from now on; 0 = seven eighths of what it has, or what other
/// programs leave of it, where the driver reports that (NVIDIA, AMD). Searches work in batches that
/// fit; if a tree does not fit, the error says how many points would.
KITH_API void set_memory_limit(std::size_t bytes, const std::string& device = "gpu");

}  // namespace kith::gpu
