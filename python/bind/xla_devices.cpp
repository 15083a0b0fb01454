#include "xla_devices.hpp"

#include <cstddef>
#include <vector>

#include <kith/gpu.hpp>

namespace kith::python {
namespace {

std::size_t bytes_of(const xla::Buffer& buffer) {
  using xla::DataType;
  const std::size_t size = buffer.type == DataType::f64  ? 8
                           : buffer.type == DataType::u8 ? 1
                                                         : 4;  // int32, uint32, float32
  return size * Operands::elements(buffer);
}

bool is_on(const std::string& device, const void* memory) {
  try {
    return gpu::holds(memory, device);
  } catch (const Error&) {  // on another device
    return false;
  }
}

/// Copies of some buffers, and structs that describe them.
class Copies {
 public:
  explicit Copies(const xla::Buffers& of) : of_(of) {
    for (std::int64_t i = 0; i < of.size; ++i) {
      const xla::Buffer& buffer = *of.buffers[i];
      bytes_.emplace_back(bytes_of(buffer));
      here_.push_back(buffer);
      here_.back().data = bytes_.back().data();
    }
    for (xla::Buffer& buffer : here_) places_.push_back(&buffer);
  }
  xla::Buffers buffers() {
    xla::Buffers copy = of_;
    copy.buffers = places_.data();
    return copy;
  }
  void read(const std::string& device) {
    for (std::size_t i = 0; i < here_.size(); ++i)
      gpu::copy_to_host(bytes_[i].data(), of_.buffers[i]->data, bytes_[i].size(), device);
  }
  void write(const std::string& device) const {
    for (std::size_t i = 0; i < here_.size(); ++i)
      copy_to(of_.buffers[i]->data, bytes_[i].data(), bytes_[i].size(), device);
  }

 private:
  const xla::Buffers& of_;
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<xla::Buffer> here_;
  std::vector<xla::Buffer*> places_;
};

}  // namespace

std::string device_of(const Operands& call, const char* interface) {
  static const std::vector<gpu::Device> all = gpu::devices();  // drivers need long to list them
  std::string first;
  for (const gpu::Device& device : all) {
    if (!device.api.starts_with(interface)) continue;
    if (first.empty()) first = device.api;
    for (const xla::Buffers* buffers : {&call.call().in, &call.call().out})
      for (std::int64_t i = 0; i < buffers->size; ++i)
        if (buffers->buffers[i]->data && is_on(device.api, buffers->buffers[i]->data))
          return device.api;
  }
  if (first.empty())
    throw Error(ErrorCode::unavailable, std::string("kith.jax: no device of ") + interface +
                                            "; kith.devices() lists those that were found");
  return first;  // all buffers are empty, without an address
}

void on_host(const Operands& call, const std::string& device, void (*work)(const Operands&)) {
  Copies in(call.call().in), out(call.call().out);
  in.read(device);
  xla::Call here = call.call();
  here.in = in.buffers();
  here.out = out.buffers();
  work(Operands(here));
  out.write(device);
}

void copy_to(void* there, const void* from, std::size_t bytes, const std::string& device) {
  gpu::copy_to_device(there, from, bytes, device);
}

}  // namespace kith::python
