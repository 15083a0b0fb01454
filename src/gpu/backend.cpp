// The library's interface to the core.
#include <map>
#include <memory>
#include <mutex>

#include <kith/gpu.hpp>

#include "base/fail.hpp"
#include "gpu/calls.hpp"
#include "gpu/catalogue.hpp"
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
    return made_for(floats_, open_device(call, device));
  }
  DeviceCalls<double>& double_calls(const char* call, const std::string& device) override {
    OpenDevice& open = open_device(call, device);
    if (!open.facts().has_float64)
      fail(ErrorCode::unavailable,
           "{}: {} ({}) has no float64 with subnormal numbers; use float32 points, or device = cpu",
           call, open.facts().name, open.facts().model);
    return made_for(doubles_, open);
  }
  DeviceSums* sums(const char* call, const std::string& device) override {
    OpenDevice& open = open_device(call, device);
    return open.facts().has_float64 ? &made_for(sums_, open) : nullptr;
  }
  std::string device_of(const char* call, std::size_t process) override {
    return device_of_process(call, process);
  }

 private:
  template <class Work>
  using Known = std::map<OpenDevice*, std::unique_ptr<Work>>;

  template <class Work>
  Work& made_for(Known<Work>& known, OpenDevice& device) {
    const std::lock_guard lock(mutex_);
    auto& work = known[&device];
    if (!work) work = std::make_unique<Work>(device);
    return *work;
  }

  std::mutex mutex_;
  Known<Calls<float>> floats_;
  Known<Calls<double>> doubles_;
  Known<MemberSums> sums_;
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
