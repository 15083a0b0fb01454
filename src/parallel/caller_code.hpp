// Functions that the caller passed in, visitors and progress callbacks: their exceptions belong to
// the caller and leave the library unchanged.
#pragma once

#include <exception>
#include <utility>

#include "base/shared.hpp"

namespace kith {

/// Carries an exception of the caller's own code out of the library.
struct KITH_SHARED CallerException {
  std::exception_ptr thrown;
};

/// How many calls and loop bodies of the library this thread is inside of: the outermost call alone
/// rethrows an exception of the caller.
KITH_SHARED int& library_depth() noexcept;

/// Marks this thread as inside the library for the scope.
class InLibrary {
 public:
  InLibrary() { ++library_depth(); }
  ~InLibrary() { --library_depth(); }
  InLibrary(const InLibrary&) = delete;
  InLibrary& operator=(const InLibrary&) = delete;
};

/// Marks this thread as running the caller's code for the scope.
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
