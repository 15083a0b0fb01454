// The list of OpenCL's devices, and which of them keep the numerical contract.
#include <algorithm>

#include "gpu/opencl/open.hpp"

namespace kith::gpu {
namespace {

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

std::string opencl_text(cl_device_id id, cl_device_info what) {
  std::size_t size = 0;
  check(opencl().clGetDeviceInfo(id, what, 0, nullptr, &size), "asking for a device");
  std::string text(size, '\0');
  check(opencl().clGetDeviceInfo(id, what, size, text.data(), nullptr), "asking for a device");
  return without_end(std::move(text));
}

/// Results must have the bits of the CPU's.
std::string refusal_of(cl_device_id id, bool has_float64) {
  const auto single = opencl_value<cl_device_fp_config>(id, CL_DEVICE_SINGLE_FP_CONFIG);
  if (!opencl_value<cl_bool>(id, CL_DEVICE_AVAILABLE))
    return "its driver says that it is not available";
  if (!opencl_value<cl_bool>(id, CL_DEVICE_COMPILER_AVAILABLE)) return "it has no compiler";
  if (!opencl_value<cl_bool>(id, CL_DEVICE_ENDIAN_LITTLE))
    return "its bytes are in the other order";
  if (!(single & CL_FP_ROUND_TO_NEAREST)) return "it does not round to nearest";
  if (!(single & CL_FP_DENORM)) return "it has no subnormal numbers";
  if (!(single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) && !has_float64)
    return "it has neither exact division nor float64";
  if (opencl_value<std::size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE) < kGroupSize)
    return "its groups have fewer than 64 work-items";
  return "";
}

Device facts_of(cl_platform_id platform, cl_device_id id) {
  Device device;
  device.model = opencl_text(id, CL_DEVICE_NAME);
  device.platform = platform_text(platform, CL_PLATFORM_NAME);
  device.version = opencl_text(id, CL_DEVICE_VERSION);
  device.is_gpu = (opencl_value<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
  device.memory = opencl_value<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  device.compute_units = static_cast<int>(opencl_value<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS));
  const std::string extensions = opencl_text(id, CL_DEVICE_EXTENSIONS);
  device.pci_address = pci_address_of(id, extensions);
  device.uuid = uuid_of(id, extensions);
  device.has_float64 =
      extensions.find("cl_khr_fp64") != std::string::npos &&
      (opencl_value<cl_device_fp_config>(id, CL_DEVICE_DOUBLE_FP_CONFIG) & CL_FP_DENORM) != 0;
  device.refusal = refusal_of(id, device.has_float64);
  return device;
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

}  // namespace

std::vector<Listed> opencl_devices() {
  std::vector<Listed> all;
  for (cl_platform_id platform : platforms()) {
    cl_uint count = 0;
    if (opencl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS)
      continue;
    std::vector<cl_device_id> ids(count);
    check(opencl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr),
          "listing devices");
    for (cl_device_id id : ids)
      all.push_back({facts_of(platform, id), [platform, id](const Device& facts) {
                       return open_opencl(facts, platform, id);
                     }});
  }
  std::stable_sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) {
    return a.facts.is_gpu && !b.facts.is_gpu;
  });
  for (std::size_t i = 0; i < all.size(); ++i) all[i].facts.api = "opencl:" + std::to_string(i);
  return all;
}

}  // namespace kith::gpu
