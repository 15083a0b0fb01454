#include "gpu/cuda/libraries.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <system_error>

namespace kith::gpu::cuda {
namespace {

namespace fs = std::filesystem;

constexpr int kOldest = 11, kNewest = 15;  // versions of NVRTC that are looked for

/// site-packages, if this code is in a package there; else the folder above that of the library.
fs::path folder_of_packages() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void*>(&environment), &info) || !info.dli_fname) return {};
  std::error_code error;
  const fs::path file = fs::absolute(info.dli_fname, error);
  return file.parent_path().parent_path();
}

std::vector<fs::path> library_folders() {
  std::vector<fs::path> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string root = environment(variable); !root.empty())
      for (const char* name : {"lib64", "lib"}) folders.push_back(fs::path(root) / name);
  for (const char* name : {"lib64", "lib"}) folders.push_back(fs::path("/usr/local/cuda") / name);
  // Wheels: nvidia/cuda_nvrtc/lib (CUDA 12), nvidia/cu13/lib.
  std::error_code error;
  std::vector<fs::path> wheels;
  for (fs::directory_iterator at(folder_of_packages() / "nvidia", error), end; !error && at != end;
       at.increment(error))
    wheels.push_back(at->path() / "lib");
  std::sort(wheels.begin(), wheels.end());
  folders.insert(folders.end(), wheels.begin(), wheels.end());
  return folders;
}

}  // namespace

std::string environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

Opened open_first(const std::vector<std::string>& files) {
  Opened opened;
  for (const std::string& file : files) {
    opened.handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened.handle) {
      opened.file = file;
      return opened;
    }
    const char* words = dlerror();
    opened.failure = words ? words : file;
  }
  return opened;
}

std::vector<std::string> nvrtc_files(int major) {
  const std::vector<fs::path> folders = library_folders();
  std::vector<int> majors;
  for (int version = std::min(major, kNewest); version >= kOldest; --version)
    majors.push_back(version);
  for (int version = std::max(major + 1, kOldest); version <= kNewest; ++version)
    majors.push_back(version);
  std::vector<std::string> files;
  for (const int version : majors) {
    // Since CUDA 11.3 the name 11.2 is that of all later versions of CUDA 11.
    const std::string name = "libnvrtc.so." + (version == 11 ? "11.2" : std::to_string(version));
    files.push_back(name);
    std::error_code error;
    for (const fs::path& folder : folders)
      if (fs::exists(folder / name, error)) files.push_back((folder / name).string());
  }
  return files;
}

}  // namespace kith::gpu::cuda
