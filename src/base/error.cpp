#include <kith/error.hpp>

namespace kith {

const char* name(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::non_finite: return "non_finite";
    case ErrorCode::too_large: return "too_large";
    case ErrorCode::out_of_memory: return "out_of_memory";
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::io: return "io";
    case ErrorCode::internal: return "internal";
  }
  return "unknown";
}

Error::Error(ErrorCode code, const std::string& message)
    : std::runtime_error(message), code_(code) {}

Error::~Error() = default;

}  // namespace kith
