#include "mpi/transport/call.hpp"

#include <chrono>
#include <cstring>
#include <sys/resource.h>
#include <system_error>

#include <kith/mpi/domains.hpp>

#include "mpi/transport/progress_board.hpp"
#include "tree/device.hpp"

namespace kith::mpi {
namespace {

std::uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// How often a rank that computes checks for alarms and for the caller's wish to stop.
constexpr std::chrono::milliseconds kListenInterval{5};

/// The InterruptCheck of this thread.
struct OwnCheck {
  int (*wants_stop)() = nullptr;
  bool is_stopped = false;
  std::chrono::steady_clock::time_point next = {};
};
thread_local OwnCheck own_check;

}  // namespace

InterruptCheck::InterruptCheck(int (*wants_stop)()) { own_check = {wants_stop, false, {}}; }
InterruptCheck::~InterruptCheck() { own_check = {}; }

bool is_interrupted() {
  if (!own_check.wants_stop || own_check.is_stopped) return own_check.is_stopped;
  const auto now = std::chrono::steady_clock::now();
  if (now < own_check.next) return false;
  own_check.next = now + kListenInterval;
  own_check.is_stopped = own_check.wants_stop() != 0;
  return own_check.is_stopped;
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
  failure_.is_set = true;
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

void Call::run_guarded(FunctionRef<void()> f) noexcept {
  try {
    f();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled && is_stopped_by_other_)
      return;  // another rank's failure
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
bool wants_stop(const Execution& execution) {
  return (execution.cancel && execution.cancel->is_cancelled()) || is_interrupted();
}

template <class F>
std::thread start_thread(const char* call, F f) {
  try {
    return std::thread(f);
  } catch (const std::system_error& error) {
    fail(ErrorCode::unavailable,
         "{}: no thread could be started ({}); raise the limit on threads, or start fewer ranks",
         call, error.code().message());
  }
}
}  // namespace

void Call::poll() {
  pass_progress_on();
  if (wants_stop(execution_)) stop_->cancel();
  if (communicator_.receive_alarm()) {
    is_stopped_by_other_ = true;
    stop_->cancel();
  }
}

std::exception_ptr Call::poll_while(const std::atomic<bool>& is_running) noexcept {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (is_over_.wait_for(lock, kListenInterval, [&] { return !is_running.load(); }))
        return nullptr;
    }
    try {
      poll();
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
  if (wants_stop(execution_)) stop_->cancel();
  run_guarded([&] {
    thread = start_thread(name_, [&] {
      run_guarded([&] { public_call(name_, inner_, [&](Workers& workers) { body(workers); }); });
      const std::lock_guard lock(mutex_);
      is_running = false;
      is_over_.notify_one();
    });
  });
  if (thread.joinable()) {
    const std::exception_ptr heard = poll_while(is_running);
    thread.join();
    // After the join, since the thread sets its own failure, which would hide this one.
    if (heard) run_guarded([&] { std::rethrow_exception(heard); });
  }
  raise_alarm();
}

void Call::prepare(FunctionRef<void()> body) {
  if (is_broken()) return;
  run_guarded([&] {
    if (is_interrupted()) fail(ErrorCode::cancelled, "{}: stopped", name_);
    public_call(name_, [&] { body(); });
  });
  raise_alarm();
}

void Call::raise_alarm() {
  if (failure_.is_set && alarms_.empty() && alarms_.capacity() > 0)
    communicator_.send_alarms(alarms_);
}

Call::Agreement Call::agreement() const {
  const auto hash = static_cast<std::int64_t>(same_.hash() >> 1);
  return {failure_.is_set ? rank() : ranks(), hash, -hash, 1, 1};
}

void Call::throw_if_failed(const Agreement& agreed) {
  if (agreed[kFailed] < ranks()) throw_failure_of(static_cast<int>(agreed[kFailed]));
  if (agreed[kHash] != -agreed[kMinusHash]) throw_difference();
}

void Call::agree() {
  Agreement values = agreement();
  communicator_.least(values.data(), values.size());
  throw_if_failed(values);
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
  run_guarded([&] { same_.compare(name_, first); });
  std::int64_t rank = agreement()[kFailed];
  communicator_.least(&rank, 1);
  if (rank < ranks()) throw_failure_of(static_cast<int>(rank));
  refuse("{}: the ranks passed different options; pass the same on all ranks", name_);
}

Call::Agreement Call::announce(const OutBytes& out) {
  const Runs nothing;
  const OutBytes sent{is_broken() ? nothing : out.runs, out.data, out.row_bytes};
  Agreement values = agreement();
  for (std::size_t i = 0; i < sent.runs.size(); ++i) {
    if (sent.length(i) > 0) values[kIsEmpty] = 0;
    if (sent.runs.rank[i] != rank() && sent.length(i) > Communicator::kEagerLimit)
      values[kIsEager] = 0;
  }
  communicator_.announce(sent, values, scratch_);
  throw_if_failed(values);
  return values;
}

Runs Call::announced_runs(std::size_t row_bytes) const {
  Runs in;
  for (const auto& run : scratch_.arrived)
    in.add(run.rank, static_cast<std::size_t>(run.bytes) / row_bytes);
  return in;
}

Runs Call::announced(const Runs& out) {
  announce({out, nullptr, 1});
  Runs in;
  prepare([&] { in = announced_runs(1); });
  return in;
}

void Call::copy_eager(const InBytes& in) const {
  for (std::size_t i = 0; i < scratch_.arrived.size(); ++i)
    if (const std::size_t eager = scratch_.arrived[i].eager; eager != Communicator::kNotEager)
      std::copy_n(scratch_.eager_data.data() + eager, in.length(i), in.begin(i));
}

Runs Call::exchange_bytes(const OutBytes& out, MakeRoom room, bool& is_empty) {
  const Agreement agreed = announce(out);
  Runs in;
  std::byte* to = nullptr;
  prepare([&] {
    if (scratch_.is_full) throw std::bad_alloc();
    Runs runs = announced_runs(out.row_bytes);
    Communicator::reserve(out, {runs, nullptr, out.row_bytes}, scratch_);
    to = room(runs.total());
    in = std::move(runs);  // all or nothing: rows that do not come must not be read
    copy_eager({in, to, out.row_bytes});
  });
  if (!agreed[kIsEager]) agree();
  if (!is_broken())
    communicator_.exchange(out, {in, to, out.row_bytes}, scratch_, Communicator::kEagerLimit);
  is_empty = agreed[kIsEmpty];
  return in;
}

void Call::exchange_bytes(const OutBytes& out, const Runs& in, MakeRoom room) {
  std::byte* to = nullptr;
  quick([&] {
    Communicator::reserve(out, {in, nullptr, out.row_bytes}, scratch_);
    to = room(in.total());
  });
  communicator_.exchange(out, {in, to, out.row_bytes}, scratch_);
}

void Call::note_traffic(const char* part) {
  const Traffic now = communicator_.traffic(), before = std::exchange(noted_, now);
  if (!execution_.statistics) return;
  // Without an agreement, which would cost a round: a failure here is reported at the next one.
  run_guarded([&] {
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
