// Which devices there are, and which of them keep the numerical contract.
#include <algorithm>
#include <map>
#include <mutex>

#include <kith/gpu.hpp>

#include "base/fail.hpp"
#include "gpu/device.hpp"
#include "gpu/device_names.hpp"
#include "gpu/self_test.hpp"
#include "parallel/public_call.hpp"

namespace kith::gpu {
namespace {

struct Listed {
  Device facts;
  cl_platform_id platform;
  cl_device_id id;
};

/// Texts of OpenCL end in a zero.
std::string without_end(std::string text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

std::string platform_text(cl_platform_id id, cl_platform_info what) {
  std::size_t size = 0;
  check(opencl().clGetPlatformInfo(id, what, 0, nullptr, &size), "asking for a platform");
  std::string text(size, '\0');
  check(opencl().clGetPlatformInfo(id, what, size, text.data(), nullptr), "asking for a platform");
  return without_end(std::move(text));
}

std::string device_text(cl_device_id id, cl_device_info what) {
  std::size_t size = 0;
  check(opencl().clGetDeviceInfo(id, what, 0, nullptr, &size), "asking for a device");
  std::string text(size, '\0');
  check(opencl().clGetDeviceInfo(id, what, size, text.data(), nullptr), "asking for a device");
  return without_end(std::move(text));
}

template <class V>
V value_of(cl_device_id id, cl_device_info what) {
  V value{};
  check(opencl().clGetDeviceInfo(id, what, sizeof value, &value, nullptr), "asking for a device");
  return value;
}

/// Results must have the bits of the CPU's.
std::string refusal_of(cl_device_id id, bool has_float64) {
  const auto single = value_of<cl_device_fp_config>(id, CL_DEVICE_SINGLE_FP_CONFIG);
  if (!value_of<cl_bool>(id, CL_DEVICE_AVAILABLE))
    return "its driver says that it is not available";
  if (!value_of<cl_bool>(id, CL_DEVICE_COMPILER_AVAILABLE)) return "it has no compiler";
  if (!value_of<cl_bool>(id, CL_DEVICE_ENDIAN_LITTLE)) return "its bytes are in the other order";
  if (!(single & CL_FP_ROUND_TO_NEAREST)) return "it does not round to nearest";
  if (!(single & CL_FP_DENORM)) return "it has no subnormal numbers";
  if (!(single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) && !has_float64)
    return "it has neither exact division nor float64";
  if (value_of<std::size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE) < kGroupSize)
    return "its groups have fewer than 64 work-items";
  return "";
}

Listed listed(cl_platform_id platform, cl_device_id id) {
  Device device;
  device.model = device_text(id, CL_DEVICE_NAME);
  device.platform = platform_text(platform, CL_PLATFORM_NAME);
  device.version = device_text(id, CL_DEVICE_VERSION);
  device.is_gpu = (value_of<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
  device.memory = value_of<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  device.compute_units = static_cast<int>(value_of<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS));
  const std::string extensions = device_text(id, CL_DEVICE_EXTENSIONS);
  device.pci_address = pci_address_of(id, extensions);
  device.uuid = uuid_of(id, extensions);
  device.has_float64 =
      extensions.find("cl_khr_fp64") != std::string::npos &&
      (value_of<cl_device_fp_config>(id, CL_DEVICE_DOUBLE_FP_CONFIG) & CL_FP_DENORM) != 0;
  device.refusal = refusal_of(id, device.has_float64);
  return {std::move(device), platform, id};
}

std::vector<cl_platform_id> platforms() {
  cl_uint count = 0;
  // Loaders without a driver answer with an error of an extension.
  if (opencl().clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> found(count);
  if (count > 0)
    check(opencl().clGetPlatformIDs(count, found.data(), nullptr), "listing platforms");
  return found;
}

std::vector<Listed> list() {
  std::vector<Listed> all;
  for (cl_platform_id platform : platforms()) {
    cl_uint count = 0;
    if (opencl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS)
      continue;
    std::vector<cl_device_id> ids(count);
    check(opencl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr),
          "listing devices");
    for (cl_device_id id : ids) all.push_back(listed(platform, id));
  }
  std::stable_sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) {
    return a.facts.is_gpu && !b.facts.is_gpu;
  });
  for (std::size_t i = 0; i < all.size(); ++i) all[i].facts.name = "gpu:" + std::to_string(i);
  return all;
}

/// "gpu:0 (GeForce), gpu:1 (Arc)".
std::string names_of(const std::vector<Listed>& all) {
  std::string names;
  for (const Listed& device : all)
    names += (names.empty() ? "" : ", ") + device.facts.name + " (" + device.facts.model + ")";
  return names;
}

[[noreturn]] void fail_without_devices(const char* call) {
  fail(ErrorCode::unavailable,
       "{}: no OpenCL device on this machine; install the driver of one, or pocl-opencl-icd, which "
       "runs on the CPU",
       call);
}

}  // namespace

std::vector<Device> devices() {
  return public_call("gpu", [&] {
    std::vector<Device> found;
    for (Listed& device : list()) found.push_back(std::move(device.facts));
    return found;
  });
}

namespace {

/// Opened and tested.
std::unique_ptr<OpenDevice> tested_device(const char* call, const Listed& device) {
  std::string refusal = device.facts.refusal;
  std::unique_ptr<OpenDevice> made;
  if (refusal.empty()) {
    made = std::make_unique<OpenDevice>(device.facts, device.platform, device.id);
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
  if (const auto found = by_name.find(name); found != by_name.end()) return *found->second;
  const std::vector<Listed> all = list();
  if (all.empty()) fail_without_devices(call);
  const auto device = std::find_if(
      all.begin(), all.end(), [&](const Listed& listed) { return is_name_of(name, listed.facts); });
  if (device == all.end())
    fail(ErrorCode::unavailable, "{}: device = {}; the devices here are {}", call, name,
         names_of(all));
  const auto known = open.find(device->facts.name);
  if (known == open.end()) open.emplace(device->facts.name, tested_device(call, *device));
  OpenDevice& made = *open.at(device->facts.name);
  by_name.emplace(name, &made);
  return made;
}

Device device(const std::string& name) {
  return public_call("gpu", [&] { return open_device("gpu", name).facts(); });
}

std::string device_of_process(const char* call, std::size_t process) {
  const std::vector<Listed> all = list();
  if (all.empty()) fail_without_devices(call);
  const auto gpus = static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [](const Listed& device) { return device.facts.is_gpu; }));
  return all[process % (gpus > 0 ? gpus : all.size())].facts.name;
}

void measure_kernels(bool is_on, const std::string& device) {
  public_call("gpu", [&] { open_device("gpu", device).measure_kernels(is_on); });
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
