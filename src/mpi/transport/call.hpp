// A call of all ranks: phases of work that each rank does for itself, with exchanges between them.
//
// After each phase the ranks agree whether it succeeded. If it failed on one of them, all throw the
// same Error. A phase runs on a second thread while the calling thread polls: a rank that fails
// sends alarms, and the others stop computing at once. Agreements cost a round in which all ranks
// wait for each other, so work that leads to an exchange leaves it to the exchange: a rank that has
// failed does nothing more and sends nothing, and the exchange begins with the agreement. No rank
// waits for a message that never comes.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <kith/execution.hpp>

#include "base/fail.hpp"
#include "base/function_ref.hpp"
#include "mpi/transport/communicator.hpp"
#include "mpi/transport/same_options.hpp"
#include "parallel/public_call.hpp"

namespace kith::mpi {

/// Rows that arrived in an exchange.
template <class Row>
struct Received {
  Runs runs;  ///< of rows, by the rank that sent them
  Array<Row> values;
  std::size_t width = 1;            ///< values of a row
  bool is_empty_everywhere = true;  ///< no rank sent anything

  std::span<const Row> all() const { return {values.data(), values.size()}; }
  /// Those of run i.
  std::span<const Row> run(std::size_t i) const {
    return all().subspan(runs.offset[i] * width, runs.length(i) * width);
  }
};

/// True if an InterruptCheck of this thread says that the call is to stop.
bool is_interrupted();

/// Whether a call accepts a device.
enum class Devices { refused, used };

class Call {
 public:
  /// `name` as in messages: a literal.
  Call(const char* name, Communicator& communicator, const Execution& execution,
       Devices devices = Devices::refused);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Communicator& communicator() { return communicator_; }
  int rank() const { return communicator_.rank(); }
  int ranks() const { return communicator_.size(); }
  const char* name() const { return name_; }
  const Execution& execution() const { return execution_; }
  /// For calls of the core inside a phase, on the CPU.
  const Execution& inner() const { return inner_; }
  /// For calls of the core on the device of this rank.
  const Execution& on_device() const { return on_device_; }
  bool uses_device() const { return !is_cpu(on_device_); }

  /// Options that must be the same on all ranks; compared at the next agreement.
  SameOptions& same() { return same_; }

  /// body(workers) on this rank, then agreement.
  void phase(FunctionRef<void(Workers&)> body) {
    work(body);
    agree();
  }
  /// The same for work of microseconds, on this thread.
  void quick(FunctionRef<void()> body) {
    prepare(body);
    agree();
  }
  /// phase() and quick() without agreement, to be followed by one of them or by an exchange. Only
  /// other bodies may use the results: those of a rank that failed do not run.
  void work(FunctionRef<void(Workers&)> body);
  void prepare(FunctionRef<void()> body);

  /// Sends every run of rows to its rank; a row has `width` values. Begins with an agreement; where
  /// all runs are short that is the only step in which ranks wait for each other. The agreement on
  /// memory for the arriving rows comes later; without memory, no rows seem to have arrived.
  template <class Value>
  Received<Value> exchange(const Runs& out, const Value* from, std::size_t width = 1);
  /// The same where both sides know the runs already.
  template <class Value>
  Array<Value> exchange(const Runs& out, const Value* from, const Runs& in, std::size_t width = 1);
  /// The same into memory of the caller. If `out` lacks the run from this rank to itself, that part
  /// of `to` is left as it is.
  template <class Value>
  void exchange(const Runs& out, const Value* from, const Runs& in, Value* to,
                std::size_t width = 1);
  /// The runs that the others have for this rank. Begins with an agreement; the result is for
  /// bodies only.
  Runs announced(const Runs& out);

  /// Adds the traffic since the last note to the statistics under this name. The destructor adds
  /// the rest, under that of the call.
  void note_traffic(const char* part);

 private:
  static constexpr std::size_t kMessage = 1000;
  /// The error of this rank; of fixed size, since memory may have run out.
  struct Failure {
    bool is_set = false;
    std::int32_t code = 0;
    char message[kMessage] = "";
  };

