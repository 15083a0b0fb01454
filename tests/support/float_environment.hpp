// A caller with an unusual floating-point environment.
#pragma once

#include <cfenv>
#include <limits>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace kith::test {

/// Whether subnormal results are kept (not flushed to zero) on this thread now.
inline bool keeps_subnormals() {
  volatile double smallest = std::numeric_limits<double>::min();
  volatile double half = smallest / 2;
  return half != 0;
}

/// Whether subnormal arguments are taken as they are (denormals-are-zero is off) on this thread
/// now.
inline bool reads_subnormals() {
  volatile double subnormal = std::numeric_limits<double>::denorm_min();
  volatile double large = subnormal * 0x1p1000;
  return large != 0;
}

/// Whether sums are rounded to nearest on this thread now.
inline bool rounds_to_nearest() {
  volatile double one = 1;
  volatile double tiny = 0x1p-60;
  volatile double sum = one + tiny;         // up: > 1
  volatile double difference = one - tiny;  // down or toward zero: < 1
  return sum == 1 && difference == 1;
}

inline bool is_default_environment() {
  return keeps_subnormals() && reads_subnormals() && rounds_to_nearest();
}

/// For its lifetime this thread flushes subnormal numbers (where the CPU can) and rounds as asked.
class ForeignEnvironment {
 public:
  explicit ForeignEnvironment(int rounding) {
    std::fegetenv(&saved_);
    std::fesetround(rounding);
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() | 0x8040u);  // flush to zero, denormals are zero
#elif defined(__aarch64__)
    unsigned long long control = 0;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    asm volatile("msr fpcr, %0" : : "r"(control | 1ull << 24));  // both
#endif
  }
  ~ForeignEnvironment() { std::fesetenv(&saved_); }
  ForeignEnvironment(const ForeignEnvironment&) = delete;
  ForeignEnvironment& operator=(const ForeignEnvironment&) = delete;

 private:
  std::fenv_t saved_;
};

}  // namespace kith::test
