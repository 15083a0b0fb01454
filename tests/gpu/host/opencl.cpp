// The functions of OpenCL that kith calls, over the kernels as C++: libOpenCL.so.1 for the tests
// (KITH_OPENCL names it). Buffers are memory of the host, with a pattern inside until they are
// written; a queue runs what it is given at once.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels.hpp"

using kith::host::Kernel;
using kith::host::Variant;

struct _cl_platform_id {};
struct _cl_device_id {};
struct _cl_context {};
struct _cl_command_queue {};
struct _cl_mem {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size;
};
struct _cl_program {
  Variant variant;
  std::string log;
};
struct _cl_kernel {
  const Kernel* kernel;
  std::vector<std::vector<std::byte>> arguments;
};

namespace {

_cl_platform_id the_platform;
_cl_device_id the_device;
_cl_context the_context;
_cl_command_queue the_queue;

cl_int answer(const void* from, std::size_t bytes, std::size_t room, void* to, std::size_t* size) {
  if (size) *size = bytes;
  if (to && room < bytes) return CL_INVALID_VALUE;
  if (to) std::memcpy(to, from, bytes);
  return CL_SUCCESS;
}
cl_int answer_text(const char* text, std::size_t room, void* to, std::size_t* size) {
  return answer(text, std::strlen(text) + 1, room, to, size);
}
template <class V>
cl_int answer_value(V value, std::size_t room, void* to, std::size_t* size) {
  return answer(&value, sizeof value, room, to, size);
}
template <class V>
V with_success(V value, cl_int* status) {
  if (status) *status = CL_SUCCESS;
  return value;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id* to, cl_uint* count) {
  if (count) *count = 1;
  if (to && room > 0) to[0] = &the_platform;
  return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id, cl_platform_info, std::size_t room, void* to,
                         std::size_t* size) {
  return answer_text("kernels as C++", room, to, size);
}

cl_int clGetDeviceIDs(cl_platform_id, cl_device_type, cl_uint room, cl_device_id* to,
                      cl_uint* count) {
  if (count) *count = 1;
  if (to && room > 0) to[0] = &the_device;
  return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id, cl_device_info what, std::size_t room, void* to,
                       std::size_t* size) {
  constexpr cl_device_fp_config kAll =
      CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  switch (what) {
    case CL_DEVICE_NAME: return answer_text("the host", room, to, size);
    case CL_DEVICE_VERSION: return answer_text("OpenCL 1.2 fibers", room, to, size);
    case CL_DEVICE_EXTENSIONS: return answer_text("cl_khr_fp64 cl_khr_device_uuid", room, to, size);
    case 0x106A: return answer_value(kith::host::kSharedCard, room, to, size);  // its UUID
    case CL_DEVICE_TYPE: return answer_value(cl_device_type{CL_DEVICE_TYPE_CPU}, room, to, size);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return answer_value(cl_ulong{1} << 33, room, to, size);
    case CL_DEVICE_MAX_COMPUTE_UNITS: return answer_value(cl_uint{1}, room, to, size);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: return answer_value(std::size_t{64}, room, to, size);
    case CL_DEVICE_SINGLE_FP_CONFIG:
    case CL_DEVICE_DOUBLE_FP_CONFIG: return answer_value(kAll, room, to, size);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_ENDIAN_LITTLE: return answer_value(cl_bool{CL_TRUE}, room, to, size);
    default: return CL_INVALID_VALUE;
  }
}

cl_context clCreateContext(const cl_context_properties*, cl_uint, const cl_device_id*,
                           void (*)(const char*, const void*, std::size_t, void*), void*,
                           cl_int* status) {
  return with_success(&the_context, status);
}
cl_int clReleaseContext(cl_context) { return CL_SUCCESS; }

cl_command_queue clCreateCommandQueue(cl_context, cl_device_id, cl_command_queue_properties,
                                      cl_int* status) {
  return with_success(&the_queue, status);
}
cl_int clReleaseCommandQueue(cl_command_queue) { return CL_SUCCESS; }

cl_mem clCreateBuffer(cl_context, cl_mem_flags, std::size_t bytes, void*, cl_int* status) {
  auto made = std::make_unique<_cl_mem>();
  made->bytes = std::make_unique_for_overwrite<std::byte[]>(bytes);
  made->size = bytes;
  std::memset(made->bytes.get(), 0xa5, bytes);
  return with_success(made.release(), status);
}
cl_int clReleaseMemObject(cl_mem memory) {
  delete memory;
  return CL_SUCCESS;
}

cl_int clEnqueueWriteBuffer(cl_command_queue, cl_mem to, cl_bool, std::size_t at, std::size_t bytes,
                            const void* from, cl_uint, const cl_event*, cl_event*) {
  if (at + bytes > to->size) return CL_INVALID_VALUE;
  std::memcpy(to->bytes.get() + at, from, bytes);
  return CL_SUCCESS;
}
cl_int clEnqueueReadBuffer(cl_command_queue, cl_mem from, cl_bool, std::size_t at,
                           std::size_t bytes, void* to, cl_uint, const cl_event*, cl_event*) {
  if (at + bytes > from->size) return CL_INVALID_VALUE;
  std::memcpy(to, from->bytes.get() + at, bytes);
  return CL_SUCCESS;
}
cl_int clEnqueueCopyBuffer(cl_command_queue, cl_mem from, cl_mem to, std::size_t at,
                           std::size_t to_at, std::size_t bytes, cl_uint, const cl_event*,
                           cl_event*) {
  std::memcpy(to->bytes.get() + to_at, from->bytes.get() + at, bytes);
  return CL_SUCCESS;
}

cl_program clCreateProgramWithSource(cl_context, cl_uint, const char**, const std::size_t*,
                                     cl_int* status) {
  return with_success(new _cl_program, status);
}

cl_int clBuildProgram(cl_program program, cl_uint, const cl_device_id*, const char* options,
                      void (*)(cl_program, void*), void*) {
  const std::string text = options;
  program->variant = kith::host::variant_of(text);
  if (kith::host::has(program->variant)) return CL_SUCCESS;
  program->log = "not compiled for this scalar type and dimension: " + text;
  return CL_BUILD_PROGRAM_FAILURE;
}
cl_int clGetProgramBuildInfo(cl_program program, cl_device_id, cl_program_build_info,
                             std::size_t room, void* to, std::size_t* size) {
  return answer_text(program->log.c_str(), room, to, size);
}
cl_int clReleaseProgram(cl_program program) {
  delete program;
  return CL_SUCCESS;
}

cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* status) {
  const Kernel* kernel = kith::host::find(program->variant, name);
  if (!kernel) {
    *status = CL_INVALID_KERNEL_NAME;
    return nullptr;
  }
  return with_success(
      new _cl_kernel{kernel, std::vector<std::vector<std::byte>>(kernel->sizes.size())}, status);
}
cl_int clReleaseKernel(cl_kernel kernel) {
  delete kernel;
  return CL_SUCCESS;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint number, std::size_t bytes, const void* value) {
  if (number >= kernel->arguments.size()) return CL_INVALID_ARG_INDEX;
  const std::size_t wanted = kernel->kernel->sizes[number];
  if (bytes != (wanted == 0 ? sizeof(cl_mem) : wanted)) return CL_INVALID_ARG_SIZE;
  const void* from = value;
  const void* pointer = nullptr;
  if (wanted == 0) {
    pointer = (*static_cast<const cl_mem*>(value))->bytes.get();
    from = &pointer;
  }
  kernel->arguments[number].assign(static_cast<const std::byte*>(from),
                                   static_cast<const std::byte*>(from) + bytes);
  return CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue, cl_kernel kernel, cl_uint, const std::size_t*,
                              const std::size_t* global, const std::size_t* local, cl_uint,
                              const cl_event*, cl_event* event) {
  if (event) *event = nullptr;
  if (*local != kith::host::kGroupSize) return CL_INVALID_WORK_GROUP_SIZE;
  std::vector<void*> arguments;
  for (auto& argument : kernel->arguments) {
    if (argument.empty()) return CL_INVALID_KERNEL_ARGS;
    arguments.push_back(argument.data());
  }
  try {
    kith::host::run(*kernel->kernel, *global / *local, arguments.data());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernels on the host: %s\n", error.what());
    return CL_INVALID_OPERATION;
  }
  return CL_SUCCESS;
}

cl_int clFinish(cl_command_queue) { return CL_SUCCESS; }

/// Nothing is measured.
cl_int clGetEventProfilingInfo(cl_event, cl_profiling_info, std::size_t, void*, std::size_t*) {
  return CL_PROFILING_INFO_NOT_AVAILABLE;
}
cl_int clReleaseEvent(cl_event) { return CL_SUCCESS; }

}  // extern "C"
#pragma GCC visibility pop
