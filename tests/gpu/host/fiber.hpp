// A separate stack for each work-item, and the switch between two of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace kith::host {

/// Code that can be left and entered again. A switch saves the registers that a function keeps;
/// swapcontext would ask the kernel for the signal mask each time, a hundred times slower.
class Fiber {
 public:
  Fiber() : stack_(std::make_unique_for_overwrite<std::byte[]>(kStack)) {}

  /// `body` runs when the fiber is first entered; it must not return, but leave.
  void start(void (*body)());
  /// From the scheduler to the fiber; returns when that leaves.
  void enter();
  /// From the fiber back to the scheduler. `is_last`: it is never entered again.
  static void leave(bool is_last);

 private:
#if defined(__SANITIZE_ADDRESS__) || defined(KITH_HOST_RACES)
  static constexpr std::size_t kStack = std::size_t{1} << 18;
#else
  static constexpr std::size_t kStack = std::size_t{1} << 16;
#endif
  static void begin();

  std::unique_ptr<std::byte[]> stack_;
  void (*body_)() = nullptr;
#if defined(__x86_64__)
  void* pointer_ = nullptr;
#else
  ucontext_t context_;
#endif
  void* fake_stack_ = nullptr;
  [[maybe_unused]] void* thread_ = nullptr;  ///< for ThreadSanitizer
};

}  // namespace kith::host
