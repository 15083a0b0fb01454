#include "parallel/workers.hpp"

#include <atomic>
#include <exception>
#include <mutex>

#include "base/fail.hpp"
#include "base/float_environment.hpp"
#include "parallel/arena.hpp"
#include "parallel/caller_code.hpp"
#include "parallel/cancel_probe.hpp"

namespace kith {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kMaxThreads = 4096;
constexpr std::chrono::milliseconds kProgressInterval{50};

int checked_threads(int asked, const char* call) {
  if (asked < 0 || asked > kMaxThreads)
    refuse("{}: threads = {}; give 1 to {}, or 0 for all CPUs that this process may use", call,
           asked, kMaxThreads);
  return asked;
}

/// Calls f(place) at the end of its scope, also when an exception ends it.
struct AtEnd {
  void (*f)(const void*);
  const void* place;
  ~AtEnd() { f(place); }
};

/// run(i) for i in [0, count) by the threads of the arena. Exceptions never pass through TBB: to
/// carry one it allocates memory, and ends the process where there is none.
template <class Run>
void run_on(const Arena& arena, std::size_t count, const Run& run) {
  struct Context {
    const Run& run;
    std::atomic<bool> has_failed{false};  // relaxed: tasks may see it late
    std::exception_ptr failure = nullptr;
    char end = 0;

    void run_unless_failed(std::size_t i) {
      if (has_failed.load(std::memory_order_relaxed)) return;
      try {
        run(i);
      } catch (...) {
        if (!has_failed.exchange(true, std::memory_order_relaxed))
          failure = std::current_exception();  // read after all tasks are done
      }
    }
  };
  // Tasks take over at the address of the context and hand back at that of its end.
  Context context{run};
  Handover::release(&context);
  {
    const AtEnd acquire{Handover::acquire, &context.end};
    arena.run(
        count,
        [](void* argument, std::size_t i) {
          Handover::acquire(argument);
          auto& mine = *static_cast<Context*>(argument);
          const AtEnd release{Handover::release, &mine.end};
          mine.run_unless_failed(i);
        },
        &context);
  }
  if (context.failure) std::rethrow_exception(std::move(context.failure));
}

}  // namespace

/// The stage that runs now.
struct Workers::Meter {
  std::string stage;
  std::uint64_t total = 0;
  Clock::time_point start;
  std::atomic<std::uint64_t> done{0};
  std::mutex mutex;  // held while the callback runs, so that it never runs twice at once
  Clock::time_point last_report;
  bool has_reported = false;
  std::uint64_t reported = 0;
  std::size_t entry = 0;                // of the statistics
  std::exception_ptr thrown = nullptr;  // by the callback at the end of a stage

  /// The callback is skipped when another thread is in it or when it ran a moment ago.
  void report(const Execution& execution, bool is_last) {
    std::unique_lock lock(mutex, std::defer_lock);
    if (is_last) {
      lock.lock();
    } else if (!lock.try_lock()) {
      return;
    }
    const auto now = Clock::now();
    if (!is_last && now - last_report < kProgressInterval) return;
    last_report = now;
    const std::uint64_t value = std::min(total, done.load(std::memory_order_relaxed));
    if (has_reported && value <= reported) return;
    has_reported = true;
    reported = value;
    caller_code([&] { execution.progress({stage, value, total}); });
  }
};

Workers::Workers(const Execution& execution, const char* call)
    : execution_(execution),
      call_(call),
      threads_(checked_threads(execution.threads, call)),
      pool_(pool_of(execution)),
      meter_(std::make_unique<Meter>()) {}

Workers::~Workers() = default;

int Workers::threads() const {
  if (threads_ == 0) threads_ = available_threads();
  return threads_;
}

const Arena& Workers::arena() const {
  if (!arena_) arena_ = std::make_unique<Arena>(threads());
  return *arena_;
}

void Workers::check_cancelled() const {
  CancelProbe::note(CancelProbe::Event::check);
  if (execution_.cancel && execution_.cancel->is_cancelled())
    fail(ErrorCode::cancelled, "{}: cancelled by the caller", call_);
}

void Workers::for_ranges(std::size_t n, std::size_t grain,
                         FunctionRef<void(std::size_t, std::size_t)> body) const {
  const std::size_t ranges = range_count(n, grain);
  const auto run = [&](std::size_t range) {
    const CancelProbe::Span span;
    check_cancelled();
    const FloatEnvironment environment;
    const InLibrary inside;
    body(range * grain, std::min(n, (range + 1) * grain));
  };
  if (ranges <= 1 || threads() == 1) {
    for (std::size_t range = 0; range < ranges; ++range) run(range);
    return;
  }
  run_on(arena(), ranges, run);
  CancelProbe::note(CancelProbe::Event::resume);
}

void Workers::begin_stage(std::string name, std::uint64_t total) {
  check_cancelled();
  if (execution_.statistics) {
    meter_->entry = execution_.statistics->stages.size();
    execution_.statistics->stages.push_back({name, 0});
  }
  meter_->stage = std::move(name);
  meter_->total = total;
  meter_->done = 0;
  meter_->has_reported = false;
  meter_->start = meter_->last_report = Clock::now();
}

void Workers::advance(std::uint64_t done) const {
  if (!execution_.progress) return;
  // Relaxed: the number is shown to a person; nothing is read on the strength of it.
  meter_->done.fetch_add(done, std::memory_order_relaxed);
  meter_->report(execution_, false);
}

void Workers::end_stage() noexcept {
  if (execution_.progress && !meter_->thrown) try {
      meter_->report(execution_, true);
    } catch (...) {
      meter_->thrown = std::current_exception();
    }
  if (!execution_.statistics) return;
  const std::chrono::duration<double> seconds = Clock::now() - meter_->start;
  execution_.statistics->stages[meter_->entry].seconds = seconds.count();
}

void Workers::finish() const {
  if (meter_->thrown) std::rethrow_exception(meter_->thrown);
}

void Workers::count(std::string name, std::uint64_t value) const {
  if (execution_.statistics) execution_.statistics->counts.push_back({std::move(name), value});
}

}  // namespace kith
