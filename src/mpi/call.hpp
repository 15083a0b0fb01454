// A call of all ranks: phases of work that each rank does for itself, with exchanges between them.
//
// After each phase the ranks agree on how it went. If it failed on one of them, all throw the same
// Error. A phase runs on a second thread while the calling thread listens: a rank that fails rings
// an alarm, and the others stop computing at once. Agreements cost a round in which all ranks wait
// for each other, so work that leads to an exchange leaves it to the exchange: a rank that has
// failed does nothing more and sends nothing, which the others notice. No rank is left waiting for
// a message that never comes.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <kith/execution.hpp>

#include "base/fail.hpp"
#include "base/function_ref.hpp"
#include "mpi/communicator.hpp"
#include "mpi/same_options.hpp"
#include "parallel/public_call.hpp"

namespace kith::mpi {

/// The bytes that arrived in an exchange.
struct Arrived {
  Runs runs;
  Array<std::byte> bytes;
  bool is_anyone = false;  ///< some rank sent something to some rank
};

/// What a call makes of Execution::device.
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
  /// phase() and quick() without agreement, to be followed by one of them or by an exchange. What
  /// the body makes may be used by other bodies only: those of a rank that failed do not run.
  void work(FunctionRef<void(Workers&)> body);
  void prepare(FunctionRef<void()> body);

  /// Sends every run of `from` to its rank. Begins with an agreement; where all runs are short that
  /// is the only step in which ranks wait for each other. Whether there is memory for what arrives
  /// is agreed upon later; without memory, nothing seems to have arrived.
  Arrived exchange(const Runs& out, const std::byte* from);
  /// The same where both sides know the runs already.
  Array<std::byte> exchange(const Runs& out, const std::byte* from, const Runs& in);
  /// The same into memory of the caller. If `out` lacks the run from this rank to itself, that part
  /// of `to` is left as it is.
  void exchange(const Runs& out, const std::byte* from, const Runs& in, std::byte* to);
  /// The runs that the others have for this rank, in the unit of `out`. Begins with an agreement;
  /// what it makes is for bodies only.
  Runs announced(const Runs& out);

  /// Traffic since the last note goes to the statistics under this name. The rest is noted in the
  /// end, under that of the call.
  void note_traffic(const char* part);

 private:
  static constexpr std::size_t kMessage = 1000;
  /// The error of this rank; of fixed size, since memory may have run out.
  struct Failure {
    bool is_there = false;
    std::int32_t code = 0;
    char message[kMessage] = "";
  };

  /// What ranks learn of each other when they agree: the least of each number over all of them.
  using Agreement = std::array<std::int64_t, 5>;
  static constexpr std::size_t kFailed = 0;                  ///< a rank, or their number
  static constexpr std::size_t kPrint = 1, kMinusPrint = 2;  ///< options
  static constexpr std::size_t kIsShort = 3;                 ///< all runs are letters
  static constexpr std::size_t kIsQuiet = 4;                 ///< no rank sends anything

  /// Results of this rank are of no use any more.
  bool is_broken() const { return failure_.is_there || is_told_; }
  /// f(), whose exceptions become `failure_`.
  void guarded(FunctionRef<void()> f) noexcept;
  /// Alarms the others at once if this rank has failed.
  void ring();
  void set_failure(ErrorCode code, const char* message) noexcept;
  void append(const char* words) noexcept;
  /// Anything that is thrown meanwhile stops the work of this rank.
  std::exception_ptr listen_while(const std::atomic<bool>& is_running) noexcept;
  void listen();
  void agree();
  Agreement agreement() const;
  void end(const Agreement& agreed);
  /// Collective, with an agreement. Bytes of short runs travel at once unless `from` is null.
  Agreement announce(const Runs& out, const std::byte* from);
  /// The runs that were announced, with letters in their places.
  Arrived opened() const;
  [[noreturn]] void throw_failure_of(int rank);
  /// Of the first rank whose options are not those of rank 0.
  [[noreturn]] void throw_difference();

  const char* name_;
  Communicator& communicator_;
  const Execution& execution_;
  Execution inner_, on_device_;
  std::optional<CancelToken> stop_;
  std::atomic<bool> is_told_{false};  ///< stopped by another rank
  Failure failure_;
  SameOptions same_;
  Traffic noted_;
  std::vector<MPI_Request> alarms_;
  Communicator::Scratch scratch_;
  std::mutex mutex_;
  std::condition_variable is_over_;
};

}  // namespace kith::mpi
