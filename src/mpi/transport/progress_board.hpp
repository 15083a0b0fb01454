// The progress of all ranks on the first one. While a rank waits for its work or for other ranks it
// sends its last note, at most ten times a second, and the first rank receives those that have
// arrived. No rank waits for such a message. An error of MPI ends the progress, not the job.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mpi.h>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <kith/execution.hpp>

namespace kith::mpi {

/// Wire format of one rank's progress.
struct ProgressNote {
  char stage[40] = "";  ///< empty: unknown
  std::uint64_t done = 0, total = 0;

  bool operator==(const ProgressNote& other) const;
};

/// The sum over all ranks for the stage of the first one. A rank in the stage before counts as
/// having done nothing of it, one in a later stage as having done all.
ProgressNote sum_of_notes(const std::vector<ProgressNote>& notes, const std::string& before);

class ProgressBoard {
 public:
  /// Collective. draw(progress) on the first rank, never from two threads at once.
  ProgressBoard(MPI_Comm of, std::function<void(const Progress&)> draw);
  ProgressBoard(const ProgressBoard&) = delete;
  ProgressBoard& operator=(const ProgressBoard&) = delete;

  /// The progress of this rank; from any thread.
  void note(const Progress& progress);
  /// On the thread that talks to MPI.
  void pass_on() noexcept;
  /// Receives the last messages. Collective, after the last note.
  void end() noexcept;

  /// The board of this process, or null.
  static ProgressBoard* current;

 private:
  using Clock = std::chrono::steady_clock;

  /// False after any error of MPI, which ends the exchange of notes.
  bool check(int code) { return is_usable_ &= code == MPI_SUCCESS; }
  void send();
  bool receive();
  void draw();

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  bool is_usable_ = true;
  std::function<void(const Progress&)> draw_;
  std::thread::id thread_ = std::this_thread::get_id();
  std::mutex mutex_;                 ///< of the members below
  std::vector<ProgressNote> notes_;  ///< of all ranks on the first one, else its own
  std::string before_;               ///< the stage before the present one
  ProgressNote sent_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::int64_t messages_ = 0;  ///< sent, or received
  Clock::time_point next_ = {};
};

/// For code that waits.
inline void pass_progress_on() {
  if (ProgressBoard::current) ProgressBoard::current->pass_on();
}

}  // namespace kith::mpi
