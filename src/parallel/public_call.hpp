// The door of the library: every public function that can fail runs inside `public_call`.
//
// It sets the floating-point environment of the numerical contract, chooses the SIMD target, makes
// the workers, and lets nothing but Error out: lack of memory becomes out_of_memory, any other
// exception that is not an Error becomes internal. Errors of a call inside another pass unchanged.
// Exceptions of the caller's own functions (visitors, progress) reach the caller unchanged: these
// functions are called through `caller_code`.
#pragma once

#include <type_traits>
#include <utility>

#include <kith/execution.hpp>

#include "base/float_environment.hpp"
#include "kernels/target.hpp"
#include "parallel/caller_code.hpp"
#include "parallel/cancel_probe.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// Throws the exception that is being handled, as the caller of the named call must see it.
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

/// Throws Error: the named call has no code for devices, or there is no such device.
[[noreturn]] KITH_SHARED void refuse_device(const char* call, const std::string& device);

inline bool is_cpu(const Execution& execution) { return execution.device == "cpu"; }

/// The same execution on the CPU.
inline Execution on_cpu(Execution execution) {
  execution.device = "cpu";
  return execution;
}

/// f(workers), or f() where f makes none itself, for calls that know devices (tree/device.hpp).
/// `name` is the call's name in messages, a literal.
template <class F>
decltype(auto) device_call(const char* name, const Execution& execution, F&& f) {
  const CancelProbe::Span span;
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

/// f(workers) for calls that run on the CPU alone.
template <class F>
decltype(auto) public_call(const char* name, const Execution& execution, F&& f) {
  if (!is_cpu(execution)) refuse_device(name, execution.device);
  return device_call(name, execution, std::forward<F>(f));
}

}  // namespace kith
