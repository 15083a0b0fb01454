// The communicator of a call: reductions whose size never depends on the number of points, and
// sparse exchanges (NBX: Hoefler, Siebert, Lumsdaine 2010), in which a rank sends messages only to
// ranks for which it has data.
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

/// The traffic of this rank; a round is one step in which ranks wait for each other.
struct Traffic {
  std::uint64_t bytes_sent = 0, bytes_received = 0, messages = 0, rounds = 0;
  std::uint64_t collective_bytes = 0;  ///< put into collective operations
  std::uint64_t microseconds = 0;      ///< in MPI: messages, and waiting for other ranks
};

/// Rows for some ranks: run i, [offset[i], offset[i + 1]), goes to or came from rank[i]. Ranks
/// ascend.
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
  /// More rows for the rank of the last run, or those of a new one.
  void extend(int to, std::size_t count) {
    if (rank.empty() || rank.back() != to) return add(to, count);
    offset.back() += count;
  }
};

/// Runs of rows in memory.
template <class Byte>
struct RunBytes {
  const Runs& runs;
  Byte* data;
  std::size_t row_bytes;

  std::size_t length(std::size_t i) const { return runs.length(i) * row_bytes; }
  Byte* begin(std::size_t i) const { return data + runs.offset[i] * row_bytes; }
  std::size_t total() const { return runs.total() * row_bytes; }
};
using OutBytes = RunBytes<const std::byte>;
using InBytes = RunBytes<std::byte>;

class Communicator {
 public:
  /// Duplicates; collective. `is_ready`: this rank has the memory that it needs to continue.
  /// Errors: invalid_argument if MPI is not running, out_of_memory if a rank is not ready.
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

  /// Runs of at most this many bytes are sent with their announcement, as eager messages.
  static constexpr std::size_t kEagerLimit = 4000;

  /// A run that another rank has for this one.
  struct Announced {
    int rank;
    std::uint64_t bytes;
    std::size_t eager;  ///< where its bytes begin in eager_data, or kNotEager
  };
  static constexpr std::size_t kNotEager = ~std::size_t{0};

  /// Memory for the messages of an exchange, allocated beforehand. Only eager messages take memory
  /// when they arrive; those for which there is none are thrown away.
  struct Scratch {
    std::vector<MPI_Request> requests;
    std::vector<std::uint64_t> lengths;
    std::vector<Announced> arrived;  ///< ranks ascending
    std::vector<std::byte> eager_data;
    bool is_full = false;  ///< an eager message was thrown away
  };
  /// Enough for announcements to all ranks.
  Scratch scratch() const;

  /// Fills scratch.arrived. The step in which all ranks wait for each other also takes the least of
  /// some values over all ranks. Without out.data no eager messages are sent. Collective.
  void announce(const OutBytes& out, std::span<std::int64_t> values, Scratch& scratch);
  /// Reserves the requests of the messages of both sides.
  static void reserve(const OutBytes& out, const InBytes& in, Scratch& scratch);
  /// Sends and receives the runs longer than `sent`, of which both sides know the lengths. If `out`
  /// lacks the run from this rank to itself, the caller copies it.
  void exchange(const OutBytes& out, const InBytes& in, Scratch& scratch, std::size_t sent = 0);

  // ---- alarms: one rank informs all others at once that it has failed

  void send_alarms(std::vector<MPI_Request>& requests);
  /// Receives an alarm, if one has arrived.
  bool receive_alarm();
  /// Receives the alarms that are still under way. Collective, after a failure.
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
  bool receive_eager(int tag, Scratch& scratch);
  int count_threads();

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, threads_ = 1, rank_on_machine_ = 0;
  bool is_crowded_ = false;  ///< more ranks on this node than CPUs
  int turn_ = 0;             ///< consecutive exchanges use different tags
  Traffic traffic_;
};

}  // namespace kith::mpi
