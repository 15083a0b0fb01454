#include "mpi/transport/communicator.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/fail.hpp"
#include "mpi/transport/progress_board.hpp"
#include "parallel/cpu_mask.hpp"

namespace kith::mpi {
namespace {

constexpr int kDataTag = 1, kAlarmTag = 2, kAnnounceTag = 3, kEagerTag = 5;  // and 4, 6

void require(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail(ErrorCode::internal, "{}: {}; the communicator may be unusable now", what,
       std::string_view(text, static_cast<std::size_t>(length)));
}

using Clock = std::chrono::steady_clock;

/// Waits between polls, for longer the more polls found nothing. Ranks with separate CPUs yield at
/// first: data moves only while a rank polls, for a time that grows with the bytes. Ranks that
/// share CPUs sleep at once: a rank that only yields keeps the CPU from those that have work (the
/// tests on 16 ranks and 2 cores took 8 times as long).
class Backoff {
 public:
  explicit Backoff(bool is_crowded, std::size_t moving_bytes = 0)
      : awake_(is_crowded ? Clock::time_point() : Clock::now() + awake_for(moving_bytes)) {}

  void wait() {
    if (awake_ != Clock::time_point() && Clock::now() < awake_) return std::this_thread::yield();
    if (++tries_ >= 20) pass_progress_on();
    std::this_thread::sleep_for(std::chrono::microseconds(tries_ < 20 ? 20 : 200));
  }

 private:
  static std::chrono::microseconds awake_for(std::size_t moving_bytes) {
    constexpr std::size_t kSlowest = 200;  // megabytes per second
    return std::chrono::microseconds(moving_bytes > 0 ? 20000 + moving_bytes / kSlowest : 200);
  }

  Clock::time_point awake_;
  int tries_ = 0;
};

/// Adds the time of its scope.
class Stopwatch {
 public:
  explicit Stopwatch(std::uint64_t& microseconds) : sum_(microseconds) {}
  ~Stopwatch() {
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start_);
    sum_ += static_cast<std::uint64_t>(time.count());
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::uint64_t& sum_;
  Clock::time_point start_ = Clock::now();
};

void check_mpi(MPI_Comm of) {
  int is_on = 0, is_off = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&is_on);
  MPI_Finalized(&is_off);
  if (!is_on || is_off)
    refuse("mpi: MPI is not running; call MPI_Init_thread before and MPI_Finalize after");
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_FUNNELED)
    refuse("mpi: MPI was started for one thread; call MPI_Init_thread with MPI_THREAD_FUNNELED");
  if (of == MPI_COMM_NULL) refuse("mpi: no communicator (MPI_COMM_NULL)");
}

}  // namespace

std::size_t Communicator::largest_message = std::size_t{1} << 30;

Communicator::Communicator(MPI_Comm of, bool is_ready) {
  check_mpi(of);
  require(MPI_Comm_dup(of, &comm_), "MPI_Comm_dup");
  int all = is_ready ? 1 : 0;
  require(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm_), "MPI_Allreduce");
  if (!all) {
    MPI_Comm_free(&comm_);
    fail(ErrorCode::out_of_memory, "mpi: a rank ran out of memory at the start; use fewer ranks");
  }
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
  threads_ = count_threads();
}

