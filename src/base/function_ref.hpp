// A reference to something callable. Loop bodies are passed by it, without a template or an
// allocation.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace kith {

template <class Signature>
class FunctionRef;

/// Valid only as long as the callable it was made from, which is the duration of a call.
template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
      FunctionRef(F&& f)  // NOLINT(bugprone-forwarding-reference-overload): `requires`
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  Result (*call_)(void*, Args...);
};

}  // namespace kith
