#include "mpi/transport/progress_board.hpp"

#include <algorithm>
#include <cstring>

namespace kith::mpi {
namespace {

constexpr int kNoteTag = 1;
constexpr std::chrono::milliseconds kNoteInterval{100};

ProgressNote note_of(const Progress& progress) {
  ProgressNote note;
  const std::size_t length = std::min(progress.stage.size(), sizeof note.stage - 1);
  std::copy_n(progress.stage.data(), length, note.stage);
  note.done = progress.done;
  note.total = progress.total;
  return note;
}

}  // namespace

ProgressBoard* ProgressBoard::current = nullptr;

bool ProgressNote::operator==(const ProgressNote& other) const {
  return std::strcmp(stage, other.stage) == 0 && done == other.done && total == other.total;
}

ProgressNote sum_of_notes(const std::vector<ProgressNote>& notes, const std::string& before) {
  ProgressNote sum = notes.front();
  for (std::size_t r = 1; r < notes.size(); ++r) {
    const ProgressNote& note = notes[r];
    const bool is_here = std::strcmp(note.stage, sum.stage) == 0;
    const bool is_behind = note.stage[0] == '\0' || note.stage == before;
    sum.total += is_here ? note.total : notes.front().total;
    sum.done += is_here ? note.done : is_behind ? 0 : notes.front().total;
  }
  return sum;
}

ProgressBoard::ProgressBoard(MPI_Comm of, std::function<void(const Progress&)> draw)
    : draw_(std::move(draw)) {
  int size = 1;
  check(MPI_Comm_rank(of, &rank_));
  check(MPI_Comm_size(of, &size));
  if (check(MPI_Comm_dup(of, &comm_))) check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  notes_.resize(static_cast<std::size_t>(rank_ == 0 ? size : 1));
}

void ProgressBoard::note(const Progress& progress) {
  {
    const std::lock_guard lock(mutex_);
    const ProgressNote note = note_of(progress);
    if (std::strcmp(note.stage, notes_[0].stage) != 0) before_ = notes_[0].stage;
    notes_[0] = note;
    if (rank_ == 0) draw();
  }
  if (std::this_thread::get_id() == thread_) pass_on();
}

void ProgressBoard::pass_on() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (!is_usable_ || Clock::now() < next_) return;
    next_ = Clock::now() + kNoteInterval;
    if (rank_ > 0)
      send();
    else if (receive())
      draw();
  } catch (...) {
    // Ranks wait for each other here. The next note draws again, and its error reaches the caller.
  }
}

/// One message at a time: no second one before the first is received.
void ProgressBoard::send() {
  int is_free = 1;
  if (request_ != MPI_REQUEST_NULL && !check(MPI_Test(&request_, &is_free, MPI_STATUS_IGNORE)))
    return;
  if (!is_free || notes_[0] == sent_) return;
  sent_ = notes_[0];
  if (check(MPI_Isend(&sent_, sizeof sent_, MPI_BYTE, 0, kNoteTag, comm_, &request_))) ++messages_;
}

bool ProgressBoard::receive() {
  bool has_received = false;
  while (true) {
    int has_message = 0;
    MPI_Status status;
    if (!check(MPI_Iprobe(MPI_ANY_SOURCE, kNoteTag, comm_, &has_message, &status)) || !has_message)
      return has_received;
    ProgressNote& note = notes_[static_cast<std::size_t>(status.MPI_SOURCE)];
    if (!check(MPI_Recv(&note, sizeof note, MPI_BYTE, status.MPI_SOURCE, kNoteTag, comm_,
                        MPI_STATUS_IGNORE)))
      return has_received;
    ++messages_;
    has_received = true;
  }
}

void ProgressBoard::draw() {
  if (notes_[0].stage[0] == '\0') return;
  const ProgressNote sum = sum_of_notes(notes_, before_);
  draw_({sum.stage, sum.done, sum.total});
}

void ProgressBoard::end() noexcept {
  // Ranks with an error take part, too: the others wait for them here.
  const std::int64_t own[] = {rank_ == 0 ? -messages_ : messages_, is_usable_ ? 0 : 1};
  std::int64_t sums[2] = {};
  const bool has_met = comm_ != MPI_COMM_NULL &&
                       MPI_Allreduce(own, sums, 2, MPI_INT64_T, MPI_SUM, comm_) == MPI_SUCCESS;
  if (!has_met || sums[1] > 0) return;  // messages are lost: MPI keeps the communicator
  for (; rank_ == 0 && sums[0] > 0; --sums[0]) {
    ProgressNote note;
    if (!check(MPI_Recv(&note, sizeof note, MPI_BYTE, MPI_ANY_SOURCE, kNoteTag, comm_,
                        MPI_STATUS_IGNORE)))
      return;
  }
  if (request_ != MPI_REQUEST_NULL) check(MPI_Wait(&request_, MPI_STATUS_IGNORE));
  if (is_usable_) MPI_Comm_free(&comm_);
}

}  // namespace kith::mpi