Communicator::~Communicator() {
  int is_off = 0;
  MPI_Finalized(&is_off);
  if (!is_off && comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

/// Ranks that a launcher has bound to separate CPUs share the union of these CPUs.
int Communicator::count_threads() {
  MPI_Comm node = MPI_COMM_NULL;
  if (MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) != MPI_SUCCESS)
    return 1;
  const CpuMask mine = cpus_of_thread();
  CpuMask all;
  int ranks = 1;
  MPI_Comm_size(node, &ranks);
  MPI_Comm_rank(node, &rank_on_machine_);
  MPI_Request request;
  require(MPI_Iallreduce(mine.words.data(), all.words.data(), static_cast<int>(mine.words.size()),
                         MPI_UINT64_T, MPI_BOR, node, &request),
          "MPI_Iallreduce");
  int is_done = 0;
  for (Backoff backoff(true);; backoff.wait()) {
    require(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_done) break;
  }
  MPI_Comm_free(&node);
  is_crowded_ = ranks > all.count();
  return std::clamp(all.count() / ranks, 1, std::max(1, mine.count()));
}

void Communicator::wait(MPI_Request* requests, std::size_t count, std::size_t bytes) {
  // In portions: the number of requests is an int.
  constexpr std::size_t kMost = std::size_t{1} << 20;
  for (std::size_t i = 0; i < count; i += kMost) {
    const int portion = static_cast<int>(std::min(kMost, count - i));
    int is_done = 0;
    for (Backoff backoff(is_crowded_, bytes);; backoff.wait()) {
      require(MPI_Testall(portion, requests + i, &is_done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (is_done) break;
    }
  }
}

template <class Post>
void Communicator::run(std::size_t bytes, Post post) {
  const Stopwatch watch(traffic_.microseconds);
  MPI_Request request = MPI_REQUEST_NULL;
  require(post(&request), "MPI collective operation");
  wait(&request, 1, 0);
  traffic_.collective_bytes += bytes;
  ++traffic_.rounds;
}

void Communicator::sum(std::int64_t* values, std::size_t count) {
  run(count * sizeof *values, [&](MPI_Request* request) {
    return MPI_Iallreduce(MPI_IN_PLACE, values, static_cast<int>(count), MPI_INT64_T, MPI_SUM,
                          comm_, request);
  });
}
void Communicator::least(std::int64_t* values, std::size_t count) {
  run(count * sizeof *values, [&](MPI_Request* request) {
    return MPI_Iallreduce(MPI_IN_PLACE, values, static_cast<int>(count), MPI_INT64_T, MPI_MIN,
                          comm_, request);
  });
}
void Communicator::least(double* values, std::size_t count) {
  run(count * sizeof *values, [&](MPI_Request* request) {
    return MPI_Iallreduce(MPI_IN_PLACE, values, static_cast<int>(count), MPI_DOUBLE, MPI_MIN, comm_,
                          request);
  });
}
void Communicator::broadcast(void* bytes, std::size_t count, int root) {
  run(count, [&](MPI_Request* request) {
    return MPI_Ibcast(bytes, static_cast<int>(count), MPI_BYTE, root, comm_, request);
  });
}
void Communicator::gather_all(const void* mine, std::size_t count, void* all) {
  run(count, [&](MPI_Request* request) {
    return MPI_Iallgather(mine, static_cast<int>(count), MPI_BYTE, all, static_cast<int>(count),
                          MPI_BYTE, comm_, request);
  });
}

Communicator::Scratch Communicator::scratch() const {
  Scratch scratch;
  const auto ranks = static_cast<std::size_t>(size_);
  scratch.requests.reserve(ranks);
  scratch.lengths.reserve(ranks);
  scratch.arrived.reserve(ranks);
  return scratch;
}

template <class Receive>
void Communicator::until_quiet(std::vector<MPI_Request>& sends, std::span<std::int64_t> values,
                               Receive receive) {
  MPI_Request all = MPI_REQUEST_NULL;
  bool is_waiting = false;
  for (Backoff backoff(is_crowded_);; backoff.wait()) {
    while (receive()) backoff = Backoff(is_crowded_);
    int is_done = 0;
    if (is_waiting) {
      require(MPI_Test(&all, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
      if (is_done) break;
    } else {
      require(
          MPI_Testall(static_cast<int>(sends.size()), sends.data(), &is_done, MPI_STATUSES_IGNORE),
          "MPI_Testall");
      if (!is_done) continue;
      require(MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                             MPI_INT64_T, MPI_MIN, comm_, &all),
              "MPI_Iallreduce");
      is_waiting = true;
    }
  }
  sends.clear();
  traffic_.collective_bytes += values.size_bytes();
  ++traffic_.rounds;
}

void Communicator::announce(const OutBytes& out, std::span<std::int64_t> values, Scratch& scratch) {
  const Stopwatch watch(traffic_.microseconds);
  const int turn = turn_ ^= 1;
  scratch.requests.clear();
  scratch.lengths.clear();
  scratch.arrived.clear();
  scratch.eager_data.clear();
  scratch.is_full = false;
  for (std::size_t i = 0; i < out.runs.size(); ++i) {
    const std::size_t length = out.length(i);
    const int to = out.runs.rank[i];
    if (length == 0) continue;
    if (to == rank_) {
      scratch.arrived.push_back({rank_, length, kNotEager});
      continue;
    }
    scratch.requests.push_back(MPI_REQUEST_NULL);
    if (out.data && length <= kEagerLimit) {
      require(MPI_Issend(out.begin(i), static_cast<int>(length), MPI_BYTE, to, kEagerTag + turn,
                         comm_, &scratch.requests.back()),
              "MPI_Issend");
      traffic_.bytes_sent += length;
    } else {
      scratch.lengths.push_back(length);
      require(MPI_Issend(&scratch.lengths.back(), 1, MPI_UINT64_T, to, kAnnounceTag + turn, comm_,
                         &scratch.requests.back()),
              "MPI_Issend");
      traffic_.bytes_sent += sizeof(std::uint64_t);
    }
    ++traffic_.messages;
  }
  until_quiet(scratch.requests, values, [&] {
    return receive_length(kAnnounceTag + turn, scratch) || receive_eager(kEagerTag + turn, scratch);
  });
  std::sort(scratch.arrived.begin(), scratch.arrived.end(),
            [](const Announced& a, const Announced& b) { return a.rank < b.rank; });
}

bool Communicator::receive_length(int tag, Scratch& scratch) {
  int is_there = 0;
  MPI_Status status;
  require(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &is_there, &status), "MPI_Iprobe");
  if (!is_there) return false;
  std::uint64_t length = 0;
  require(MPI_Recv(&length, 1, MPI_UINT64_T, status.MPI_SOURCE, tag, comm_, MPI_STATUS_IGNORE),
          "MPI_Recv");
  traffic_.bytes_received += sizeof length;
  scratch.arrived.push_back({status.MPI_SOURCE, length, kNotEager});
  return true;
}

bool Communicator::receive_eager(int tag, Scratch& scratch) {
  int is_there = 0, length = 0;
  MPI_Status status;
  require(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &is_there, &status), "MPI_Iprobe");
  if (!is_there) return false;
  require(MPI_Get_count(&status, MPI_BYTE, &length), "MPI_Get_count");
  std::byte bytes[kEagerLimit];
  require(MPI_Recv(bytes, length, MPI_BYTE, status.MPI_SOURCE, tag, comm_, MPI_STATUS_IGNORE),
          "MPI_Recv");
  traffic_.bytes_received += static_cast<std::uint64_t>(length);
  const auto count = static_cast<std::size_t>(length), at = scratch.eager_data.size();
  try {
    scratch.eager_data.insert(scratch.eager_data.end(), bytes, bytes + count);
    scratch.arrived.push_back({status.MPI_SOURCE, count, at});
  } catch (const std::bad_alloc&) {
    scratch.is_full = true;
  }
  return true;
}

void Communicator::reserve(const OutBytes& out, const InBytes& in, Scratch& scratch) {
  const auto parts = [](const auto& side) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < side.runs.size(); ++i)
      count += side.length(i) / largest_message + 1;
    return count;
  };
  scratch.requests.reserve(parts(out) + parts(in));
}

