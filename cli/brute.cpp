#include "brute.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

#include "progress.hpp"
#include "ranks.hpp"

namespace kith::cli {
namespace {

int thread_count(const Execution& execution) {
  if (execution.threads > 0) return execution.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / ranks_here());
}

/// Shared by the threads of one loop: first, first + step, ..., `n` of them.
struct Loop {
  std::size_t first, step, n;
  const Execution& execution;
  const std::function<std::string(std::size_t)>& check;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::mutex mutex = {};
  std::condition_variable ended = {};
  int running = 0;
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
      for (std::size_t k = next++; k < n; k = next++) {
        const std::size_t i = first + k * step;
        if (std::string text = check(i); !text.empty()) complain(i, std::move(text));
        ++done;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
      next = n;
    }
    const std::lock_guard lock(mutex);
    --running;
    ended.notify_one();
  }
};

/// Stops at once: the loops over all points look at nothing but points, and a check has no files
/// that would have to be cleaned up.
[[noreturn]] void leave() {
  clear_progress();
  if (is_first_rank()) std::fputs("kith: stopped\n", stderr);
  std::fflush(nullptr);
  std::_Exit(1);
}

/// Draws, from one thread alone, and waits for the others.
void watch(Loop& loop, const std::string& stage) {
  std::unique_lock lock(loop.mutex);
  const auto is_done = [&] { return loop.running == 0; };
  while (!loop.ended.wait_for(lock, std::chrono::milliseconds(20), is_done)) {
    if (loop.is_over()) leave();
    if (loop.execution.progress) loop.execution.progress({stage, loop.done, loop.n});
  }
}

void run(Loop& loop, const std::string& stage) {
  std::vector<std::thread> threads;
  const int count = thread_count(loop.execution);
  loop.running = count;
  threads.reserve(static_cast<std::size_t>(count));
  for (int t = 0; t < count; ++t) threads.emplace_back([&] { loop.work(); });
  watch(loop, stage);
  for (std::thread& thread : threads) thread.join();
  if (loop.error) std::rethrow_exception(loop.error);
}

/// The complaint with the lowest number among those of all ranks; rank 0 knows its words.
std::string first_of_all(std::size_t lowest, std::string own, const Execution& execution) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  double first = own.empty() ? kNone : static_cast<double>(lowest);
  const double mine = first;
  least_of_all({&first, 1});
  if (first == kNone) return "";
  if (mine != first) own.clear();
  std::string words = "a mismatch that rank 0 reports";
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(own.data());
  const ResultArray text[] = {result_array("", bytes, own.size())};
  ranks().collect(
      text,
      [&](std::span<const ResultRows> all) {
        words.assign(static_cast<const char*>(all[0].read(0, all[0].rows)), all[0].rows);
      },
      execution);
  return words;
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
  // Ranks take turns: what takes long is often side by side.
  const auto rank = static_cast<std::size_t>(ranks().rank());
  const auto size = static_cast<std::size_t>(ranks().size());
  Loop loop{rank, size, n / size + (rank < n % size ? 1 : 0), execution, check};
  on_all_ranks([&] { run(loop, stage); });
  return first_of_all(loop.lowest, std::move(loop.complaint), execution);
}

}  // namespace kith::cli
