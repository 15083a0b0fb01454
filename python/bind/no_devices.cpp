// Stands in for devices.cpp where kith_gpu is not built.
#include <kith/error.hpp>

#include "module.hpp"

namespace kith::python {

void bind_devices(nanobind::module_& module) {
  module.def(
      "devices",
      []() -> nanobind::list {
        throw Error(ErrorCode::unavailable,
                    "gpu: this package was built without kith_gpu; build it where the headers of "
                    "OpenCL are installed");
      },
      "The facts of kith.Device, for each of them.");
}

}  // namespace kith::python
