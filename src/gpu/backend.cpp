// The library as the core sees it.
#include <map>
#include <memory>
#include <mutex>

#include <kith/gpu.hpp>

#include "base/fail.hpp"
#include "gpu/calls.hpp"
#include "gpu/packed_tree.hpp"

namespace kith::gpu {

template <class T>
std::shared_ptr<const DeviceTree> Calls<T>::build(const DeviceInput<T>& input, TreeData<T>& facts,
                                                  Workers& workers) {
  return build_tree<T>(device_, input, facts, workers);
}

namespace {

class Backend : public DeviceBackend {
 public:
  DeviceCalls<float>& float_calls(const char* call, const std::string& device) override {
    return calls_of(floats_, open_device(call, device));
  }
  DeviceCalls<double>& double_calls(const char* call, const std::string& device) override {
    OpenDevice& open = open_device(call, device);
    if (!open.facts().has_float64)
      fail(ErrorCode::unavailable,
           "{}: {} ({}) has no float64 with subnormal numbers; use float32 points, or device = cpu",
           call, open.facts().name, open.facts().model);
    return calls_of(doubles_, open);
  }

 private:
  template <class T>
  using Known = std::map<OpenDevice*, std::unique_ptr<Calls<T>>>;

  template <class T>
  DeviceCalls<T>& calls_of(Known<T>& known, OpenDevice& device) {
    const std::lock_guard lock(mutex_);
    auto& calls = known[&device];
    if (!calls) calls = std::make_unique<Calls<T>>(device);
    return *calls;
  }

  std::mutex mutex_;
  Known<float> floats_;
  Known<double> doubles_;
};

}  // namespace

void enable() noexcept {
  static Backend backend;
  set_device_backend(&backend);
}

namespace {
[[maybe_unused]] const bool is_enabled = (enable(), true);
}

}  // namespace kith::gpu
