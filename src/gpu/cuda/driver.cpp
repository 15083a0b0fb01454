// A device of CUDA or HIP: the primary context, which other libraries of the process share, and a
// separate stream.
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "base/fail.hpp"
#include "gpu/cuda/api.hpp"
#include "gpu/cuda/card.hpp"
#include "gpu/cuda/compiler.hpp"
#include "gpu/cuda/open.hpp"
#include "gpu/cuda/staging.hpp"

namespace kith::gpu::cuda {
namespace {

constexpr unsigned kNonBlocking = 1;  // with the default stream of other libraries

/// The device is current for the calling thread as long as this lives; then the one before it is
/// again.
class Entered {
 public:
  Entered(const Api& api, Handle context, int number) : api_(api) {
    if (api_.is_hip) {
      api_.check(api_.current_device(&before_), "asking for the device in use");
      api_.check(api_.use_device(number), "entering the device");
    } else {
      api_.check(api_.push_context(context), "entering the device");
    }
  }
  ~Entered() {
    Handle popped = nullptr;
    if (api_.is_hip)
      api_.use_device(before_);
    else
      api_.pop_context(&popped);
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  const Api& api_;
  int before_ = 0;
};

/// A compiled kernel and, where the driver reports them, the sizes of its arguments.
struct Function {
  Handle handle = nullptr;
  std::vector<std::size_t> sizes;
};

/// Devices stay open until the program ends: nothing is freed.
class CudaDriver : public Driver {
 public:
  CudaDriver(const Api& api, const Device& facts, int number)
      : api_(api), facts_(facts), number_(number), device_(card_number(api, number)) {
    if (!api_.is_hip) {
      capability_ = capability_of(api, device_);
      api_.check(api_.retain_context(&context_, device_), "opening a device");
    }
    const Entered entered = enter();
    api_.check(api_.make_stream(&stream_, kNonBlocking), "making a stream");
  }

  Memory allocate(std::size_t bytes) override {
    const Entered entered = enter();
    Memory memory = nullptr;
    api_.check(api_.allocate(&memory, bytes), "taking memory");
    return memory;
  }
  void release(Memory memory) noexcept override {
    try {
      const Entered entered = enter();
      api_.wait_for_stream(stream_);
      api_.release(memory);
    } catch (...) {  // the device is lost, and its memory with it
    }
  }

  void write(Memory to, std::size_t at, const void* from, std::size_t bytes) override {
    const Entered entered = enter();
    staging_.write(place(to, at), from, bytes, stream_);
  }
  void read(Memory from, std::size_t at, void* to, std::size_t bytes) override {
    const Entered entered = enter();
    staging_.read(to, place(from, at), bytes, stream_);
  }

  bool has(const void* array) const override {
    if (!api_.pointer) return false;
    constexpr int kTypeOfMemory = 2, kNumber = 9;  // attributes, in CUDA and in HIP
    constexpr unsigned kOnDevice = 2;
    const Entered entered = enter();
    unsigned type = 0;
    int device = 0;
    // Memory that only the host knows is an error here.
    if (api_.pointer(&type, kTypeOfMemory, const_cast<Memory>(array)) != 0 || type != kOnDevice ||
        api_.pointer(&device, kNumber, const_cast<Memory>(array)) != 0)
      return false;
    if (device != number_)
      fail(ErrorCode::unavailable,
           "gpu: an array is in the memory of {}:{}, and the call is for {}; name that device, or "
           "copy the array",
           api_.is_hip ? "hip" : "cuda", device, facts_.api);
    return true;
  }
  void copy(Memory to, const void* from, std::size_t bytes) override {
    const Entered entered = enter();
    api_.check(api_.copy(to, const_cast<Memory>(from), bytes, stream_), "copying on the device");
    wait("copying on the device");
  }
  void wait_for_others() override {
    const Entered entered = enter();
    api_.check(api_.wait_for_all(), "waiting for the device");
  }

  void launch(const Launch& launch) override {
    const Entered entered = enter();
    const Function& function = function_of(launch);
    std::vector<void*> arguments;
    for (const Argument& argument : launch.arguments)
      arguments.push_back(const_cast<void*>(argument.value));
    Measured measured{launch.kernel};
    if (measures_) begin(measured);
    api_.check(
        api_.launch(function.handle, static_cast<unsigned>(launch.groups), 1, 1,
                    static_cast<unsigned>(kGroupSize), 1, 1, 0, stream_, arguments.data(), nullptr),
        launch.kernel);
    if (measures_) end(measured);
  }
  void finish() override {
    const Entered entered = enter();
    wait("waiting for the device");
  }

