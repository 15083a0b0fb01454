// Replaces devices.cpp if kith_gpu is not built.
#include <kith/error.hpp>

#include "module.hpp"

namespace kith::python {

void bind_devices(nanobind::module_& module) {
  const auto refused = [](const nanobind::args&) -> nanobind::list {
    throw Error(ErrorCode::unavailable,
                "gpu: this package was built without kith_gpu; build it where the headers of "
                "OpenCL are installed");
  };
  for (const char* name : {"devices", "holds", "device_api", "DeviceMemory"})
    module.def(name, refused);
}

}  // namespace kith::python
