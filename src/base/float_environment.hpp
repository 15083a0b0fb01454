// The floating-point environment that the numerical contract is written for: round to nearest,
// subnormal numbers kept. A caller may run with others (-ffast-math sets flush-to-zero for the
// whole process).
#pragma once

#include <cfenv>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace kith {

/// Sets the default environment of this thread and restores the caller's at the end of the scope.
class FloatEnvironment {
 public:
#if defined(__SSE2__)
  FloatEnvironment() : saved_(_mm_getcsr()) {
    if (is_foreign()) _mm_setcsr(kDefault);
  }
  ~FloatEnvironment() {
    if (is_foreign()) _mm_setcsr(saved_);
  }
#else
  FloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { std::fesetenv(&saved_); }
#endif
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr unsigned kDefault = 0x1f80;  // all exceptions masked, nearest, no flushing
  static constexpr unsigned kFlags = 0x003f;    // sticky exception flags: not ours to mind
  bool is_foreign() const { return (saved_ & ~kFlags) != kDefault; }
  unsigned saved_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace kith
