#include "gpu/opencl/free_memory.hpp"

#include <dlfcn.h>
#include <string>

namespace kith::gpu {
namespace {

constexpr cl_device_info kFreeMemoryAmd = 0x4039;  // CL_DEVICE_GLOBAL_FREE_MEMORY_AMD
constexpr std::size_t kKibi = 1024;

Nvml loaded_nvml() {
  Nvml table;
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return table;
  const auto start = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
  if (!start || start() != 0) return table;
  table.device_by_address = reinterpret_cast<decltype(table.device_by_address)>(
      dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2"));
  table.memory_info =
      reinterpret_cast<decltype(table.memory_info)>(dlsym(library, "nvmlDeviceGetMemoryInfo"));
  return table;
}

}  // namespace

Nvml& nvml() {
  static Nvml table = loaded_nvml();
  return table;
}

std::optional<std::size_t> free_memory(cl_device_id id, const Device& device) {
  if (device.platform.find("NVIDIA") != std::string::npos) {
    const Nvml& ask = nvml();
    void* handle = nullptr;
    Nvml::Memory memory{};
    if (!ask.device_by_address || !ask.memory_info ||
        ask.device_by_address(device.pci_address.c_str(), &handle) != 0 ||
        ask.memory_info(handle, &memory) != 0)
      return std::nullopt;
    return memory.free;
  }
  if (device.platform.find("AMD") == std::string::npos) return std::nullopt;
  std::size_t kibibytes[2] = {};  // in all, and in one piece
  if (opencl().clGetDeviceInfo(id, kFreeMemoryAmd, sizeof kibibytes, kibibytes, nullptr) !=
      CL_SUCCESS)
    return std::nullopt;
  return kibibytes[0] * kKibi;
}

}  // namespace kith::gpu
