#include "gpu/cuda/api.hpp"

#include <dlfcn.h>
#include <map>
#include <mutex>

#include "base/fail.hpp"
#include "gpu/cuda/libraries.hpp"

namespace kith::gpu::cuda {
namespace {

constexpr int kOutOfMemory = 2;
constexpr int kFirstLost = 700, kLastLost = 720;  // illegal addresses, time-outs, traps
constexpr int kTooManyResources = 701;

void* function_of(const Opened& library, Name name) {
  void* found = dlsym(library.handle, name);
  if (!found)
    fail(ErrorCode::unavailable, "gpu: {} has no function {}; install a newer driver", library.file,
         name);
  return found;
}

bool is_optional(const std::string& name) {
  return name == "cuFuncGetParamInfo" || name == "hipDrvGetErrorString" ||
         name == "hipPointerGetAttribute" || name == "hiprtcVersion" ||
         name == "nvrtcGetNumSupportedArchs" || name == "nvrtcGetSupportedArchs";
}

/// Puts the functions of a library into a table.
template <class Table>
struct Filler {
  const Opened& library;
  Table& table;

  template <class F>
  void operator()(F*& member, Name in_cuda, Name in_hip) const {
    const Name name = table.is_hip ? in_hip : in_cuda;
    if (*name == '\0') return;
    void* found = is_optional(name) ? dlsym(library.handle, name) : function_of(library, name);
    member = reinterpret_cast<F*>(found);
  }
};

Api api_of(const Opened& library, bool is_hip) {
  Api api{.is_hip = is_hip};
  const Filler<Api> put{library, api};
#define KITH_USE(member, type, in_cuda, in_hip) put(api.member, in_cuda, in_hip);
  KITH_CUDA_FUNCTIONS(KITH_USE)
  return api;
}

CompilerApi compiler_of(const Opened& library, bool is_hip) {
  CompilerApi api{.is_hip = is_hip, .file = library.file};
  const Filler<CompilerApi> put{library, api};
  KITH_NVRTC_FUNCTIONS(KITH_USE)
#undef KITH_USE
  if (api.version) api.version(&api.major, &api.minor);
  return api;
}

const Api* loaded(Name variable, const std::vector<std::string>& files, bool is_hip) {
  const std::string named = environment(variable);
  const Opened library = open_first(named.empty() ? files : std::vector<std::string>{named});
  if (!library.handle && named.empty()) return nullptr;
  if (!library.handle)
    fail(ErrorCode::unavailable, "gpu: {} = {} cannot be opened ({})", variable, named,
         library.failure);
  return new Api(api_of(library, is_hip));  // until the program ends
}

}  // namespace

std::string Api::text_of(int status) const {
  Name text = nullptr;
  if (!error_text || error_text(status, &text) != 0 || !text) text = "no description";
  return std::to_string(status) + ": " + text;
}

void Api::check(int status, Name what) const {
  if (status == 0) return;
  if (status == kOutOfMemory)
    fail_for_device_memory(
        "gpu: {} failed for lack of memory ({} error {}); use fewer points, or set a lower memory "
        "limit",
        what, name(), text_of(status));
  if (status >= kFirstLost && status < kLastLost && status != kTooManyResources)
    fail(ErrorCode::unavailable,
         "gpu: {} failed, and the device is lost for this process ({} error {}); start again, and "
         "look at the driver's log",
         what, name(), text_of(status));
  fail(ErrorCode::unavailable, "gpu: {} failed with {} error {}; look at the driver's log", what,
       name(), text_of(status));
}

const Api* nvidia_api() {
  static const Api* api = loaded("KITH_CUDA", {"libcuda.so.1"}, false);
  return api;
}

const Api* amd_api() {
  static const Api* api = loaded(
      "KITH_HIP",
      {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "/opt/rocm/lib/libamdhip64.so"},
      true);
  return api;
}

const CompilerApi& nvidia_compiler(int major) {
  static std::mutex mutex;
  static auto& known = *new std::map<int, CompilerApi>;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(major); found != known.end()) return found->second;
  const std::string named = environment("KITH_NVRTC");
  const Opened library =
      open_first(named.empty() ? nvrtc_files(major) : std::vector<std::string>{named});
  if (!library.handle)
    fail(ErrorCode::unavailable,
         "gpu: CUDA's compiler cannot be opened ({}); install libnvrtc.so.{} (in Python: pip "
         "install nvidia-cuda-nvrtc-cu{}), or name the file with KITH_NVRTC",
         library.failure, major, major);
  return known.emplace(major, compiler_of(library, false)).first->second;
}

const CompilerApi& amd_compiler() {
  static const CompilerApi api = [] {
    const std::string named = environment("KITH_HIPRTC");
    const Opened library = open_first(
        named.empty() ? std::vector<std::string>{"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6",
                                                 "/opt/rocm/lib/libhiprtc.so"}
                      : std::vector<std::string>{named});
    if (!library.handle)
      fail(ErrorCode::unavailable,
           "gpu: HIP's compiler cannot be opened ({}); install ROCm's libhiprtc.so, or name the "
           "file with KITH_HIPRTC",
           library.failure);
    return compiler_of(library, true);
  }();
  return api;
}

}  // namespace kith::gpu::cuda
