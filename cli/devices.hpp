// The devices of kith_gpu: devices.cpp, or no_devices.cpp where that library is not built.
#pragma once

#include <string>
#include <vector>

#include <kith/gpu.hpp>

namespace kith::cli {

/// Throws Error (unavailable) if there is no OpenCL here, or kith_gpu was not built.
std::vector<gpu::Device> list_devices();

/// For ranks, each of which opens its own when it needs it.
void enable_devices();

/// Opens the device, better now than after the points were read. Throws Error: unavailable, or
/// invalid_argument for a name that no device has.
gpu::Device open_device(const std::string& name);

}  // namespace kith::cli
