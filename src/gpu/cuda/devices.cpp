// The lists of NVIDIA's and AMD's cards.
#include <algorithm>
#include <array>
#include <cctype>

#include "base/fail.hpp"
#include "gpu/cuda/api.hpp"
#include "gpu/cuda/card.hpp"
#include "gpu/cuda/open.hpp"
#include "gpu/device_names.hpp"

namespace kith::gpu::cuda {
namespace {

constexpr int kNoDevice = 100;

std::string two_numbers(int major, int minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

/// CUDA: 13010 is 13.1; HIP: 60342134 is 6.3.
std::string version_of(const Api& api) {
  int version = 0;
  api.check(api.driver_version(&version), "asking for the driver's version");
  return api.is_hip ? two_numbers(version / 10000000, version / 100000 % 100)
                    : two_numbers(version / 1000, version % 1000 / 10);
}

/// "0000:3B:00.0" in small letters; empty if the driver does not know it.
std::string address_of(const Api& api, int device) {
  std::array<char, 32> text{};
  if (api.pci_address(text.data(), static_cast<int>(text.size()), device) != 0) return "";
  std::string address = text.data();
  std::transform(address.begin(), address.end(), address.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return address;
}

std::string uuid_of_card(const Api& api, int device) {
  std::array<unsigned char, 16> bytes{};
  if (api.uuid(bytes.data(), device) != 0) return "";
  return uuid_text(bytes);
}

Device facts_of_card(const Api& api, int number) {
  const int device = card_number(api, number);
  std::array<char, 256> model{};
  api.check(api.device_name(model.data(), static_cast<int>(model.size()), device),
            "asking for a device");
  Device facts;
  facts.model = model.data();
  facts.platform = api.name();
  facts.version = std::string(api.name()) + " " + version_of(api);
  if (!api.is_hip) {
    const int capability = capability_of(api, device);
    facts.version += ", compute capability " + two_numbers(capability / 10, capability % 10);
  }
  facts.is_gpu = true;
  api.check(api.total_memory(&facts.memory, device), "asking for a device");
  facts.compute_units = attribute_of(api, Attribute::multiprocessors, device);
  facts.has_float64 = true;
  facts.pci_address = address_of(api, device);
  facts.uuid = uuid_of_card(api, device);
  facts.api = (api.is_hip ? "hip:" : "cuda:") + std::to_string(number);
  return facts;
}

std::vector<Listed> devices_of(const Api* api) {
  if (!api) return {};
  const int status = api->init(0);
  if (status == kNoDevice) return {};
  if (status != 0)
    fail(ErrorCode::unavailable, "gpu: {} does not start (error {})", api->name(),
         api->text_of(status));
  int count = 0;
  if (const int counted = api->device_count(&count); counted != kNoDevice)
    api->check(counted, "counting devices");
  std::vector<Listed> all;
  all.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    all.push_back({facts_of_card(*api, i),
                   [api, i](const Device& facts) { return open_cuda(*api, facts, i); }});
  return all;
}

}  // namespace

int card_number(const Api& api, int number) {
  int device = 0;
  api.check(api.device(&device, number), "asking for a device");
  return device;
}

int attribute_of(const Api& api, Attribute what, int device) {
  // As numbered by CUDA and by HIP.
  constexpr int kNumbers[][2] = {{16, 63}, {75, 23}, {76, 61}};
  int value = 0;
  api.check(
      api.attribute(&value, kNumbers[static_cast<std::size_t>(what)][api.is_hip ? 1 : 0], device),
      "asking for a device");
  return value;
}

int capability_of(const Api& api, int device) {
  return 10 * attribute_of(api, Attribute::major, device) +
         attribute_of(api, Attribute::minor, device);
}

std::vector<Listed> nvidia_devices() { return devices_of(nvidia_api()); }
std::vector<Listed> amd_devices() { return devices_of(amd_api()); }

}  // namespace kith::gpu::cuda
