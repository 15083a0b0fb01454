#include "gpu/device_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

#include "base/fail.hpp"

namespace kith::gpu {
namespace {

// From the headers of extensions, which Debian's OpenCL headers may lack.
constexpr cl_device_info kUuid = 0x106A;           // CL_DEVICE_UUID_KHR
constexpr cl_device_info kPciBusInfo = 0x410F;     // CL_DEVICE_PCI_BUS_INFO_KHR
constexpr cl_device_info kPciBusNvidia = 0x4008;   // CL_DEVICE_PCI_BUS_ID_NV
constexpr cl_device_info kPciSlotNvidia = 0x4009;  // CL_DEVICE_PCI_SLOT_ID_NV
constexpr cl_device_info kPciDomainNvidia = 0x400A;
constexpr cl_device_info kTopologyAmd = 0x4037;  // CL_DEVICE_TOPOLOGY_AMD

struct PciAddress {
  cl_uint domain, bus, device, function;
};

bool has(const std::string& extensions, const char* name) {
  return extensions.find(name) != std::string::npos;
}

template <class V>
bool ask(cl_device_id id, cl_device_info what, V& value) {
  return opencl().clGetDeviceInfo(id, what, sizeof value, &value, nullptr) == CL_SUCCESS;
}

bool ask_pci(cl_device_id id, const std::string& extensions, PciAddress& address) {
  if (has(extensions, "cl_khr_pci_bus_info")) return ask(id, kPciBusInfo, address);
  if (has(extensions, "cl_nv_device_attribute_query")) {
    cl_uint slot = 0;
    if (!ask(id, kPciBusNvidia, address.bus) || !ask(id, kPciSlotNvidia, slot)) return false;
    if (!ask(id, kPciDomainNvidia, address.domain)) address.domain = 0;
    address.device = slot >> 3;
    address.function = slot & 7;
    return true;
  }
  if (!has(extensions, "cl_amd_device_attribute_query")) return false;
  std::array<unsigned char, 24> topology{};  // a type, 17 bytes, then bus, device and function
  if (!ask(id, kTopologyAmd, topology)) return false;
  address = {0, topology[21], topology[22], topology[23]};
  return true;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The digits of a UUID without what some tools write before it.
std::string bare(const std::string& name) {
  const std::string text = lower_case(name);
  return text.starts_with("gpu-") ? text.substr(4) : text;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() <= 3 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

/// Hexadecimal digits where `like` has a 0, and the same characters elsewhere.
bool has_form(const std::string& text, const std::string& like) {
  return text.size() == like.size() &&
         std::equal(text.begin(), text.end(), like.begin(), [](char a, char b) {
           return b == '0' ? std::isxdigit(static_cast<unsigned char>(a)) != 0 : a == b;
         });
}

}  // namespace

std::string pci_address_of(cl_device_id id, const std::string& extensions) {
  PciAddress at{};
  if (!ask_pci(id, extensions, at)) return "";
  char text[40];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", at.domain, at.bus, at.device, at.function);
  return text;
}

std::string uuid_of(cl_device_id id, const std::string& extensions) {
  std::array<unsigned char, 16> bytes{};
  if (!has(extensions, "cl_khr_device_uuid") || !ask(id, kUuid, bytes) ||
      std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == 0; }))
    return "";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  return text;
}

void check_device_name(const char* call, const std::string& name) {
  if (name == "gpu" || (name.starts_with("gpu:") && is_number(name.substr(4)))) return;
  if (has_form(lower_case(name), "0000:00:00.0") ||
      has_form(bare(name), "00000000-0000-0000-0000-000000000000"))
    return;
  refuse(
      "{}: device = {}; give cpu, gpu, or gpu:N for the one with number N, or the PCI address or "
      "the UUID of one",
      call, name);
}

bool is_name_of(const std::string& name, const Device& device) {
  if (name == "gpu") return device.name == "gpu:0";
  if (name.starts_with("gpu:"))
    return device.name == "gpu:" + std::to_string(std::stoi(name.substr(4)));
  return (!device.pci_address.empty() && lower_case(name) == device.pci_address) ||
         (!device.uuid.empty() && bare(name) == device.uuid);
}

}  // namespace kith::gpu