  /// The numbers of an agreement: the least of each over all ranks.
  using Agreement = std::array<std::int64_t, 5>;
  static constexpr std::size_t kFailed = 0;                ///< a rank, or their number
  static constexpr std::size_t kHash = 1, kMinusHash = 2;  ///< options
  static constexpr std::size_t kIsEager = 3;               ///< all messages are eager
  static constexpr std::size_t kIsEmpty = 4;               ///< no rank sends any row

  /// This rank or another one has failed: no body runs any more.
  bool is_broken() const { return failure_.is_set || is_stopped_by_other_; }
  /// f(), whose exceptions become `failure_`.
  void run_guarded(FunctionRef<void()> f) noexcept;
  /// Sends alarms to the others if this rank has failed.
  void raise_alarm();
  void set_failure(ErrorCode code, const char* message) noexcept;
  void append(const char* words) noexcept;
  /// Polls until the work ends. An exception meanwhile stops the work.
  std::exception_ptr poll_while(const std::atomic<bool>& is_running) noexcept;
  void poll();
  void agree();
  Agreement agreement() const;
  void throw_if_failed(const Agreement& agreed);
  /// Room for this many rows.
  using MakeRoom = FunctionRef<std::byte*(std::size_t rows)>;
  /// The runs that arrive; none if there was no memory. `is_empty`: no rank sent anything.
  Runs exchange_bytes(const OutBytes& out, MakeRoom room, bool& is_empty);
  void exchange_bytes(const OutBytes& out, const Runs& in, MakeRoom room);

  /// Collective, with an agreement. Eager messages are sent at once if out.data is set.
  Agreement announce(const OutBytes& out);
  /// The runs that were announced.
  Runs announced_runs(std::size_t row_bytes) const;
  /// Puts the eager messages into their places.
  void copy_eager(const InBytes& in) const;
  [[noreturn]] void throw_failure_of(int rank);
  /// Of the first rank whose options are not those of rank 0.
  [[noreturn]] void throw_difference();

  const char* name_;
  Communicator& communicator_;
  const Execution& execution_;
  Execution inner_, on_device_;
  std::optional<CancelToken> stop_;
  std::atomic<bool> is_stopped_by_other_{false};  ///< stopped by another rank
  Failure failure_;
  SameOptions same_;
  Traffic noted_;
  std::vector<MPI_Request> alarms_;
  Communicator::Scratch scratch_;
  std::mutex mutex_;
  std::condition_variable is_over_;
};

/// For calls of one process inside a phase.
inline Execution inside(Call& call, const Workers& workers) {
  return {.threads = workers.threads(), .cancel = call.inner().cancel};
}

template <class Value>
Received<Value> Call::exchange(const Runs& out, const Value* from, std::size_t width) {
  Received<Value> received;
  received.width = width;
  const auto room = [&](std::size_t rows) {
    received.values = Array<Value>(rows * width, pool_of(execution_));
    return reinterpret_cast<std::byte*>(received.values.data());
  };
  received.runs =
      exchange_bytes({out, reinterpret_cast<const std::byte*>(from), width * sizeof(Value)}, room,
                     received.is_empty_everywhere);
  return received;
}

template <class Value>
Array<Value> Call::exchange(const Runs& out, const Value* from, const Runs& in, std::size_t width) {
  Array<Value> values;
  const auto room = [&](std::size_t rows) {
    values = Array<Value>(rows * width, pool_of(execution_));
    return reinterpret_cast<std::byte*>(values.data());
  };
  exchange_bytes({out, reinterpret_cast<const std::byte*>(from), width * sizeof(Value)}, in, room);
  return values;
}

template <class Value>
void Call::exchange(const Runs& out, const Value* from, const Runs& in, Value* to,
                    std::size_t width) {
  exchange_bytes({out, reinterpret_cast<const std::byte*>(from), width * sizeof(Value)}, in,
                 [&](std::size_t) { return reinterpret_cast<std::byte*>(to); });
}

}  // namespace kith::mpi
