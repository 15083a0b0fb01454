// A test that a device computes the same bits as the CPU, as drivers claim.
#pragma once

#include <string>

#include "gpu/device.hpp"

namespace kith::gpu {

/// The first operation whose result differs from the host's, in words; empty if there is none.
/// Arithmetic of float32 and, if the device has it, float64 (rounding of every operation, subnormal
/// numbers, division, fmod, ldexp, signs of zero), integers of 64 bits, and atomic operations.
std::string first_difference(OpenDevice& device);

}  // namespace kith::gpu
