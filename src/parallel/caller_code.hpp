// Functions that the caller passed in, visitors and progress callbacks: what they throw belongs to
// the caller and leaves the library as it was thrown.
#pragma once

#include <exception>
#include <utility>

#include "base/shared.hpp"

namespace kith {

/// What the caller's own code threw, on its way out.
struct KITH_SHARED CallerException {
  std::exception_ptr thrown;
};

/// How many calls and loop bodies of the library this thread is inside of: the outermost call alone
/// hands an exception of the caller back.
KITH_SHARED int& library_depth() noexcept;

/// Inside the library, to the end of the scope.
class InLibrary {
 public:
  InLibrary() { ++library_depth(); }
  ~InLibrary() { --library_depth(); }
  InLibrary(const InLibrary&) = delete;
  InLibrary& operator=(const InLibrary&) = delete;
};

/// Outside of it again.
class InCallerCode {
 public:
  InCallerCode() : depth_(std::exchange(library_depth(), 0)) {}
  ~InCallerCode() { library_depth() = depth_; }
  InCallerCode(const InCallerCode&) = delete;
  InCallerCode& operator=(const InCallerCode&) = delete;

 private:
  int depth_;
};

/// f(), which calls code of the caller.
template <class F>
decltype(auto) caller_code(F&& f) {
  try {
    const InCallerCode outside;
    return f();
  } catch (...) {
    throw CallerException{std::current_exception()};
  }
}

}  // namespace kith
