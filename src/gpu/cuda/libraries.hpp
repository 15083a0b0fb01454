// Shared libraries that are opened at run time, and where they may be.
#pragma once

#include <string>
#include <vector>

namespace kith::gpu::cuda {

/// The value of a variable of the environment; empty if there is none.
std::string environment(const char* variable);

/// The handle of the first of these files that can be opened, and its name; null if there is none,
/// with the words of the last failure.
struct Opened {
  void* handle = nullptr;
  std::string file, failure;
};
Opened open_first(const std::vector<std::string>& files);

/// The files of NVRTC, the best first: of the CUDA version `major`, of older ones, then of newer
/// ones; as the system finds them, in the toolkit, and in the wheels beside the Python package.
std::vector<std::string> nvrtc_files(int major);

}  // namespace kith::gpu::cuda
