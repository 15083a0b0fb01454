#include "gpu/opencl/opencl.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <string>

#include "base/fail.hpp"

namespace kith::gpu {
namespace {

std::string library_name() {
  const char* name = std::getenv("KITH_OPENCL");
  return name && *name ? name : "libOpenCL.so.1";
}

void* function(void* library, const std::string& file, const char* name) {
  void* found = dlsym(library, name);
  if (!found)
    fail(ErrorCode::unavailable, "gpu: {} has no function {}; install a newer OpenCL loader", file,
         name);
  return found;
}

OpenCl loaded() {
  const std::string file = library_name();
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    fail(ErrorCode::unavailable,
         "gpu: the OpenCL loader cannot be opened ({}); install libOpenCL.so.1 (Debian: "
         "ocl-icd-libopencl1) and the driver of a device",
         reason ? reason : file.c_str());
  }
  OpenCl table;
#define KITH_USE(name) \
  table.name = reinterpret_cast<decltype(table.name)>(function(library, file, #name));
  KITH_OPENCL_FUNCTIONS(KITH_USE)
#undef KITH_USE
  return table;
}

}  // namespace

OpenCl& opencl() {
  static OpenCl table = loaded();  // an exception leaves it for the next caller to try again
  return table;
}

void check(cl_int status, const char* what) {
  switch (status) {
    case CL_SUCCESS: return;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
      fail_for_device_memory(
          "gpu: {} failed for lack of memory (OpenCL error {}); use fewer points, or set a lower "
          "memory limit",
          what, status);
    case CL_DEVICE_NOT_AVAILABLE:
      fail(ErrorCode::unavailable,
           "gpu: {} failed, the device is lost (OpenCL error {}); look at the driver's log", what,
           status);
    default:
      fail(ErrorCode::unavailable, "gpu: {} failed with OpenCL error {}; look at the driver's log",
           what, status);
  }
}

}  // namespace kith::gpu
