// Throwing errors with formatted messages.
#pragma once

#include <kith/error.hpp>

#include "base/format.hpp"

namespace kith {

/// Throws Error with the message, or with a static one if there is no memory for it.
[[noreturn]] KITH_SHARED void throw_error(ErrorCode code, std::string_view pattern,
                                          std::initializer_list<FormatValue> values);

template <class... Args>
[[noreturn]] void fail(ErrorCode code, Pattern<sizeof...(Args)> pattern, const Args&... args) {
  throw_error(code, pattern.text, {FormatValue(args)...});
}

/// An argument of a public call is not acceptable.
template <class... Args>
[[noreturn]] void refuse(Pattern<sizeof...(Args)> pattern, const Args&... args) {
  throw_error(ErrorCode::invalid_argument, pattern.text, {FormatValue(args)...});
}

}  // namespace kith
