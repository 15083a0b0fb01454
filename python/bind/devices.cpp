// The devices of kith_gpu, which is inside the module.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <kith/gpu.hpp>

#include "arrays.hpp"
#include "module.hpp"

namespace kith::python {
namespace {

using Facts = std::tuple<std::string, std::string, std::string, std::string, bool, std::size_t, int,
                         bool, std::string, std::string, std::string, std::string>;

std::vector<Facts> devices() {
  std::vector<Facts> found;
  for (const gpu::Device& device : gpu::devices())
    found.emplace_back(device.name, device.model, device.platform, device.version, device.is_gpu,
                       device.memory, device.compute_units, device.has_float64, device.refusal,
                       device.pci_address, device.uuid, device.api);
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

using Bytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Memory of a device, for kith.DeviceArray.
class DeviceMemory {
 public:
  DeviceMemory(std::size_t bytes, const std::string& device)
      : device_(gpu::device(device).api), memory_(gpu::allocate(bytes, device_)) {}

  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(memory_.get()); }
  void write(const Bytes& from) const {
    gpu::copy_to_device(memory_.get(), from.data(), from.size(), device_);
  }
  void read(const Bytes& to) const {
    gpu::copy_to_host(to.data(), memory_.get(), to.size(), device_);
  }
  /// A capsule of DLPack, which keeps the memory.
  nb::object tensor(const std::string& kind, int bytes,
                    const std::vector<std::size_t>& shape) const {
    const bool is_cuda = device_.starts_with("cuda:");
    const nb::dlpack::dtype type{
        static_cast<std::uint8_t>(kind == "f"   ? nb::dlpack::dtype_code::Float
                                  : kind == "i" ? nb::dlpack::dtype_code::Int
                                                : nb::dlpack::dtype_code::UInt),
        static_cast<std::uint8_t>(8 * bytes), 1};
    auto* kept = new std::shared_ptr<void>(memory_);
    nb::capsule owner(kept,
                      [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); });
    return nb::cast(nb::ndarray<>(memory_.get(), shape.size(), shape.data(), owner, nullptr, type,
                                  is_cuda ? nb::device::cuda::value : nb::device::rocm::value,
                                  std::stoi(device_.substr(device_.find(':') + 1))));
  }

 private:
  std::string device_;
  std::shared_ptr<void> memory_;
};

bool holds(std::uintptr_t address, const std::string& device) {
  return gpu::holds(reinterpret_cast<const void*>(address), device);
}

}  // namespace

void bind_devices(nanobind::module_& module) {
  nb::class_<DeviceMemory>(module, "DeviceMemory", "Memory of a device of CUDA or HIP.")
      .def(nb::init<std::size_t, const std::string&>())
      .def_prop_ro("address", &DeviceMemory::address)
      .def("write", &DeviceMemory::write)
      .def("read", &DeviceMemory::read)
      .def("tensor", &DeviceMemory::tensor);
  module.def("holds", &holds, "Whether an address is in the memory of a device.");
  module.def(
      "device_api", [](const std::string& name) { return gpu::device(name).api; },
      "The name of a device by its interface, such as cuda:0.");
  gpu::enable();  // a linker would leave out a library that nothing calls
  module.def("devices", &devices, "The facts of kith.Device, for each of them.");
  module.def("measure_kernels", &gpu::measure_kernels, "Begins to measure kernels, or ends it.");
  module.def("kernel_times", &kernel_times, "(kernel, launches, seconds), the slowest first.");
}

}  // namespace kith::python
