// Processor time of this process: the work of a call, whatever else the machine does.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#include "support/sanitizers.hpp"

namespace kith::test {

struct ProcessorClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ProcessorClock>;
  static constexpr bool is_steady = true;

  static time_point now() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
};

/// The work of a call between a cancel and its end, for as many threads as there are CPUs: 0.25 s
/// on each at most; what a sanitizer checks takes several times as long.
inline std::chrono::duration<double> longest_stop() {
  constexpr double kSeconds = kIsSanitized ? 1 : 0.25;
  return std::chrono::duration<double>(kSeconds) *
         std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace kith::test
