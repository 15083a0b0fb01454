// The addresses of a card, from extensions of OpenCL.
#include <algorithm>
#include <array>

#include "gpu/device_names.hpp"
#include "gpu/opencl/open.hpp"

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
  return uuid_text(bytes);
}

}  // namespace kith::gpu