  std::size_t largest_piece() const override { return facts_.memory; }
  std::optional<std::size_t> free_memory() const override {
    const Entered entered = enter();
    std::size_t free = 0, total = 0;
    if (api_.memory_info(&free, &total) != 0) return std::nullopt;
    return free;
  }

  void measure(bool is_measured) override { measures_ = is_measured; }

  void take_times(FunctionRef<void(const char*, double)> take) override {
    const Entered entered = enter();
    const std::lock_guard lock(mutex_);
    for (const Measured& launch : measured_) {
      float milliseconds = 0;
      api_.elapsed(&milliseconds, launch.begin, launch.end);
      take(launch.kernel, 1e-3 * static_cast<double>(milliseconds));
      api_.drop_event(launch.begin);
      api_.drop_event(launch.end);
    }
    measured_.clear();
  }

 private:
  struct Measured {
    const char* kernel;
    Handle begin = nullptr, end = nullptr;
  };

  Entered enter() const { return {api_, context_, number_}; }
  void wait(Name what) { api_.check(api_.wait_for_stream(stream_), what); }
  static Memory place(Memory memory, std::size_t at) {
    return static_cast<std::byte*>(memory) + at;
  }

  void begin(Measured& launch) {
    api_.check(api_.make_event(&launch.begin, 0), "making an event");
    api_.check(api_.make_event(&launch.end, 0), "making an event");
    api_.check(api_.record_event(launch.begin, stream_), "recording an event");
  }
  void end(const Measured& launch) {
    api_.check(api_.record_event(launch.end, stream_), "recording an event");
    const std::lock_guard lock(mutex_);
    measured_.push_back(launch);
  }

  /// Compiled by the first launch.
  const Function& function_of(const Launch& launch) {
    const std::lock_guard lock(mutex_);
    Function& function = functions_[{launch.program, launch.kernel}];
    if (!function.handle) {
      api_.check(api_.function(&function.handle, module_of(launch.program), launch.kernel),
                 launch.kernel);
      std::size_t at = 0, size = 0;
      for (std::size_t i = 0; api_.parameter && api_.parameter(function.handle, i, &at, &size) == 0;
           ++i)
        function.sizes.push_back(size);
    }
    if (!function.sizes.empty()) check_arguments(launch, function);
    return function;
  }

  static void check_arguments(const Launch& launch, const Function& function) {
    const std::size_t count = launch.arguments.size();
    for (std::size_t i = 0; i < std::max(count, function.sizes.size()); ++i)
      if (i >= count || i >= function.sizes.size() ||
          launch.arguments[i].bytes != function.sizes[i])
        fail(ErrorCode::internal, "gpu: argument {} of {} does not fit; please report it", i,
             launch.kernel);
  }

  Handle module_of(const ProgramKey& key) {
    Handle& module = modules_[key];
    if (module) return module;
    const CompilerApi& compiler = api_.is_hip ? amd_compiler() : nvidia_compiler(major());
    const std::string code = compiled(compiler, key, {facts_, capability_});
    if (const int status = api_.load_module(&module, code.data()))
      fail(ErrorCode::unavailable,
           "gpu: the driver of {} ({}, {}) refuses code of {} {}.{} ({} error {}); update the "
           "driver, or install an older {}",
           facts_.name, facts_.model, facts_.version, compiler.name(), compiler.major,
           compiler.minor, api_.name(), api_.text_of(status), compiler.name());
    return module;
  }

  /// The version of CUDA that the driver supports.
  int major() const {
    int version = 0;
    api_.check(api_.driver_version(&version), "asking for the driver's version");
    return version / 1000;
  }

  const Api& api_;
  Device facts_;
  int number_, device_, capability_ = 0;
  Handle context_ = nullptr, stream_ = nullptr;
  Staging staging_{api_};
  std::mutex mutex_;
  std::map<ProgramKey, Handle> modules_;
  std::map<std::pair<ProgramKey, std::string>, Function> functions_;
  std::atomic<bool> measures_{false};
  std::vector<Measured> measured_;
};

}  // namespace

std::unique_ptr<Driver> open_cuda(const Api& api, const Device& facts, int number) {
  return std::make_unique<CudaDriver>(api, facts, number);
}

}  // namespace kith::gpu::cuda
