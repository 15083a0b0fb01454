#include <new>

#include <kith/error.hpp>

#include "base/fail.hpp"

namespace kith {
namespace {

/// Thrown when there is no memory left for a message; copying it needs none.
const Error& spare_error() {
  static const Error error(
      ErrorCode::out_of_memory,
      "kith: out of memory, even for the message; use fewer points or threads, or ask for less");
  return error;
}
[[maybe_unused]] const Error& made_at_start = spare_error();

}  // namespace

const char* name(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::non_finite: return "non_finite";
    case ErrorCode::too_large: return "too_large";
    case ErrorCode::out_of_memory: return "out_of_memory";
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::io: return "io";
    case ErrorCode::unavailable: return "unavailable";
    case ErrorCode::internal: return "internal";
  }
  return "unknown";
}

Error::Error(ErrorCode code, const std::string& message)
    : std::runtime_error(message), code_(code) {}

Error::~Error() = default;

void throw_error(ErrorCode code, std::string_view pattern,
                 std::initializer_list<FormatValue> values) {
  try {
    throw Error(code, formatted_values(pattern, values));
  } catch (const std::bad_alloc&) {
    throw Error(spare_error());
  }
}

}  // namespace kith
