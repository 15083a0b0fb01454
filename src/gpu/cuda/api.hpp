// The functions of the CUDA driver, and those of HIP that do the same: one table, filled from
// libcuda.so.1 or libamdhip64.so at run time. kith_gpu links nothing of them and needs no headers.
//
// The declarations are those of the documented interfaces. Handles are pointers in both; addresses
// of device memory are integers of 64 bits in CUDA and pointers in HIP, which are passed alike.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "gpu/driver.hpp"

namespace kith::gpu::cuda {

using Handle = void*;  ///< a context, module, function, stream or event
using Name = const char*;

/// use(member, type, name in CUDA, name in HIP); "" where there is none.
// clang-format off
#define KITH_CUDA_FUNCTIONS(use)                                                                  \
  use(init, int(unsigned), "cuInit", "hipInit")                                                   \
  use(driver_version, int(int*), "cuDriverGetVersion", "hipDriverGetVersion")                     \
  use(error_text, int(int, Name*), "cuGetErrorString", "hipDrvGetErrorString")                    \
  use(device_count, int(int*), "cuDeviceGetCount", "hipGetDeviceCount")                           \
  use(device, int(int*, int), "cuDeviceGet", "hipDeviceGet")                                      \
  use(device_name, int(char*, int, int), "cuDeviceGetName", "hipDeviceGetName")                   \
  use(total_memory, int(std::size_t*, int), "cuDeviceTotalMem_v2", "hipDeviceTotalMem")           \
  use(attribute, int(int*, int, int), "cuDeviceGetAttribute", "hipDeviceGetAttribute")            \
  use(pci_address, int(char*, int, int), "cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId")           \
  use(uuid, int(unsigned char*, int), "cuDeviceGetUuid", "hipDeviceGetUuid")                      \
  use(retain_context, int(Handle*, int), "cuDevicePrimaryCtxRetain", "")                          \
  use(push_context, int(Handle), "cuCtxPushCurrent_v2", "")                                       \
  use(pop_context, int(Handle*), "cuCtxPopCurrent_v2", "")                                        \
  use(current_device, int(int*), "", "hipGetDevice")                                              \
  use(use_device, int(int), "", "hipSetDevice")                                                   \
  use(make_stream, int(Handle*, unsigned), "cuStreamCreate", "hipStreamCreateWithFlags")          \
  use(wait_for_stream, int(Handle), "cuStreamSynchronize", "hipStreamSynchronize")                \
  use(allocate, int(Memory*, std::size_t), "cuMemAlloc_v2", "hipMalloc")                          \
  use(release, int(Memory), "cuMemFree_v2", "hipFree")                                            \
  use(allocate_pinned, int(void**, std::size_t, unsigned), "cuMemHostAlloc", "hipHostMalloc")     \
  use(memory_info, int(std::size_t*, std::size_t*), "cuMemGetInfo_v2", "hipMemGetInfo")           \
  use(write, int(Memory, const void*, std::size_t, Handle),                                       \
      "cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync")                                               \
  use(read, int(void*, Memory, std::size_t, Handle),                                              \
      "cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync")                                               \
  use(copy, int(Memory, Memory, std::size_t, Handle),                                             \
      "cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync")                                               \
  use(pointer, int(void*, int, Memory), "cuPointerGetAttribute", "hipPointerGetAttribute")        \
  use(wait_for_all, int(), "cuCtxSynchronize", "hipDeviceSynchronize")                            \
  use(load_module, int(Handle*, const void*), "cuModuleLoadData", "hipModuleLoadData")            \
  use(function, int(Handle*, Handle, Name), "cuModuleGetFunction", "hipModuleGetFunction")        \
  use(parameter, int(Handle, std::size_t, std::size_t*, std::size_t*), "cuFuncGetParamInfo", "")  \
  use(launch, int(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**), \
      "cuLaunchKernel", "hipModuleLaunchKernel")                                                  \
  use(make_event, int(Handle*, unsigned), "cuEventCreate", "hipEventCreateWithFlags")             \
  use(record_event, int(Handle, Handle), "cuEventRecord", "hipEventRecord")                       \
  use(wait_for_event, int(Handle), "cuEventSynchronize", "hipEventSynchronize")                   \
  use(elapsed, int(float*, Handle, Handle), "cuEventElapsedTime", "hipEventElapsedTime")          \
  use(drop_event, int(Handle), "cuEventDestroy_v2", "hipEventDestroy")

/// The runtime compilers: NVRTC and hipRTC.
#define KITH_NVRTC_FUNCTIONS(use)                                                                 \
  use(version, int(int*, int*), "nvrtcVersion", "hiprtcVersion")                                  \
  use(create, int(Handle*, Name, Name, int, const Name*, const Name*),                            \
      "nvrtcCreateProgram", "hiprtcCreateProgram")                                                \
  use(compile, int(Handle, int, const Name*), "nvrtcCompileProgram", "hiprtcCompileProgram")      \
  use(log_size, int(Handle, std::size_t*), "nvrtcGetProgramLogSize", "hiprtcGetProgramLogSize")   \
  use(log, int(Handle, char*), "nvrtcGetProgramLog", "hiprtcGetProgramLog")                       \
  use(code_size, int(Handle, std::size_t*), "nvrtcGetCUBINSize", "hiprtcGetCodeSize")             \
  use(code, int(Handle, char*), "nvrtcGetCUBIN", "hiprtcGetCode")                                 \
  use(ptx_size, int(Handle, std::size_t*), "nvrtcGetPTXSize", "")                                 \
  use(ptx, int(Handle, char*), "nvrtcGetPTX", "")                                                 \
  use(architecture_count, int(int*), "nvrtcGetNumSupportedArchs", "")                             \
  use(architectures, int(int*), "nvrtcGetSupportedArchs", "")                                     \
  use(destroy, int(Handle*), "nvrtcDestroyProgram", "hiprtcDestroyProgram")
// clang-format on

/// NVIDIA's or AMD's driver; null members have no name there.
struct Api {
  bool is_hip = false;
#define KITH_MEMBER(member, type, in_cuda, in_hip) std::add_pointer_t<type> member = nullptr;
  KITH_CUDA_FUNCTIONS(KITH_MEMBER)

  Name name() const { return is_hip ? "HIP" : "CUDA"; }
  /// Throws Error unless `status` is 0: DeviceMemoryError or unavailable.
  void check(int status, Name what) const;
  std::string text_of(int status) const;
};

struct CompilerApi {
  bool is_hip = false;
  std::string file;
  int major = 0, minor = 0;
  KITH_NVRTC_FUNCTIONS(KITH_MEMBER)
#undef KITH_MEMBER

  Name name() const { return is_hip ? "hipRTC" : "NVRTC"; }
};

/// Opened by the first caller: KITH_CUDA and KITH_HIP name other files than libcuda.so.1 and
/// libamdhip64.so. Null if there is no such library and no variable names one. Errors: unavailable.
const Api* nvidia_api();
const Api* amd_api();

/// `major`: the version of CUDA that the driver supports; compilers of that version come first.
/// KITH_NVRTC and KITH_HIPRTC name the file. Errors: unavailable.
const CompilerApi& nvidia_compiler(int major);
const CompilerApi& amd_compiler();

}  // namespace kith::gpu::cuda
