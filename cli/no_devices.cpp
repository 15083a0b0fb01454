#include <kith/error.hpp>

#include "devices.hpp"

namespace kith::cli {

std::vector<gpu::Device> list_devices() {
  throw Error(ErrorCode::unavailable,
              "this program was built without kith_gpu; build it with the CMake option KITH_GPU");
}

void enable_devices() { list_devices(); }

gpu::Device open_device(const std::string&) { return list_devices().front(); }

}  // namespace kith::cli
