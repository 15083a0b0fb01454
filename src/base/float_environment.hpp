// The floating-point environment that the numerical contract is written for: round to nearest,
// subnormal numbers kept. A caller may run with others (-ffast-math sets flush-to-zero for the
// whole process).
#pragma once

#include <bit>
#include <cfenv>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace kith {

// Records of files and keys of sorts are read as bytes, and counts of points are 64 bits wide.
static_assert(std::endian::native == std::endian::little, "kith is written for little-endian CPUs");
static_assert(sizeof(std::size_t) == 8, "kith is written for 64-bit CPUs");

#if defined(__SSE2__)
#define KITH_FLOAT_CONTROL 1

/// The register that controls rounding and flushing.
struct FloatControl {
  using Value = unsigned;
  static constexpr Value kDefault = 0x1f80;  // all exceptions masked, nearest, no flushing
  static constexpr Value kIgnored = 0x003f;  // sticky exception flags
  static Value get() { return _mm_getcsr(); }
  static void set(Value value) { _mm_setcsr(value); }
};
#elif defined(__aarch64__) && defined(__GNUC__)
#define KITH_FLOAT_CONTROL 1

/// The register that controls rounding and flushing (FPCR). std::fesetenv need not reset its bit
/// for flushing.
struct FloatControl {
  using Value = std::uint64_t;
  static constexpr Value kDefault = 0;  // no exception trapped, nearest, no flushing
  static constexpr Value kIgnored = 0;
  static Value get() {
    Value value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void set(Value value) { asm volatile("msr fpcr, %0" : : "r"(value) : "memory"); }
};
#endif

/// Sets the default environment of this thread and restores the caller's at the end of the scope.
class FloatEnvironment {
 public:
#if defined(KITH_FLOAT_CONTROL)
  FloatEnvironment() : saved_(FloatControl::get()) {
    if (is_foreign()) FloatControl::set(FloatControl::kDefault);
  }
  ~FloatEnvironment() {
    if (is_foreign()) FloatControl::set(saved_);
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
#if defined(KITH_FLOAT_CONTROL)
  bool is_foreign() const { return (saved_ & ~FloatControl::kIgnored) != FloatControl::kDefault; }
  FloatControl::Value saved_;
#else
  std::fenv_t saved_;
#endif
};

#undef KITH_FLOAT_CONTROL

}  // namespace kith
