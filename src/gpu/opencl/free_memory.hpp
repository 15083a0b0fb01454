// The free memory of a device, which OpenCL itself does not report.
#pragma once

#include <cstddef>
#include <optional>

#include <kith/gpu.hpp>

#include "gpu/opencl/opencl.hpp"

namespace kith::gpu {

/// Functions of NVIDIA's management library, which is part of the driver; null without it. It needs
/// no context, which would itself take memory. Tests put their own functions there.
struct Nvml {
  struct Memory {
    unsigned long long total, free, used;
  };
  int (*device_by_address)(const char* address, void** device) = nullptr;
  int (*memory_info)(void* device, Memory* memory) = nullptr;
};
Nvml& nvml();

/// Bytes, if the driver reports them: NVIDIA's by its management library, AMD's by an extension.
std::optional<std::size_t> free_memory(cl_device_id id, const Device& device);

}  // namespace kith::gpu
