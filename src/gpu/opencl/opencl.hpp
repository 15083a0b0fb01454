// The functions of OpenCL, found in libOpenCL.so.1 at run time: kith_gpu links nothing of it.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "gpu/driver.hpp"

#define KITH_OPENCL_FUNCTIONS(use)                                                              \
  use(clGetPlatformIDs) use(clGetPlatformInfo) use(clGetDeviceIDs) use(clGetDeviceInfo)         \
      use(clCreateContext) use(clReleaseContext) use(clCreateCommandQueue)                      \
          use(clReleaseCommandQueue) use(clCreateBuffer) use(clReleaseMemObject)                \
              use(clEnqueueWriteBuffer) use(clEnqueueReadBuffer) use(clEnqueueCopyBuffer)       \
                  use(clCreateProgramWithSource) use(clBuildProgram) use(clGetProgramBuildInfo) \
                      use(clReleaseProgram) use(clCreateKernel) use(clReleaseKernel)            \
                          use(clSetKernelArg) use(clEnqueueNDRangeKernel) use(clFinish)         \
                              use(clGetEventProfilingInfo) use(clReleaseEvent)

namespace kith::gpu {

struct OpenCl {
#define KITH_USE(name) decltype(&::name) name = nullptr;
  KITH_OPENCL_FUNCTIONS(KITH_USE)
#undef KITH_USE
};

/// Opened by the first caller; KITH_OPENCL names another file than libOpenCL.so.1. Errors:
/// unavailable. The table may be changed by tests, which put failing functions there.
OpenCl& opencl();

/// Throws Error unless `status` is CL_SUCCESS: DeviceMemoryError or unavailable.
void check(cl_int status, const char* what);

}  // namespace kith::gpu
