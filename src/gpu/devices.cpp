// All devices, by any interface: their list, their names, and the open ones.
#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>

#include <kith/gpu.hpp>

#include "base/fail.hpp"
#include "gpu/cuda/open.hpp"
#include "gpu/device.hpp"
#include "gpu/device_names.hpp"
#include "gpu/opencl/open.hpp"
#include "gpu/self_test.hpp"
#include "parallel/public_call.hpp"

namespace kith::gpu {
namespace {

/// The devices of all interfaces, and why there are none of some.
struct Found {
  std::vector<Listed> devices;
  std::string reasons;
};

std::string without_prefix(std::string_view message) {
  constexpr std::string_view kPrefix = "gpu: ";
  return std::string(message.starts_with(kPrefix) ? message.substr(kPrefix.size()) : message);
}

void add(Found& found, std::vector<Listed> (*list)()) {
  try {
    for (Listed& device : list()) found.devices.push_back(std::move(device));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unavailable) throw;
    found.reasons += (found.reasons.empty() ? "" : "; ") + without_prefix(error.what());
  }
}

/// A card that CUDA or HIP has as well gets no number from OpenCL.
bool is_known(const Device& one, const std::vector<Listed>& devices) {
  if (!one.api.starts_with("opencl:")) return false;
  return std::any_of(devices.begin(), devices.end(), [&](const Listed& listed) {
    const Device& other = listed.facts;
    return !other.api.starts_with("opencl:") &&
           ((!one.pci_address.empty() && one.pci_address == other.pci_address) ||
            (!one.uuid.empty() && one.uuid == other.uuid));
  });
}

/// CUDA's, then HIP's, then OpenCL's.
Found find_devices() {
  Found found;
  add(found, &cuda::nvidia_devices);
  add(found, &cuda::amd_devices);
  add(found, &opencl_devices);
  std::size_t number = 0;
  for (Listed& listed : found.devices) {
    Device& facts = listed.facts;
    facts.name = is_known(facts, found.devices) ? facts.api : "gpu:" + std::to_string(number++);
  }
  return found;
}

/// "gpu:0 (GeForce), gpu:1 (Arc)".
std::string names_of(const std::vector<Listed>& all) {
  std::string names;
  for (const Listed& device : all)
    names += (names.empty() ? "" : ", ") + device.facts.name + " (" + device.facts.model + ")";
  return names;
}

[[noreturn]] void fail_without_devices(const char* call, const std::string& reasons) {
  if (!reasons.empty()) fail(ErrorCode::unavailable, "gpu: {}", reasons);
  fail(ErrorCode::unavailable,
       "{}: no device of CUDA, HIP or OpenCL on this machine; install the driver of one, or "
       "pocl-opencl-icd, which runs on the CPU",
       call);
}

/// At least one.
Found find_some(const char* call) {
  Found found = find_devices();
  if (found.devices.empty()) fail_without_devices(call, found.reasons);
  return found;
}

}  // namespace

std::vector<Device> devices() {
  return public_call("gpu", [&] {
    Found found = find_devices();
    if (found.devices.empty() && !found.reasons.empty()) fail_without_devices("gpu", found.reasons);
    std::vector<Device> facts;
    for (Listed& device : found.devices) facts.push_back(std::move(device.facts));
    return facts;
  });
}

namespace {

/// Opened and tested.
std::unique_ptr<OpenDevice> tested_device(const char* call, const Listed& device) {
  std::string refusal = device.facts.refusal;
  std::unique_ptr<OpenDevice> made;
  if (refusal.empty()) {
    made = std::make_unique<OpenDevice>(device.facts, device.open(device.facts));
    refusal = first_difference(*made);
  }
  if (!refusal.empty())
    fail(ErrorCode::unavailable, "{}: {} ({}) cannot be used: {}", call, device.facts.name,
         device.facts.model, refusal);
  return made;
}

}  // namespace

OpenDevice& open_device(const char* call, const std::string& name) {
  static std::mutex mutex;
  static auto& open = *new std::map<std::string, std::unique_ptr<OpenDevice>>;
  static auto& by_name = *new std::map<std::string, OpenDevice*>;
  check_device_name(call, name);
  const std::lock_guard lock(mutex);
  if (const auto known = by_name.find(name); known != by_name.end()) return *known->second;
  const Found found = find_some(call);
  const std::vector<Listed>& all = found.devices;
  const auto device = std::find_if(
      all.begin(), all.end(), [&](const Listed& listed) { return is_name_of(name, listed.facts); });
  if (device == all.end())
    fail(ErrorCode::unavailable, "{}: device = {}; the devices here are {}{}{}", call, name,
         names_of(all), found.reasons.empty() ? "" : "; ", found.reasons);
  const std::string& key = device->facts.api;
  if (!open.contains(key)) open.emplace(key, tested_device(call, *device));
  OpenDevice& made = *open.at(key);
  by_name.emplace(name, &made);
  return made;
}

Device device(const std::string& name) {
  return public_call("gpu", [&] { return open_device("gpu", name).facts(); });
}

std::string device_of_process(const char* call, std::size_t process) {
  std::vector<std::string> gpus, all;
  for (const auto& [facts, open] : find_some(call).devices)
    if (facts.name.starts_with("gpu:")) {
      all.push_back(facts.name);
      if (facts.is_gpu) gpus.push_back(facts.name);
    }
  const std::vector<std::string>& used = gpus.empty() ? all : gpus;
  return used[process % used.size()];
}

std::shared_ptr<void> allocate(std::size_t bytes, const std::string& device) {
  return public_call("gpu", [&]() -> std::shared_ptr<void> {
    OpenDevice& open = open_device("gpu", device);
    if (open.facts().api.starts_with("opencl:"))
      fail(ErrorCode::unavailable,
           "gpu: memory of {} has no address in OpenCL; use a device of CUDA or HIP",
           open.facts().name);
    Driver& driver = open.driver();
    return {driver.allocate(std::max(bytes, std::size_t{1})),
            [&driver](void* memory) { driver.release(memory); }};
  });
}

bool holds(const void* memory, const std::string& device) {
  return public_call("gpu", [&] { return open_device("gpu", device).has(memory); });
}

void copy_to_device(void* to, const void* from, std::size_t bytes, const std::string& device) {
  public_call("gpu", [&] {
    if (bytes > 0) open_device("gpu", device).driver().write(to, 0, from, bytes);
  });
}

void copy_to_host(void* to, const void* from, std::size_t bytes, const std::string& device) {
  public_call("gpu", [&] {
    OpenDevice& open = open_device("gpu", device);
    open.wait_for_others();
    if (bytes > 0) open.driver().read(const_cast<void*>(from), 0, to, bytes);
  });
}

void measure_kernels(bool is_measured, const std::string& device) {
  public_call("gpu", [&] { open_device("gpu", device).measure_kernels(is_measured); });
}

std::vector<KernelTime> kernel_times(const std::string& device) {
  return public_call("gpu", [&] { return open_device("gpu", device).kernel_times(); });
}

Traffic traffic(const std::string& device) {
  return public_call("gpu", [&] { return open_device("gpu", device).traffic(); });
}

void set_memory_limit(std::size_t bytes, const std::string& device) {
  public_call("gpu", [&] { open_device("gpu", device).set_memory_limit(bytes); });
}

}  // namespace kith::gpu
