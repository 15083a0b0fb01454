// Runs kith on GPUs and other devices, by CUDA, HIP or OpenCL, with the same results bit for bit.
//
// Link kith::gpu and set Execution::device:
//
//   kith::gpu::enable();
//   const kith::AnyTree tree(kith::view(x), {}, {.device = "gpu"});
//   auto near = kith::knn(tree, {.k = 16}, {.device = "gpu"});
//
// The libraries of CUDA, HIP and OpenCL are opened when a device is first used; nothing of them is
// linked. Without a device, such calls fail with ErrorCode::unavailable, and everything else works.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <kith/export.hpp>

namespace kith::gpu {

struct Device {
  /// For Execution::device: "gpu:0", "gpu:1", ... CUDA's devices come first, then HIP's, then those
  /// of OpenCL; one that CUDA or HIP has as well is here again, with the name "opencl:0". The PCI
  /// address and the UUID name the same card on every system, and are names as well.
  std::string name;
  std::string model;       ///< as reported by the driver
  std::string platform;    ///< the driver
  std::string version;     ///< of the interface and the driver
  bool is_gpu = false;     ///< real GPUs come first
  std::size_t memory = 0;  ///< bytes
  int compute_units = 0;
  bool has_float64 = false;
  std::string refusal;      ///< why it cannot be used; empty if it can
  std::string pci_address;  ///< "0000:3b:00.0"; empty if the driver does not report it
  std::string uuid;         ///< "8-4-4-4-12" digits, as in nvidia-smi; empty if not reported
  std::string api;          ///< "cuda:0", "hip:0", "opencl:1": another name, by the interface
};

/// Makes the devices known to Execution::device. Linking the library does it too, unless the linker
/// drops a library that nothing calls. Opens nothing yet.
KITH_API void enable() noexcept;

/// All devices, real GPUs first. Errors: unavailable, if there are none and an interface is
/// missing.
KITH_API std::vector<Device> devices();

/// Opens a device, which tests its arithmetic, and returns its facts. Errors: unavailable, with the
/// first operation whose result differs from the CPU's; invalid_argument.
KITH_API Device device(const std::string& name = "gpu");

/// Memory of a device of CUDA or HIP, for points that trees are built of there and for the rows of
/// knn_into: calls with this device read and write it in place. Any other memory of the device
/// serves as well, such as that of an array of CuPy. Errors: unavailable (OpenCL), out_of_memory.
KITH_API std::shared_ptr<void> allocate(std::size_t bytes, const std::string& device = "gpu");
/// Whether the memory is that of this device. Errors: unavailable, if it is that of another device.
KITH_API bool holds(const void* memory, const std::string& device = "gpu");
/// Copies between the host and such memory.
KITH_API void copy_to_device(void* to, const void* from, std::size_t bytes,
                             const std::string& device = "gpu");
KITH_API void copy_to_host(void* to, const void* from, std::size_t bytes,
                           const std::string& device = "gpu");

/// Transfers to and from a device since the program started.
struct Traffic {
  std::uint64_t uploaded = 0;    ///< bytes
  std::uint64_t downloaded = 0;  ///< bytes
  std::uint64_t launches = 0;    ///< number of kernel launches
  std::uint64_t allocated = 0;   ///< bytes in use now
  std::uint64_t peak = 0;        ///< largest use so far
};
KITH_API Traffic traffic(const std::string& device = "gpu");

/// The time of a kernel by the clock of the device.
struct KernelTime {
  std::string kernel;          ///< its name in the sources
  std::uint64_t launches = 0;  ///< since the measurement began
  double seconds = 0;          ///< all launches together, without what the host does in between
};
/// Begins to measure all kernels of a device, from 0, or ends it. Not while other calls run there.
KITH_API void measure_kernels(bool is_measured, const std::string& device = "gpu");
/// The measured kernels, the slowest first. Waits for the device.
KITH_API std::vector<KernelTime> kernel_times(const std::string& device = "gpu");

/// Bytes that kith may use on a device from now on; 0 = seven eighths of what it has, or what other
/// programs leave of it, where the driver reports that (NVIDIA, AMD). Searches work in batches that
/// fit; if a tree does not fit, the error says how many points would.
KITH_API void set_memory_limit(std::size_t bytes, const std::string& device = "gpu");

}  // namespace kith::gpu
