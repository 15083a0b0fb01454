// The form of the names of devices.
#pragma once

#include <string>

namespace kith {

/// Whether a library with devices may know it: "gpu", "cuda:1", a PCI address, a UUID.
inline bool may_name_device(const std::string& name) {
  for (const char* kind : {"gpu", "cuda", "hip", "opencl"})
    if (name == kind || name.starts_with(std::string(kind) + ":")) return true;
  return name.find_first_of(":-") != std::string::npos;
}

}  // namespace kith
