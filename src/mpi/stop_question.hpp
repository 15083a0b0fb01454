// Callers without a CancelToken, such as Python, are asked whether to stop.
#pragma once

namespace kith::mpi {

/// While it lives, calls of this thread ask `stop` every few milliseconds, on this thread, when
/// they wait for their own work or meet other ranks. Anything but 0 stops the call on all ranks.
class StopQuestion {
 public:
  explicit StopQuestion(int (*stop)());  ///< null: nothing is asked
  ~StopQuestion();
  StopQuestion(const StopQuestion&) = delete;
  StopQuestion& operator=(const StopQuestion&) = delete;

  /// True: the caller of this thread wants to stop.
  static bool is_answered();
};

}  // namespace kith::mpi
