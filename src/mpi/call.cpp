#include "mpi/call.hpp"

#include <chrono>
#include <cstring>
#include <sys/resource.h>
#include <system_error>

#include "mpi/progress_board.hpp"
#include "mpi/stop_question.hpp"
#include "tree/device.hpp"

namespace kith::mpi {
namespace {

std::uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// How often a rank that computes looks for alarms and at the caller's token.
constexpr std::chrono::milliseconds kLook{5};

/// The question of this thread.
struct OpenQuestion {
  int (*stop)() = nullptr;
  bool is_answered = false;
  std::chrono::steady_clock::time_point next = {};
};
thread_local OpenQuestion own_question;

}  // namespace

StopQuestion::StopQuestion(int (*stop)()) { own_question = {stop, false, {}}; }
StopQuestion::~StopQuestion() { own_question = {}; }

bool StopQuestion::is_answered() {
  if (!own_question.stop || own_question.is_answered) return own_question.is_answered;
  const auto now = std::chrono::steady_clock::now();
  if (now < own_question.next) return false;
  own_question.next = now + kLook;
  own_question.is_answered = own_question.stop() != 0;
  return own_question.is_answered;
}

Call::Call(const char* name, Communicator& communicator, const Execution& execution,
           Devices devices)
    : name_(name), communicator_(communicator), execution_(execution) {
  noted_ = communicator.traffic();
  same_.add("call", name);
  quick([&] {
    alarms_.reserve(static_cast<std::size_t>(communicator.size()));
    scratch_ = communicator.scratch();
    inner_ = execution;
    if (inner_.threads == 0) inner_.threads = communicator.threads();
    inner_.cancel = &stop_.emplace();
    on_device_ = inner_;
    if (is_cpu(execution)) return;
    if (devices == Devices::refused) refuse_device(name, execution.device);
    on_device_.device = device_of_process(name, execution.device,
                                          static_cast<std::size_t>(communicator.rank_on_machine()));
    inner_.device = "cpu";
  });
}

Call::~Call() {
  const Traffic now = communicator_.traffic();
  if (now.messages != noted_.messages || now.bytes_received != noted_.bytes_received)
    note_traffic(name_);
}

void Call::set_failure(ErrorCode code, const char* message) noexcept {
  failure_.is_there = true;
  failure_.code = static_cast<std::int32_t>(code);
  const std::size_t length = std::min(std::strlen(message), kMessage - 1);
  std::memcpy(failure_.message, message, length);
  failure_.message[length] = '\0';
}

void Call::append(const char* words) noexcept {
  const std::size_t at = std::strlen(failure_.message);
  const std::size_t length = std::min(std::strlen(words), kMessage - 1 - at);
  std::memcpy(failure_.message + at, words, length);
  failure_.message[at + length] = '\0';
}

void Call::guarded(FunctionRef<void()> f) noexcept {
  try {
    f();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled && is_told_) return;  // another rank's failure
    set_failure(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    set_failure(ErrorCode::out_of_memory, "out of memory; use fewer points per rank");
  } catch (const std::exception& exception) {
    set_failure(ErrorCode::cancelled, "the caller's function threw: ");
    append(exception.what());
  } catch (...) {
    set_failure(ErrorCode::cancelled, "the caller's function threw");
  }
}

namespace {
bool is_to_stop(const Execution& execution) {
  return (execution.cancel && execution.cancel->is_cancelled()) || StopQuestion::is_answered();
}

template <class F>
std::thread started_thread(const char* call, F f) {
  try {
    return std::thread(f);
  } catch (const std::system_error& error) {
    fail(ErrorCode::unavailable,
         "{}: no thread could be started ({}); raise the limit on threads, or start fewer ranks",
         call, error.code().message());
  }
}
}  // namespace

void Call::listen() {
  pass_progress_on();
  if (is_to_stop(execution_)) stop_->cancel();
  if (communicator_.hears_alarm()) {
    is_told_ = true;
    stop_->cancel();
  }
}

std::exception_ptr Call::listen_while(const std::atomic<bool>& is_running) noexcept {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (is_over_.wait_for(lock, kLook, [&] { return !is_running.load(); })) return nullptr;
    }
    try {
      listen();
    } catch (...) {
      stop_->cancel();
      return std::current_exception();
    }
  }
}

void Call::work(FunctionRef<void(Workers&)> body) {
  if (is_broken()) return;
  std::atomic<bool> is_running{true};
  std::thread thread;
  if (is_to_stop(execution_)) stop_->cancel();
  guarded([&] {
    thread = started_thread(name_, [&] {
      guarded([&] { public_call(name_, inner_, [&](Workers& workers) { body(workers); }); });
      const std::lock_guard lock(mutex_);
      is_running = false;
      is_over_.notify_one();
    });
  });
  if (thread.joinable()) {
    const std::exception_ptr heard = listen_while(is_running);
    thread.join();
    // After the join, since the thread notes its own failure; that it was stopped says less.
    if (heard) guarded([&] { std::rethrow_exception(heard); });
  }
  ring();
}

void Call::prepare(FunctionRef<void()> body) {
  if (is_broken()) return;
  guarded([&] {
    if (StopQuestion::is_answered()) fail(ErrorCode::cancelled, "{}: stopped", name_);
    public_call(name_, [&] { body(); });
  });
  ring();
}

