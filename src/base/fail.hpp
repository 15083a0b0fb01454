// Throwing errors with formatted messages.
#pragma once

#include <fmt/format.h>
#include <utility>

#include <kith/error.hpp>

namespace kith {

/// Throws Error with the message, or with one made beforehand where there is no memory for it.
[[noreturn]] void throw_error(ErrorCode code, fmt::string_view format, fmt::format_args args);

template <class... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw_error(code, format, fmt::make_format_args(args...));
}

/// An argument of a public call is not acceptable.
template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw_error(ErrorCode::invalid_argument, format, fmt::make_format_args(args...));
}

}  // namespace kith
