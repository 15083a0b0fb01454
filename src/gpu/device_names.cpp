#include "gpu/device_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "base/fail.hpp"

namespace kith::gpu {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The digits of a UUID without the prefix of some tools.
std::string bare(const std::string& name) {
  const std::string text = lower_case(name);
  return text.starts_with("gpu-") ? text.substr(4) : text;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() <= 3 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

/// "gpu:1", "cuda:0", ...; "gpu" is "gpu:0". Empty for other names.
std::string numbered(const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  if (kind != "gpu" && kind != "cuda" && kind != "hip" && kind != "opencl") return "";
  if (colon == std::string::npos) return kind + ":0";
  const std::string number = name.substr(colon + 1);
  return is_number(number) ? kind + ":" + std::to_string(std::stoi(number)) : "";
}

/// Hexadecimal digits where `like` has a 0, and the same characters elsewhere.
bool has_form(const std::string& text, const std::string& like) {
  return text.size() == like.size() &&
         std::equal(text.begin(), text.end(), like.begin(), [](char a, char b) {
           return b == '0' ? std::isxdigit(static_cast<unsigned char>(a)) != 0 : a == b;
         });
}

}  // namespace

std::string uuid_text(const std::array<unsigned char, 16>& bytes) {
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
  if (!numbered(name).empty()) return;
  if (has_form(lower_case(name), "0000:00:00.0") ||
      has_form(bare(name), "00000000-0000-0000-0000-000000000000"))
    return;
  refuse(
      "{}: device = {}; give cpu, gpu, or gpu:N for the one with number N, cuda:N, hip:N or "
      "opencl:N for one of an interface, or the PCI address or the UUID of one",
      call, name);
}

bool is_name_of(const std::string& name, const Device& device) {
  if (const std::string number = numbered(name); !number.empty())
    return number == device.name || number == device.api;
  return (!device.pci_address.empty() && lower_case(name) == device.pci_address) ||
         (!device.uuid.empty() && bare(name) == device.uuid);
}

}  // namespace kith::gpu
