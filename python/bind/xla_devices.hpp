// XLA's calls with buffers in the memory of a GPU: for searches kith runs there too, everything
// else works on copies in the memory of the host.
#pragma once

#include <string>

#include "xla_operands.hpp"

namespace kith::python {

/// The device of kith whose memory holds the buffers; `interface`: "cuda" or "hip". Errors:
/// unavailable.
std::string device_of(const Operands& call, const char* interface);

/// Runs a handler on copies of the buffers.
void on_host(const Operands& call, const std::string& device, void (*work)(const Operands&));

/// A copy from the host to a buffer.
void copy_to(void* there, const void* from, std::size_t bytes, const std::string& device);

}  // namespace kith::python
