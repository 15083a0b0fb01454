// Functions that the caller passed in, visitors and progress callbacks: what they throw belongs to
// the caller and leaves the library as it was thrown.
#pragma once

#include <exception>

#include "base/shared.hpp"

namespace kith {

/// What the caller's own code threw, on its way out.
struct KITH_SHARED CallerException {
  std::exception_ptr thrown;
};

/// f(), which calls code of the caller.
template <class F>
decltype(auto) caller_code(F&& f) {
  try {
    return f();
  } catch (...) {
    throw CallerException{std::current_exception()};
  }
}

}  // namespace kith
