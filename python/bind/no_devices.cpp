// Replaces devices.cpp and xla_devices.cpp if kith_gpu is not built.
#include <kith/error.hpp>

#include "module.hpp"
#include "xla_devices.hpp"

namespace kith::python {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorCode::unavailable,
              "gpu: this package was built without kith_gpu; build it where the headers of "
              "OpenCL are installed");
}

}  // namespace

std::string device_of(const Operands&, const char*) { refuse(); }
void on_host(const Operands&, const std::string&, void (*)(const Operands&)) { refuse(); }
void copy_to(void*, const void*, std::size_t, const std::string&) { refuse(); }

void bind_devices(nanobind::module_& module) {
  const auto refused = [](const nanobind::args&) -> nanobind::list { refuse(); };
  for (const char* name : {"devices", "holds", "device_api", "DeviceMemory"})
    module.def(name, refused);
}

}  // namespace kith::python
