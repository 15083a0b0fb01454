// Looks at the cancel token, as a test sees them: it measures how long a thread computes between
// two.
#pragma once

#include <atomic>

namespace kith {

struct Looks {
  enum class Event {
    begin,   ///< a call or a range of a loop begins on this thread
    look,    ///< the token is looked at
    resume,  ///< a loop is over; its caller may have waited for others
    end,     ///< the call or the range ends
  };
  using Observer = void (*)(Event);

  /// None but in tests.
  static inline std::atomic<Observer> observer{nullptr};

  /// Relaxed: a test sets the observer while no call runs.
  static void note(Event event) {
    if (const Observer f = observer.load(std::memory_order_relaxed)) f(event);
  }

  /// From here to the end of the scope.
  struct Span {
    Span() { note(Event::begin); }
    ~Span() { note(Event::end); }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;
  };
};

}  // namespace kith
