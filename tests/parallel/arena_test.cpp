// Teams of threads that are kept between calls: nested and concurrent calls, forks, and CPUs that
// come and go.
#include "parallel/arena.hpp"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <numeric>
#include <sched.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "parallel/borrowed.hpp"
#include "parallel/radix_sort.hpp"
#include "parallel/workers.hpp"
#include "support/sanitizers.hpp"

namespace kith {
namespace {

std::size_t sum_to(std::size_t n, int threads) {
  const Execution execution{.threads = threads};
  const Workers workers(execution);
  return reduce(
      workers, n, 10, std::size_t{0},
      [](std::size_t begin, std::size_t end) { return (begin + end - 1) * (end - begin) / 2; },
      std::plus<>());
}

TEST(Arena, ServesCallsInsideCalls) {
  const Execution execution{.threads = 3};
  const Workers workers(execution);
  std::atomic<std::size_t> sum{0};
  workers.for_each(20, [&](std::size_t) {
    const Workers inner(execution);
    inner.for_each(20, [&](std::size_t) { sum += sum_to(100, 3); });
  });
  EXPECT_EQ(sum, 20u * 20u * 4950u);
}

TEST(Arena, ServesCallsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) wrong += sum_to(1000, 1 + t % 4) == 499500 ? 0 : 1;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

/// While a loop waits for its own bodies its thread must not take up those of another call: they
/// might want a lock that it holds.
TEST(Arena, KeepsCallsApart) {
  std::mutex mutex;
  const auto work = [&] {
    for (int i = 0; i < 50; ++i) {
      const std::lock_guard lock(mutex);
      sum_to(2000, 2);
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

int in_child(auto body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // ends a child that hangs
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

#if !defined(KITH_THREAD_SANITIZER)  // it does not follow a process into threads after a fork
TEST(Arena, WorksAfterAFork) {
  EXPECT_EQ(sum_to(1000, 2), 499500u);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(
        in_child([] { return sum_to(1000, 2) == 499500u && sum_to(1000, 5) == 499500u ? 0 : 1; }),
        0);
  EXPECT_EQ(sum_to(1000, 2), 499500u);
}

#if !defined(KITH_ADDRESS_SANITIZER)  // its allocator may be locked by another thread at the fork
TEST(Arena, WorksAfterAForkBesideRunningCalls) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> others;
  for (int t = 0; t < 2; ++t)
    others.emplace_back([&] {
      while (!stop) {
        const Execution execution{.threads = 1};
        const Workers workers(execution);
        workers.for_each(10, [](std::size_t) {});
      }
    });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(in_child([] { return sum_to(1000, 2) == 499500u ? 0 : 1; }), 0);
  stop = true;
  for (std::thread& thread : others) thread.join();
}
#endif
#endif

#if defined(__linux__)
/// In a separate process, because the CPUs that a process begins with matter.
TEST(AvailableThreads, FollowTheCpusOfTheProcess) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "one CPU";
  const Execution execution;
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(Workers(execution).threads(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  const Workers workers(execution);
  EXPECT_EQ(workers.threads(), CPU_COUNT(&all));
  // Two bodies that wait for each other: they end only if two threads run.
  std::atomic<int> arrived{0};
  workers.for_each(2, [&](std::size_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}
#endif

TEST(Borrowed, GivesBackTheSameObjects) {
  Borrowed<std::vector<int>> pool;
  const std::vector<int>* first = nullptr;
  {
    const Borrowed<std::vector<int>>::Loan one(pool);
    one->assign(100, 7);
    first = &*one;
    const Borrowed<std::vector<int>>::Loan two(pool);
    EXPECT_NE(first, &*two);
    EXPECT_TRUE(two->empty());
  }
  const Borrowed<std::vector<int>>::Loan again(pool), other(pool);
  EXPECT_TRUE(first == &*again || first == &*other);
}

/// Parts of a scatter depend on the number of records alone.
TEST(Scatter, IsCutByAGrain) {
  EXPECT_EQ(scatter_grain(100), std::size_t{1} << 16);
  EXPECT_EQ(scatter_grain(std::size_t{1} << 32), std::size_t{1} << 19);
}

/// Numbers of keys on both sides of every limit between methods; half of the keys equal another.
TEST(KeySorter, SortsStably) {
  KeySorter sorter;
  std::uint32_t state = 1;
  for (const std::size_t n : {0, 1, 2, 15, 16, 17, 63, 64, 65, 1000, 1023, 1024, 1025, 5000}) {
    std::vector<std::uint32_t> key(n);
    for (std::uint32_t& each : key) {
      state = state * 1664525 + 1013904223;
      each = state >> 14;
      if (state >> 13 & 1) each = key[each % n];
    }
    std::vector<std::uint64_t> expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = std::uint64_t{key[i]} << 32 | i;
    std::sort(expected.begin(), expected.end());
    const std::uint64_t* words = sorter.sort(n, [&](std::size_t i) { return key[i]; });
    EXPECT_EQ(std::vector<std::uint64_t>(words, words + n), expected) << n << " keys";
  }
}

}  // namespace
}  // namespace kith
