// The error of a call of the system that failed.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

#include "base/fail.hpp"

namespace kith::io {

/// Throws Error (io) "PATH: cannot be WHAT: reason", with the reason in errno.
[[noreturn]] inline void fail_with(const std::string& path, const char* what) {
  const std::string reason = std::generic_category().message(errno);
  fail(ErrorCode::io, "{}: cannot be {}: {}", path, what, reason);
}

}  // namespace kith::io
