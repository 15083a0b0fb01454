#include "devices.hpp"

namespace kith::cli {

std::vector<gpu::Device> list_devices() { return gpu::devices(); }

void enable_devices() { gpu::enable(); }

gpu::Device open_device(const std::string& name) {
  gpu::enable();
  gpu::traffic(name);  // asking opens it
  for (gpu::Device& device : gpu::devices())
    if (device.name == name || (name == "gpu" && device.name == "gpu:0")) return std::move(device);
  return {.name = name};
}

}  // namespace kith::cli
