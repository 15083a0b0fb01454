// What a device may be called: by its number, or by what names it on every system.
#pragma once

#include <string>

#include <kith/gpu.hpp>

#include "gpu/opencl.hpp"

namespace kith::gpu {

/// "0000:3b:00.0", or empty if no extension of the driver reports it.
std::string pci_address_of(cl_device_id id, const std::string& extensions);

/// "GPU-" and this is what nvidia-smi prints; empty if the driver does not report it.
std::string uuid_of(cl_device_id id, const std::string& extensions);

/// Throws Error (invalid_argument) for what can be no name of any device.
void check_device_name(const char* call, const std::string& name);

/// "gpu" is "gpu:0".
bool is_name_of(const std::string& name, const Device& device);

}  // namespace kith::gpu
