// A hook for tests: records each check of the cancel token, to measure how long a thread computes
// between two checks.
#pragma once

#include <atomic>

namespace kith {

struct CancelProbe {
  enum class Event {
    begin,   ///< a call or a range of a loop begins on this thread
    check,   ///< the token is checked
    resume,  ///< a loop is over; its caller may have waited for others
    end,     ///< the call or the range ends
  };
  using Observer = void (*)(Event);

  /// Null except in tests.
  static inline std::atomic<Observer> observer{nullptr};

  /// Relaxed: a test sets the observer while no call runs.
  static void note(Event event) {
    if (const Observer f = observer.load(std::memory_order_relaxed)) f(event);
  }

  /// Notes begin and end for the scope.
  struct Span {
    Span() { note(Event::begin); }
    ~Span() { note(Event::end); }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;
  };
};

}  // namespace kith
