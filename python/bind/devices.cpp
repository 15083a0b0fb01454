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

/// The slowest first: name, launches, seconds.
std::vector<std::tuple<std::string, std::uint64_t, double>> kernel_times(
    const std::string& device) {
  std::vector<std::tuple<std::string, std::uint64_t, double>> found;
  for (const gpu::KernelTime& time : gpu::kernel_times(device))
    found.emplace_back(time.kernel, time.launches, time.seconds);
  return found;
}

}  // namespace

void bind_devices(nanobind::module_& module) {
  gpu::enable();  // a linker would leave out a library that nothing calls
  module.def("devices", &devices, "The facts of kith.Device, for each of them.");
  module.def("measure_kernels", &gpu::measure_kernels, "Begins to measure kernels, or ends it.");
  module.def("kernel_times", &kernel_times, "(kernel, launches, seconds), the slowest first.");
}

}  // namespace kith::python
