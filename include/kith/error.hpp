// The exception type of kith.
#pragma once

#include <stdexcept>
#include <string>

#include <kith/export.hpp>

namespace kith {

/// The kind of an error; the message has the details.
enum class ErrorCode {
  invalid_argument,  ///< the call does not accept an option or an array
  non_finite,        ///< a coordinate is NaN or infinite
  too_large,         ///< a count does not fit the chosen index type or the library's limits
  out_of_memory,     ///< an allocation failed; nothing is leaked, and the next call works
  cancelled,         ///< the caller's cancel token was set
  io,                ///< a file could not be read or written
  unavailable,       ///< a device, or code for devices, that this machine or call does not have
  internal,          ///< the library broke a promise: please report it
};

/// The name of a code as it is written in the documents ("invalid_argument").
KITH_API const char* name(ErrorCode code);

/// The only exception that the library throws. Exceptions from your visitors and progress
/// callbacks pass through unchanged. The message names the call, the fact with its numbers, and
/// the remedy.
class KITH_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message);
  ~Error() override;
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace kith
