#include "brute.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

#include "progress.hpp"

namespace kith::cli {
namespace {

int thread_count(const Execution& execution) {
  if (execution.threads > 0) return execution.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// What the threads of one loop share.
struct Loop {
  std::size_t n;
  const Execution& execution;
  const std::function<std::string(std::size_t)>& check;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::atomic<int> running{0};
  std::mutex mutex = {};
  std::size_t lowest = static_cast<std::size_t>(-1);
  std::string complaint = {};
  std::exception_ptr error = {};

  bool is_over() const { return execution.cancel && execution.cancel->is_cancelled(); }

  void complain(std::size_t i, std::string text) {
    const std::lock_guard lock(mutex);
    if (i >= lowest) return;
    lowest = i;
    complaint = std::move(text);
  }

  void work() {
    try {
      for (std::size_t i = next++; i < n; i = next++) {
        if (std::string text = check(i); !text.empty()) complain(i, std::move(text));
        ++done;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
      next = n;
    }
    --running;
  }
};

/// Stops at once: the loops over all points look at nothing but points, and a check has no files
/// that would have to be cleaned up.
[[noreturn]] void leave() {
  clear_progress();
  std::fputs("kith: stopped\n", stderr);
  std::fflush(nullptr);
  std::_Exit(1);
}

/// Draws, from one thread alone, and waits for the others.
void watch(Loop& loop, const std::string& stage) {
  while (loop.running > 0) {
    if (loop.is_over()) leave();
    if (loop.execution.progress) loop.execution.progress({stage, loop.done, loop.n});
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

std::vector<std::size_t> draw(std::size_t n, std::size_t wanted, std::mt19937_64& random) {
  std::vector<std::size_t> all;
  if (wanted >= n) {
    for (std::size_t i = 0; i < n; ++i) all.push_back(i);
    return all;
  }
  std::set<std::size_t> chosen;
  while (chosen.size() < wanted) chosen.insert(random() % n);
  return {chosen.begin(), chosen.end()};
}

std::string first_complaint(const std::string& stage, std::size_t n, const Execution& execution,
                            const std::function<std::string(std::size_t)>& check) {
  Loop loop{n, execution, check};
  std::vector<std::thread> threads;
  const int count = thread_count(execution);
  loop.running = count;
  threads.reserve(static_cast<std::size_t>(count));
  for (int t = 0; t < count; ++t) threads.emplace_back([&] { loop.work(); });
  watch(loop, stage);
  for (std::thread& thread : threads) thread.join();
  if (loop.error) std::rethrow_exception(loop.error);
  return loop.complaint;
}

}  // namespace kith::cli
