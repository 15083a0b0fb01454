#include "devices.hpp"

namespace kith::cli {

std::vector<gpu::Device> list_devices() { return gpu::devices(); }

void enable_devices() { gpu::enable(); }

gpu::Device open_device(const std::string& name) {
  gpu::enable();
  return gpu::device(name);
}

}  // namespace kith::cli
