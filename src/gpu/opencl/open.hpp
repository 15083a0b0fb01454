// The devices of OpenCL.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/driver.hpp"
#include "gpu/opencl/opencl.hpp"

namespace kith::gpu {

/// Real GPUs first, named opencl:0, opencl:1, ... Errors: unavailable, if there is no loader.
std::vector<Listed> opencl_devices();

/// Opens a device: a context and a queue.
std::unique_ptr<Driver> open_opencl(const Device& facts, cl_platform_id platform, cl_device_id id);

/// "0000:3b:00.0", or empty if no extension of the driver reports it.
std::string pci_address_of(cl_device_id id, const std::string& extensions);

/// nvidia-smi prints "GPU-" in front of it; empty if the driver does not report it.
std::string uuid_of(cl_device_id id, const std::string& extensions);

/// The answer of the device. Errors: unavailable.
template <class V>
V opencl_value(cl_device_id id, cl_device_info what) {
  V value{};
  check(opencl().clGetDeviceInfo(id, what, sizeof value, &value, nullptr), "asking for a device");
  return value;
}

}  // namespace kith::gpu
