#include "parallel/workers.hpp"

#include <atomic>
#include <mutex>

#include "base/fail.hpp"
#include "base/float_environment.hpp"
#include "parallel/arena.hpp"

namespace kith {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kMaxThreads = 4096;
constexpr std::chrono::milliseconds kProgressInterval{50};

int thread_count(int asked) {
  if (asked < 0 || asked > kMaxThreads)
    refuse("threads = {}; give 1 to {}, or 0 for all that this process may use", asked,
           kMaxThreads);
  return asked == 0 ? available_threads() : asked;
}

/// Calls f(place) at the end of its scope, also when an exception ends it.
struct AtEnd {
  void (*f)(const void*);
  const void* place;
  ~AtEnd() { f(place); }
};

/// run(i) for i in [0, count) by the threads of the arena.
template <class Run>
void run_on(const Arena& arena, std::size_t count, const Run& run) {
  struct Context {
    const Run& run;
    char end = 0;
  };
  // Tasks take over at the address of the context and hand back at that of its end.
  const Context context{run};
  Handover::give(&context);
  const AtEnd take{Handover::take, &context.end};
  arena.run(
      count,
      [](const void* argument, std::size_t i) {
        Handover::take(argument);
        const auto& mine = *static_cast<const Context*>(argument);
        const AtEnd give{Handover::give, &mine.end};
        mine.run(i);
      },
      &context);
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
    execution.progress({stage, value, total});
  }
};

Workers::Workers(const Execution& execution)
    : execution_(execution),
      threads_(thread_count(execution.threads)),
      pool_(pool_of(execution)),
      meter_(std::make_unique<Meter>()) {
  if (threads_ > 1) arena_ = std::make_unique<Arena>(threads_);
}

Workers::~Workers() = default;

void Workers::check_cancelled() const {
  if (execution_.cancel && execution_.cancel->is_cancelled())
    fail(ErrorCode::cancelled, "cancelled by the caller");
}

void Workers::for_ranges(std::size_t n, std::size_t grain,
                         FunctionRef<void(std::size_t, std::size_t)> body) const {
  const std::size_t ranges = range_count(n, grain);
  const auto run = [&](std::size_t range) {
    check_cancelled();
    const FloatEnvironment environment;
    body(range * grain, std::min(n, (range + 1) * grain));
  };
  if (!arena_ || ranges <= 1) {
    for (std::size_t range = 0; range < ranges; ++range) run(range);
    return;
  }
  run_on(*arena_, ranges, run);
}

void Workers::begin_stage(std::string name, std::uint64_t total) {
  check_cancelled();
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

void Workers::end_stage() {
  if (execution_.progress) meter_->report(execution_, true);
  if (!execution_.statistics) return;
  const std::chrono::duration<double> seconds = Clock::now() - meter_->start;
  execution_.statistics->stages.push_back({meter_->stage, seconds.count()});
}

void Workers::count(std::string name, std::uint64_t value) const {
  if (execution_.statistics) execution_.statistics->counts.push_back({std::move(name), value});
}

}  // namespace kith
