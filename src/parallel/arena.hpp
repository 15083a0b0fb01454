// The threads themselves: a team of oneTBB that runs numbered tasks. No other file knows TBB.
//
// Debian's libtbb is not compiled for ThreadSanitizer, which therefore does not see how TBB hands
// tasks from thread to thread and takes every loop for a race. So arena.cpp, which contains nothing
// but calls of TBB, is not instrumented, and Handover declares the two happens-before edges of its
// loops: from the caller to each task, and from each task back to the caller. Code above this file,
// including loop bodies, stays instrumented: a race between two bodies is reported.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_THREAD__)
#define KITH_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KITH_THREAD_SANITIZER
#endif
#endif
#if defined(KITH_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace kith {

/// The number of CPUs that the calling thread may use now.
int available_threads();

/// A team of threads for one call. Teams are kept and used again: each new arena of TBB costs some
/// 7 kB that oneTBB 2021.8 never frees. Calls that run at once, or one inside the other, have
/// different teams, so a thread that waits for its own loop never takes up work of another call.
class Arena {
 public:
  explicit Arena(int threads);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// A plain function and its context, so that no code of ours is compiled inside arena.cpp.
  using Task = void (*)(void* context, std::size_t i);

  /// task(context, i) for i in [0, count), concurrently. Tasks must not throw.
  void run(std::size_t count, Task task, void* context) const;

 private:
  struct Team;
  class Idle;
  static const int forks;  // registers the handler of forks, when the library is loaded
  Team* team_;
};

/// Declares to ThreadSanitizer that one side of a handover comes before the other; empty in other
/// builds.
struct Handover {
#if defined(KITH_THREAD_SANITIZER)
  static void release(const void* place) { __tsan_release(const_cast<void*>(place)); }
  static void acquire(const void* place) { __tsan_acquire(const_cast<void*>(place)); }
#else
  static void release(const void*) {}
  static void acquire(const void*) {}
#endif
};

}  // namespace kith
