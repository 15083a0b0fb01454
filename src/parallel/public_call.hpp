// The door of the library: every public function that can fail runs inside `public_call`.
//
// It sets the floating-point environment of the numerical contract, chooses the SIMD target, makes
// the workers, and sees to it that nothing but Error leaves: lack of memory becomes out_of_memory,
// anything else that is not Error becomes internal. Errors of a call inside another pass unchanged.
// What the caller's own functions throw (visitors, progress) reaches the caller as it was thrown:
// they are called through `caller_code`.
#pragma once

#include <type_traits>
#include <utility>

#include <kith/execution.hpp>

#include "base/float_environment.hpp"
#include "kernels/target.hpp"
#include "parallel/caller_code.hpp"
#include "parallel/looks.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// Throws the exception that is being handled, as the caller of the named call is to see it.
[[noreturn]] KITH_SHARED void rethrow_as_error(const char* call);

/// f() for a call without threads.
template <class F>
decltype(auto) public_call(const char* name, F&& f) {
  const FloatEnvironment environment;
  try {
    const InLibrary inside;
    return f();
  } catch (...) {
    rethrow_as_error(name);
  }
}

/// f(workers), or f() where f makes none itself. `name` is the call's name in messages, a literal.
template <class F>
decltype(auto) public_call(const char* name, const Execution& execution, F&& f) {
  const Looks::Span span;
  return public_call(name, [&]() -> decltype(auto) {
    choose_target();
    if constexpr (std::is_invocable_v<F, Workers&>) {
      Workers workers(execution, name);
      if constexpr (std::is_void_v<std::invoke_result_t<F, Workers&>>) {
        f(workers);
        workers.finish();
      } else {
        auto result = f(workers);
        workers.finish();
        return result;
      }
    } else {
      return f();
    }
  });
}

}  // namespace kith
