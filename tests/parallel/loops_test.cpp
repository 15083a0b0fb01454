// Loops over ranges: every index once, nesting, exceptions, cancelling, the floating-point
// environment of every thread.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>
#include <vector>

#include "parallel/workers.hpp"
#include "support/expect_error.hpp"
#include "support/float_environment.hpp"

namespace kith {
namespace {

using test::expect_error;
using test::ForeignEnvironment;
using test::is_default_environment;
using namespace std::chrono_literals;

constexpr int kThreadCounts[] = {1, 2, 3, 8};

/// How often each index of [0, n) is met; also checks the shape of the ranges.
std::vector<int> visits(const Workers& workers, std::size_t n, std::size_t grain) {
  std::vector<std::atomic<int>> met(n);
  workers.for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(begin % grain, 0u);
    EXPECT_EQ(end, std::min(n, begin + grain));
    for (std::size_t i = begin; i < end; ++i) ++met[i];
  });
  return {met.begin(), met.end()};
}

TEST(Loops, MeetEveryIndexOnce) {
  for (const int threads : kThreadCounts) {
    const Execution execution{.threads = threads};
    const Workers workers(execution);
    for (const std::size_t n : {0u, 1u, 2u, 63u, 64u, 65u, 1000u, 20000u})
      for (const std::size_t grain : {1u, 7u, 64u, 1000u, 100000u})
        EXPECT_EQ(visits(workers, n, grain), std::vector<int>(n, 1))
            << "threads " << threads << ", n " << n << ", grain " << grain;
  }
}

TEST(Loops, ForEachMeetsEveryIndexOnce) {
  const Execution execution{.threads = 4};
  const Workers workers(execution);
  std::vector<std::atomic<int>> met(500);
  workers.for_each(met.size(), [&](std::size_t i) { ++met[i]; });
  EXPECT_EQ(std::vector<int>(met.begin(), met.end()), std::vector<int>(500, 1));
}

TEST(Loops, RunOnAsManyThreadsAsAsked) {
  const Execution execution{.threads = 4};
  const Workers workers(execution);
  EXPECT_EQ(workers.threads(), 4);
  // Each of 4 tasks waits for the others: the loop ends only if 4 threads run them at once.
  std::atomic<int> arrived{0};
  const auto deadline = std::chrono::steady_clock::now() + 5s;
  workers.for_each(4, [&](std::size_t) {
    ++arrived;
    while (arrived < 4 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_EQ(arrived, 4);
  });
}

TEST(Loops, OneThreadIsTheCallers) {
  const Execution execution{.threads = 1};
  const Workers workers(execution);
  const auto caller = std::this_thread::get_id();
  workers.for_ranges(
      100, 1, [&](std::size_t, std::size_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(Loops, ZeroThreadsMeansAllThatThereAre) {
  const Execution execution;
  EXPECT_GE(Workers(execution).threads(), 1);
}

TEST(Loops, RefuseImpossibleThreadCounts) {
  const Execution negative{.threads = -1};
  const Execution absurd{.threads = 4097};
  expect_error(ErrorCode::invalid_argument, "threads = -1", [&] { Workers workers(negative); });
  expect_error(ErrorCode::invalid_argument, "threads = 4097", [&] { Workers workers(absurd); });
}

TEST(Loops, Nest) {
  for (const int threads : kThreadCounts) {
    const Execution execution{.threads = threads};
    const Workers workers(execution);
    std::vector<std::atomic<int>> met(40 * 300);
    workers.for_each(40, [&](std::size_t outer) {
      workers.for_ranges(300, 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++met[outer * 300 + i];
      });
    });
    EXPECT_EQ(std::vector<int>(met.begin(), met.end()), std::vector<int>(met.size(), 1));
  }
}

TEST(Loops, RunFromSeveralCallersAtOnce) {
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([] {
      const Execution execution{.threads = 2};
      const Workers workers(execution);
      for (int round = 0; round < 20; ++round)
        EXPECT_EQ(visits(workers, 1000, 10), std::vector<int>(1000, 1));
    });
  for (std::thread& caller : callers) caller.join();
}

TEST(Loops, PassOnWhatABodyThrows) {
  for (const int threads : kThreadCounts) {
    const Execution execution{.threads = threads};
    const Workers workers(execution);
    std::atomic<int> ran{0};
    EXPECT_THROW(workers.for_each(100000,
                                  [&](std::size_t i) {
                                    ++ran;
                                    if (i == 17) throw std::domain_error("seventeen");
                                  }),
                 std::domain_error);
    EXPECT_LT(ran, 100000) << "ranges that had not begun were to be left out";
    EXPECT_EQ(visits(workers, 100, 3), std::vector<int>(100, 1)) << "workers are usable again";
  }
}

TEST(Loops, StopSoonAfterACancel) {
  for (const int threads : {1, 4}) {
    const CancelToken token;
    const Execution execution{.threads = threads, .cancel = &token};
    const Workers workers(execution);
    std::atomic<int> ran{0}, ran_before{0};
    std::thread other([&] {
      std::this_thread::sleep_for(20ms);
      token.cancel();
      ran_before = ran.load();
    });
    expect_error(ErrorCode::cancelled, "cancelled", [&] {
      workers.for_each(1000000, [&](std::size_t) {
        ++ran;
        std::this_thread::sleep_for(1ms);
      });
    });
    other.join();
    EXPECT_LE(ran, ran_before + threads);  // those that had begun
  }
}

TEST(Loops, DoNotBeginWhenAlreadyCancelled) {
  const CancelToken token;
  token.cancel();
  const Execution execution{.threads = 2, .cancel = &token};
  const Workers workers(execution);
  int ran = 0;
  expect_error(ErrorCode::cancelled, "cancelled",
               [&] { workers.for_each(1, [&](std::size_t) { ++ran; }); });
  EXPECT_EQ(ran, 0);
  expect_error(ErrorCode::cancelled, "cancelled", [&] { workers.check_cancelled(); });
}

TEST(Loops, BodiesSeeTheDefaultFloatEnvironmentOnEveryThread) {
  for (const int threads : kThreadCounts) {
    const Execution execution{.threads = threads};
    const Workers workers(execution);
    const ForeignEnvironment foreign(FE_UPWARD);
    std::atomic<int> arrived{0};
    std::atomic<int> good{0};
    // All threads have to be inside a body at once, so that each of them is checked.
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    workers.for_each(static_cast<std::size_t>(threads), [&](std::size_t) {
      ++arrived;
      while (arrived < threads && std::chrono::steady_clock::now() < deadline)
        std::this_thread::yield();
      if (is_default_environment()) ++good;
      workers.for_each(2, [&](std::size_t) { good += is_default_environment() ? 0 : -1; });
    });
    EXPECT_EQ(good, threads);
    EXPECT_FALSE(test::rounds_to_nearest()) << "the caller's environment was not restored";
#if defined(__SSE2__)
    EXPECT_FALSE(test::keeps_subnormals());
#endif
  }
}

TEST(Loops, GiveTheFloatEnvironmentBackAfterAnException) {
  const Execution execution{.threads = 2};
  const Workers workers(execution);
  const ForeignEnvironment foreign(FE_DOWNWARD);
  EXPECT_THROW(workers.for_each(10, [](std::size_t) { throw std::domain_error("x"); }),
               std::domain_error);
  EXPECT_FALSE(test::rounds_to_nearest());
}

}  // namespace
}  // namespace kith