void Communicator::post_parts(bool is_send, int other, std::byte* data, std::size_t bytes,
                              std::vector<MPI_Request>& requests) {
  for (std::size_t at = 0; at < bytes; at += largest_message) {
    const int part = static_cast<int>(std::min(largest_message, bytes - at));
    requests.push_back(MPI_REQUEST_NULL);
    if (is_send)
      require(MPI_Isend(data + at, part, MPI_BYTE, other, kDataTag, comm_, &requests.back()),
              "MPI_Isend");
    else
      require(MPI_Irecv(data + at, part, MPI_BYTE, other, kDataTag, comm_, &requests.back()),
              "MPI_Irecv");
    (is_send ? traffic_.bytes_sent : traffic_.bytes_received) += static_cast<std::uint64_t>(part);
    traffic_.messages += is_send ? 1 : 0;
  }
}

void Communicator::exchange(const OutBytes& out, const InBytes& in, Scratch& scratch,
                            std::size_t sent) {
  const Stopwatch watch(traffic_.microseconds);
  scratch.requests.clear();
  const std::byte* mine = nullptr;
  for (std::size_t i = 0; i < out.runs.size(); ++i)
    if (out.runs.rank[i] == rank_) mine = out.begin(i);
  for (std::size_t i = 0; i < in.runs.size(); ++i) {
    if (in.runs.rank[i] == rank_) {
      if (mine) std::copy_n(mine, in.length(i), in.begin(i));
    } else if (in.length(i) > sent) {
      post_parts(false, in.runs.rank[i], in.begin(i), in.length(i), scratch.requests);
    }
  }
  for (std::size_t i = 0; i < out.runs.size(); ++i)
    if (out.runs.rank[i] != rank_ && out.length(i) > sent)
      post_parts(true, out.runs.rank[i], const_cast<std::byte*>(out.begin(i)), out.length(i),
                 scratch.requests);
  if (scratch.requests.empty()) return;
  wait(scratch.requests.data(), scratch.requests.size(), in.total() + out.total());
  scratch.requests.clear();
  ++traffic_.rounds;
}

void Communicator::send_alarms(std::vector<MPI_Request>& requests) {
  for (int other = 0; other < size_; ++other) {
    if (other == rank_) continue;
    requests.push_back(MPI_REQUEST_NULL);
    require(MPI_Issend(nullptr, 0, MPI_BYTE, other, kAlarmTag, comm_, &requests.back()),
            "MPI_Issend");
    ++traffic_.messages;
  }
}

bool Communicator::receive_alarm() {
  int is_there = 0;
  MPI_Status status;
  require(MPI_Iprobe(MPI_ANY_SOURCE, kAlarmTag, comm_, &is_there, &status), "MPI_Iprobe");
  if (is_there)
    require(MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, kAlarmTag, comm_, MPI_STATUS_IGNORE),
            "MPI_Recv");
  return is_there != 0;
}

void Communicator::end_alarms(std::vector<MPI_Request>& requests) {
  std::int64_t nothing = 0;
  until_quiet(requests, {&nothing, 1}, [&] { return receive_alarm(); });
}

}  // namespace kith::mpi
