// The functions of libcuda, NVRTC, HIP and hipRTC that kith calls, over the kernels as C++: the
// library for KITH_CUDA, KITH_NVRTC, KITH_HIP and KITH_HIPRTC.
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "faked_driver.hpp"

namespace kith::host {
namespace {

FakedDriver& driver(bool is_hip) {
  static auto& cuda = *new FakedDriver(false);
  static auto& hip = *new FakedDriver(true);
  return is_hip ? hip : cuda;
}

struct Program {
  std::string options, log;
};

constexpr int kCompilation = 6;

/// An option that is missing: what would change bits without an error is one here.
std::string complaint(const std::string& options, bool is_hip) {
  const auto needs = [&](const char* option) {
    return std::string(options.find(option) == std::string::npos ? option : "");
  };
  if (is_hip) return needs("-ffp-contract=off");
  for (const char* option : {"--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true",
                             "--gpu-architecture="})
    if (const std::string words = needs(option); !words.empty()) return words;
  return "";
}

int create(Handle* program, const char* text, bool is_hip) {
  if (const int status = injected("create")) return status;
  const bool is_kernel = std::strstr(text, "KERNEL void") != nullptr;
  *program = new Program{is_hip ? "hip code" : "cuda code", ""};
  return is_kernel ? 0 : kCompilation;
}

int compile(Handle handle, int count, const char* const* options, bool is_hip) {
  auto& program = *static_cast<Program*>(handle);
  for (int i = 0; i < count; ++i) program.options.append(" ").append(options[i]);
  program.log = complaint(program.options, is_hip);
  if (!program.log.empty()) program.log.append(" is missing");
  if (program.log.empty() && !has(variant_of(program.options)))
    program.log = "not compiled for this scalar type and dimension: " + program.options;
  const int status = injected("compile");
  if (status) program.log = "an injected error";
  return status ? status : program.log.empty() ? 0 : kCompilation;
}

int size_of(const std::string& text, std::size_t* size) {
  *size = text.size() + 1;
  return 0;
}
int copy(const std::string& text, char* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return 0;
}
int destroy(Handle* program) {
  delete static_cast<Program*>(*program);
  *program = nullptr;
  return 0;
}

/// "75,80,90"
std::vector<int> architectures() {
  const char* text = std::getenv("KITH_FAKE_ARCHITECTURES");
  std::istringstream list(text ? text : "75,80,90");
  std::vector<int> found;
  for (std::string one; std::getline(list, one, ',');) found.push_back(std::stoi(one));
  return found;
}

}  // namespace
}  // namespace kith::host

using kith::host::driver;
using kith::host::Handle;
using kith::host::Program;

