// The devices of CUDA and of HIP.
#pragma once

#include <memory>
#include <vector>

#include "gpu/driver.hpp"

namespace kith::gpu::cuda {

struct Api;

/// Named cuda:0, cuda:1, ...; empty without a driver. Errors: unavailable, if there is one that
/// does not work.
std::vector<Listed> nvidia_devices();
/// Named hip:0, hip:1, ...
std::vector<Listed> amd_devices();

/// The device with this number among those of the driver.
std::unique_ptr<Driver> open_cuda(const Api& api, const Device& facts, int number);

}  // namespace kith::gpu::cuda
