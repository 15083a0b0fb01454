// The one exception type of kith.
#pragma once

#include <stdexcept>
#include <string>

#include <kith/export.hpp>

namespace kith {

/// What kind of thing went wrong; the message says the rest.
enum class ErrorCode {
  invalid_argument,  ///< an option or an array is not what the call accepts
  non_finite,        ///< a coordinate is NaN or infinite
  too_large,         ///< a count does not fit the chosen index type or the library's limits
  out_of_memory,     ///< an allocation failed; nothing is leaked, and the next call works
  cancelled,         ///< the caller's cancel token was set
  io,                ///< a file could not be read or written
  unavailable,       ///< a device, or code for devices, that this machine or call does not have
  internal,          ///< a promise of the library itself is broken: please report it
};

/// The name of a code as it is written in the documents ("invalid_argument").
KITH_API const char* name(ErrorCode code);

/// Thrown by every call of the library; nothing else is, but for what your own visitors and
/// progress callbacks throw, which reaches you unchanged. The message names the call, states the
/// fact with its numbers and the remedy.
class KITH_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message);
  ~Error() override;
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace kith
