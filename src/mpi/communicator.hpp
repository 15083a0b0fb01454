// MPI as the rest of kith_mpi sees it: a separate communicator, reductions whose size never
// depends on the number of points, and sparse exchanges (NBX: Hoefler, Siebert, Lumsdaine 2010), in
// which a rank sends messages only to ranks for which it has data.
//
// Waiting ranks yield their CPU. Only the thread that calls in talks to MPI, so
// MPI_THREAD_FUNNELED is enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <span>
#include <utility>
#include <vector>

#include "base/array.hpp"

namespace kith::mpi {

/// What this rank sent and received; a round is one step in which ranks wait for each other.
struct Traffic {
  std::uint64_t bytes_sent = 0, bytes_received = 0, messages = 0, rounds = 0;
  std::uint64_t collective_bytes = 0;  ///< put into collective operations
  std::uint64_t microseconds = 0;      ///< in MPI: messages, and waiting for other ranks
};

/// Bytes for some other ranks: run i, [offset[i], offset[i + 1]), goes to or came from rank[i].
/// Ranks ascend.
struct Runs {
  std::vector<int> rank;
  std::vector<std::size_t> offset;  ///< empty without runs: an empty object takes no memory

  std::size_t size() const { return rank.size(); }
  std::size_t total() const { return offset.empty() ? 0 : offset.back(); }
  std::size_t length(std::size_t i) const { return offset[i + 1] - offset[i]; }
  void add(int to, std::size_t count) {
    if (offset.empty()) offset.push_back(0);
    rank.push_back(to);
    offset.push_back(offset.back() + count);
  }
  /// The same runs in units of this many bytes.
  Runs times(std::size_t bytes) const {
    Runs result = *this;
    for (std::size_t& at : result.offset) at *= bytes;
    return result;
  }
};

class Communicator {
 public:
  /// Duplicates; collective. `is_ready`: this rank has the memory that it needs to go on. Errors:
  /// invalid_argument where MPI is not ready for us, out_of_memory where a rank is not.
  explicit Communicator(MPI_Comm of, bool is_ready = true);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Threads for each rank: the CPUs that the ranks of this node may use, divided by their number.
  int threads() const { return threads_; }
  /// The number of this rank among those of its machine.
  int rank_on_machine() const { return rank_on_machine_; }
  const Traffic& traffic() const { return traffic_; }

  // ---- collective operations on a few numbers, in place

  void sum(std::int64_t* values, std::size_t count);
  void least(std::int64_t* values, std::size_t count);
  void least(double* values, std::size_t count);
  void broadcast(void* bytes, std::size_t count, int root);
  /// `count` bytes of each rank, by rank.
  void gather_all(const void* mine, std::size_t count, void* all);

  // ---- sparse exchange

  /// Runs of at most this many bytes travel with their announcement.
  static constexpr std::size_t kLetter = 4000;

  /// What a rank has for this one.
  struct Announced {
    int rank;
    std::uint64_t bytes;
    std::size_t letter;  ///< where its bytes are among the letters, or kNoLetter
  };
  static constexpr std::size_t kNoLetter = ~std::size_t{0};

  /// Room for the messages of an exchange, made beforehand. Only letters take memory when they
  /// arrive; those that find none are thrown away.
  struct Scratch {
    std::vector<MPI_Request> requests;
    std::vector<std::uint64_t> lengths;
    std::vector<Announced> arrived;  ///< ranks ascending
    std::vector<std::byte> letters;
    bool is_full = false;  ///< no memory for a letter
  };
  /// For announcements to any ranks.
  Scratch scratch() const;

  /// Who has how many bytes for this rank, to scratch.arrived. The step in which all ranks wait for
  /// each other also takes the least of some values over all ranks. `from`: bytes of the runs, or
  /// null if none are to travel yet. Collective.
  void announce(const Runs& out, const std::byte* from, std::span<std::int64_t> values,
                Scratch& scratch);
  /// Room for the requests of the messages of both sides.
  static void reserve(const Runs& out, const Runs& in, Scratch& scratch);
  /// The bytes themselves, of runs longer than `letter`; `in` was announced. If `out` lacks the run
  /// from this rank to itself, the caller has filled it in or will do so.
  void exchange(const Runs& out, const std::byte* from, const Runs& in, std::byte* to,
                Scratch& scratch, std::size_t letter = 0);

  // ---- alarms: one rank informs all others at once that it has failed

  void send_alarms(std::vector<MPI_Request>& requests);
  /// True once an alarm has arrived.
  bool hears_alarm();
  /// Receives what alarms are under way; collective, after all know that there were some.
  void end_alarms(std::vector<MPI_Request>& requests);

  /// Messages are split into parts of at most this many bytes (MPI counts them by int).
  static std::size_t largest_message;

 private:
  template <class Post>
  void run(std::size_t bytes, Post post);
  void wait(MPI_Request* requests, std::size_t count, std::size_t bytes);
  void post_parts(bool is_send, int other, std::byte* data, std::size_t bytes,
                  std::vector<MPI_Request>& requests);
  /// Receives what `receive` finds until all ranks' own sends have arrived.
  template <class Receive>
  void until_quiet(std::vector<MPI_Request>& sends, std::span<std::int64_t> values,
                   Receive receive);
  bool receive_length(int tag, Scratch& scratch);
  bool receive_letter(int tag, Scratch& scratch);
  int count_threads();

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, threads_ = 1, rank_on_machine_ = 0;
  bool is_crowded_ = false;  ///< more ranks on this node than CPUs
  int turn_ = 0;             ///< consecutive exchanges use different tags
  Traffic traffic_;
};

}  // namespace kith::mpi