void Call::ring() {
  if (failure_.is_there && alarms_.empty() && alarms_.capacity() > 0)
    communicator_.send_alarms(alarms_);
}

Call::Agreement Call::agreement() const {
  const auto print = static_cast<std::int64_t>(same_.print() >> 1);
  return {failure_.is_there ? rank() : ranks(), print, -print, 1, 1};
}

void Call::end(const Agreement& agreed) {
  if (agreed[kFailed] < ranks()) throw_failure_of(static_cast<int>(agreed[kFailed]));
  if (agreed[kPrint] != -agreed[kMinusPrint]) throw_difference();
}

void Call::agree() {
  Agreement values = agreement();
  communicator_.least(values.data(), values.size());
  end(values);
}

void Call::throw_failure_of(int rank) {
  communicator_.end_alarms(alarms_);
  Failure failure = failure_;
  communicator_.broadcast(&failure, sizeof failure, rank);
  failure_ = {};
  fail(static_cast<ErrorCode>(failure.code), "rank {} of {}: {}", rank, ranks(), failure.message);
}

void Call::throw_difference() {
  SameOptions::Options first = same_.all();
  communicator_.broadcast(&first, sizeof first, 0);
  guarded([&] { same_.compare(name_, first); });
  std::int64_t rank = agreement()[kFailed];
  communicator_.least(&rank, 1);
  if (rank < ranks()) throw_failure_of(static_cast<int>(rank));
  refuse("{}: the ranks passed different options; pass the same on all ranks", name_);
}

Call::Agreement Call::announce(const Runs& out, const std::byte* from) {
  const Runs nothing;
  const Runs& runs = is_broken() ? nothing : out;
  Agreement values = agreement();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs.length(i) > 0) values[kIsQuiet] = 0;
    if (runs.rank[i] != rank() && runs.length(i) > Communicator::kLetter) values[kIsShort] = 0;
  }
  communicator_.announce(runs, from, values, scratch_);
  end(values);
  return values;
}

Runs Call::announced(const Runs& out) {
  announce(out, nullptr);
  Runs in;
  prepare([&] {
    for (const auto& run : scratch_.arrived) in.add(run.rank, static_cast<std::size_t>(run.bytes));
  });
  return in;
}

Arrived Call::opened() const {
  if (scratch_.is_full) throw std::bad_alloc();
  Arrived arrived;
  for (const auto& run : scratch_.arrived)
    arrived.runs.add(run.rank, static_cast<std::size_t>(run.bytes));
  arrived.bytes = Array<std::byte>(arrived.runs.total(), pool_of(execution_));
  for (std::size_t i = 0; i < scratch_.arrived.size(); ++i) {
    std::byte* to = arrived.bytes.data() + arrived.runs.offset[i];
    if (const std::size_t letter = scratch_.arrived[i].letter; letter != Communicator::kNoLetter)
      std::copy_n(scratch_.letters.data() + letter, arrived.runs.length(i), to);
  }
  return arrived;
}

Arrived Call::exchange(const Runs& out, const std::byte* from) {
  const Agreement agreed = announce(out, from);
  Arrived arrived;
  prepare([&] {
    Arrived made = opened();
    Communicator::reserve(out, made.runs, scratch_);
    arrived = std::move(made);  // all or nothing: bytes that do not come must not be read
  });
  if (!agreed[kIsShort]) agree();
  if (!is_broken())
    communicator_.exchange(out, from, arrived.runs, arrived.bytes.data(), scratch_,
                           Communicator::kLetter);
  arrived.is_anyone = !agreed[kIsQuiet];
  return arrived;
}

Array<std::byte> Call::exchange(const Runs& out, const std::byte* from, const Runs& in) {
  Array<std::byte> bytes;
  quick([&] {
    Communicator::reserve(out, in, scratch_);
    bytes = Array<std::byte>(in.total(), pool_of(execution_));
  });
  communicator_.exchange(out, from, in, bytes.data(), scratch_);
  return bytes;
}

void Call::exchange(const Runs& out, const std::byte* from, const Runs& in, std::byte* to) {
  quick([&] { Communicator::reserve(out, in, scratch_); });
  communicator_.exchange(out, from, in, to, scratch_);
}

void Call::note_traffic(const char* part) {
  const Traffic now = communicator_.traffic(), before = std::exchange(noted_, now);
  if (!execution_.statistics) return;
  // Without an agreement, which would cost a round: a failure here is reported at the next one.
  guarded([&] {
    const auto note = [&](const char* what, std::uint64_t value) {
      execution_.statistics->counts.push_back({formatted("{}: {}", part, what), value});
    };
    note("bytes sent", now.bytes_sent - before.bytes_sent);
    note("bytes received", now.bytes_received - before.bytes_received);
    note("messages sent", now.messages - before.messages);
    note("rounds", now.rounds - before.rounds);
    note("collective bytes", now.collective_bytes - before.collective_bytes);
    note("microseconds in MPI", now.microseconds - before.microseconds);
    note("peak memory", peak_memory());
  });
}

}  // namespace kith::mpi