#pragma GCC visibility push(default)
extern "C" {

// A function of both, with its parameters and its arguments.
#define KITH_BOTH(in_cuda, in_hip, member, parameters, arguments)   \
  int in_cuda parameters { return driver(false).member arguments; } \
  int in_hip parameters { return driver(true).member arguments; }

KITH_BOTH(cuInit, hipInit, init, (unsigned flags), (flags))
KITH_BOTH(cuDriverGetVersion, hipDriverGetVersion, driver_version, (int* v), (v))
KITH_BOTH(cuGetErrorString, hipDrvGetErrorString, error_text, (int s, const char** t), (s, t))
KITH_BOTH(cuDeviceGetCount, hipGetDeviceCount, device_count, (int* n), (n))
KITH_BOTH(cuDeviceGet, hipDeviceGet, device, (int* d, int n), (d, n))
KITH_BOTH(cuDeviceGetName, hipDeviceGetName, device_name, (char* t, int n, int d), (t, n, d))
KITH_BOTH(cuDeviceTotalMem_v2, hipDeviceTotalMem, total_memory, (std::size_t * n, int d), (n, d))
KITH_BOTH(cuDeviceGetAttribute, hipDeviceGetAttribute, attribute, (int* v, int a, int d), (v, a, d))
KITH_BOTH(cuDeviceGetPCIBusId, hipDeviceGetPCIBusId, pci_address, (char* t, int n, int d),
          (t, n, d))
KITH_BOTH(cuDeviceGetUuid, hipDeviceGetUuid, uuid, (unsigned char* u, int d), (u, d))
KITH_BOTH(cuStreamCreate, hipStreamCreateWithFlags, make_stream, (Handle * s, unsigned f), (s, f))
KITH_BOTH(cuStreamSynchronize, hipStreamSynchronize, wait_for_stream, (Handle s), (s))
KITH_BOTH(cuEventCreate, hipEventCreateWithFlags, make_event, (Handle * e, unsigned f), (e, f))
KITH_BOTH(cuEventRecord, hipEventRecord, record_event, (Handle e, Handle s), (e, s))
KITH_BOTH(cuEventSynchronize, hipEventSynchronize, wait_for_event, (Handle e), (e))
KITH_BOTH(cuEventElapsedTime, hipEventElapsedTime, elapsed, (float* t, Handle a, Handle b),
          (t, a, b))
KITH_BOTH(cuEventDestroy_v2, hipEventDestroy, drop_event, (Handle e), (e))
KITH_BOTH(cuMemAlloc_v2, hipMalloc, allocate, (void** m, std::size_t n), (m, n))
KITH_BOTH(cuMemFree_v2, hipFree, release, (void* m), (m))
KITH_BOTH(cuMemHostAlloc, hipHostMalloc, allocate_pinned, (void** m, std::size_t n, unsigned f),
          (m, n, f))
KITH_BOTH(cuMemGetInfo_v2, hipMemGetInfo, memory_info, (std::size_t * f, std::size_t* t), (f, t))
KITH_BOTH(cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync, write,
          (void* to, const void* from, std::size_t n, Handle s), (to, from, n, s))
KITH_BOTH(cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync, read,
          (void* to, void* from, std::size_t n, Handle s), (to, from, n, s))
KITH_BOTH(cuMemcpyDtoDAsync_v2, hipMemcpyDtoDAsync, copy,
          (void* to, void* from, std::size_t n, Handle s), (to, from, n, s))
KITH_BOTH(cuPointerGetAttribute, hipPointerGetAttribute, pointer, (void* v, int a, void* p),
          (v, a, p))
KITH_BOTH(cuCtxSynchronize, hipDeviceSynchronize, wait_for_all, (), ())
KITH_BOTH(cuModuleLoadData, hipModuleLoadData, load_module, (Handle * m, const void* i), (m, i))
KITH_BOTH(cuModuleGetFunction, hipModuleGetFunction, function,
          (Handle * f, Handle m, const char* n), (f, m, n))
KITH_BOTH(cuLaunchKernel, hipModuleLaunchKernel, launch,
          (Handle f, unsigned x, unsigned y, unsigned z, unsigned i, unsigned j, unsigned k,
           unsigned n, Handle s, void** a, void** e),
          (f, x, y, z, i, j, k, n, s, a, e))

int cuDevicePrimaryCtxRetain(Handle* c, int d) { return driver(false).retain_context(c, d); }
int cuCtxPushCurrent_v2(Handle c) { return driver(false).push_context(c); }
int cuCtxPopCurrent_v2(Handle* c) { return driver(false).pop_context(c); }
int cuCtxGetCurrent(Handle* c) { return driver(false).current_context(c); }
int cuFuncGetParamInfo(Handle f, std::size_t i, std::size_t* at, std::size_t* size) {
  return driver(false).parameter(f, i, at, size);
}
int hipGetDevice(int* d) { return driver(true).current_device(d); }
int hipSetDevice(int d) { return driver(true).use_device(d); }

// ---- compilers

#define KITH_COMPILER(prefix, is_hip)                                                       \
  int prefix##Version(int* major, int* minor) {                                             \
    *major = 13;                                                                            \
    *minor = 0;                                                                             \
    return 0;                                                                               \
  }                                                                                         \
  int prefix##CreateProgram(Handle* p, const char* t, const char*, int, const char* const*, \
                            const char* const*) {                                           \
    return kith::host::create(p, t, is_hip);                                                \
  }                                                                                         \
  int prefix##CompileProgram(Handle p, int n, const char* const* o) {                       \
    return kith::host::compile(p, n, o, is_hip);                                            \
  }                                                                                         \
  int prefix##GetProgramLogSize(Handle p, std::size_t* n) {                                 \
    return kith::host::size_of(static_cast<Program*>(p)->log, n);                           \
  }                                                                                         \
  int prefix##GetProgramLog(Handle p, char* to) {                                           \
    return kith::host::copy(static_cast<Program*>(p)->log, to);                             \
  }                                                                                         \
  int prefix##DestroyProgram(Handle* p) { return kith::host::destroy(p); }

KITH_COMPILER(nvrtc, false)
KITH_COMPILER(hiprtc, true)

#define KITH_CODE(get_size, get)                                      \
  int get_size(Handle p, std::size_t* n) {                            \
    return kith::host::size_of(static_cast<Program*>(p)->options, n); \
  }                                                                   \
  int get(Handle p, char* to) { return kith::host::copy(static_cast<Program*>(p)->options, to); }

KITH_CODE(nvrtcGetCUBINSize, nvrtcGetCUBIN)
KITH_CODE(nvrtcGetPTXSize, nvrtcGetPTX)
KITH_CODE(hiprtcGetCodeSize, hiprtcGetCode)

int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(kith::host::architectures().size());
  return 0;
}
int nvrtcGetSupportedArchs(int* list) {
  for (const int one : kith::host::architectures()) *list++ = one;
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
