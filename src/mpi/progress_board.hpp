// The progress of all ranks on the first one. Each rank notes its own; while it waits for its work
// or for other ranks it sends the last note, at most ten times a second, and the first rank takes
// what has come. Nobody waits for such a message. Progress is not worth a job: where MPI fails, or
// drawing does, notes are not passed on any more.
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

/// What a rank is at, as it is sent.
struct ProgressNote {
  char stage[40] = "";  ///< empty: nothing is known
  std::uint64_t done = 0, total = 0;

  bool operator==(const ProgressNote& other) const;
};

/// The notes of all ranks about the stage that the first one is in. A rank that is still in the
/// stage before has done nothing of it; one that is in a later stage has done all.
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
  /// Collective, when nothing is noted any more: no message stays behind.
  void end() noexcept;

  /// Of this process, if there is one.
  static ProgressBoard* current;

 private:
  using Clock = std::chrono::steady_clock;

  /// What MPI returns; an error ends the exchange of notes.
  bool is_fine(int code) { return is_on_ &= code == MPI_SUCCESS; }
  void send();
  bool receive();
  void draw();

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  bool is_on_ = true;
  std::function<void(const Progress&)> draw_;
  std::thread::id thread_ = std::this_thread::get_id();
  std::mutex mutex_;                 ///< of what is below
  std::vector<ProgressNote> notes_;  ///< of all ranks; the others know their own alone
  std::string before_;               ///< the stage before the present one
  ProgressNote sent_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::int64_t messages_ = 0;  ///< sent, or received
  Clock::time_point next_ = {};
};

/// Called where a rank waits.
inline void pass_progress_on() {
  if (ProgressBoard::current) ProgressBoard::current->pass_on();
}

}  // namespace kith::mpi
