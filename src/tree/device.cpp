#include "tree/device.hpp"

#include <atomic>

#include "base/fail.hpp"
#include "parallel/device_name.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

std::atomic<DeviceBackend*>& backend() {
  static std::atomic<DeviceBackend*> registered{nullptr};
  return registered;
}

DeviceBackend& backend_for(const char* call, const std::string& device) {
  DeviceBackend* found = backend().load(std::memory_order_acquire);
  if (!found && !may_name_device(device)) refuse_device(call, device);
  if (!found)
    fail(ErrorCode::unavailable,
         "{}: device = {} without kith_gpu; link kith::gpu and call kith::gpu::enable()", call,
         device);
  return *found;
}

}  // namespace

void set_device_backend(DeviceBackend* registered) noexcept {
  backend().store(registered, std::memory_order_release);
}

template <>
KITH_SHARED DeviceCalls<float>& device_calls(const char* call, const Execution& execution) {
  return backend_for(call, execution.device).float_calls(call, execution.device);
}
template <>
KITH_SHARED DeviceCalls<double>& device_calls(const char* call, const Execution& execution) {
  return backend_for(call, execution.device).double_calls(call, execution.device);
}

std::string device_of_process(const char* call, const std::string& device, std::size_t process) {
  return device == "gpu" ? backend_for(call, device).device_of(call, process) : device;
}

DeviceSums* sums_of_device(const char* call, const Execution& execution) {
  if (is_cpu(execution)) return nullptr;
  return backend_for(call, execution.device).sums(call, execution.device);
}

void AnyTree::Impl::fetch() const {
  std::call_once(fetched, [&] { origin->copy_to(*this); });
}

}  // namespace kith
