// The devices of kith_gpu, which is inside the module.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <kith/gpu.hpp>

#include "module.hpp"

namespace kith::python {
namespace {

using Facts = std::tuple<std::string, std::string, std::string, std::string, bool, std::size_t, int,
                         bool, std::string, std::string, std::string>;

std::vector<Facts> devices() {
  std::vector<Facts> found;
  for (const gpu::Device& device : gpu::devices())
    found.emplace_back(device.name, device.model, device.platform, device.version, device.is_gpu,
                       device.memory, device.compute_units, device.has_float64, device.refusal,
                       device.pci_address, device.uuid);
  return found;
}

}  // namespace

void bind_devices(nanobind::module_& module) {
  gpu::enable();  // a linker would leave out a library that nothing calls
  module.def("devices", &devices, "The facts of kith.Device, for each of them.");
}

}  // namespace kith::python
