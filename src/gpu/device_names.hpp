// The names of a device: its number, or an address that is the same on every system.
#pragma once

#include <array>
#include <string>

#include <kith/gpu.hpp>

namespace kith::gpu {

/// "8-4-4-4-12" digits.
std::string uuid_text(const std::array<unsigned char, 16>& bytes);

/// Throws Error (invalid_argument) for a name that no device can have.
void check_device_name(const char* call, const std::string& name);

/// "gpu" is "gpu:0".
bool is_name_of(const std::string& name, const Device& device);

}  // namespace kith::gpu
