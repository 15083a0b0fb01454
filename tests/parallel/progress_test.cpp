// Reports to the caller: progress and statistics.
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "parallel/workers.hpp"
#include "support/expect_error.hpp"

namespace kith {
namespace {

using namespace std::chrono_literals;

/// Collects the calls of the callback, and whether it ever ran twice at once.
struct Listener {
  struct Report {
    std::string stage;
    std::uint64_t done;
    std::uint64_t total;
  };
  std::vector<Report> reports;  // unguarded on purpose: ThreadSanitizer sees two calls at once
  std::atomic<int> inside{0};
  bool was_concurrent = false;
  std::chrono::milliseconds duration{0};  // of one call

  void operator()(const Progress& progress) {
    if (inside++ != 0) was_concurrent = true;
    reports.push_back({std::string(progress.stage), progress.done, progress.total});
    std::this_thread::sleep_for(duration);
    --inside;
  }
};

void run_stage(Workers& workers, const char* name, std::size_t n) {
  const Stage stage(workers, name, n);
  workers.for_each(n, [&](std::size_t) {
    std::this_thread::sleep_for(1ms);
    workers.advance(1);
  });
}

TEST(ProgressCallback, IsMonotoneAndNeverConcurrent) {
  Listener listener;
  listener.duration = 70ms;  // longer than the time between two calls
  const Execution execution{.threads = 4, .progress = [&](const Progress& p) { listener(p); }};
  Workers workers(execution);
  run_stage(workers, "sort", 800);
  EXPECT_FALSE(listener.was_concurrent);
  ASSERT_GE(listener.reports.size(), 2u) << "some 200 ms of work without a word";
  for (const auto& report : listener.reports) {
    EXPECT_EQ(report.stage, "sort");
    EXPECT_EQ(report.total, 800u);
  }
  for (std::size_t i = 1; i < listener.reports.size(); ++i)
    EXPECT_GT(listener.reports[i].done, listener.reports[i - 1].done);
  EXPECT_EQ(listener.reports.back().done, 800u);
}

TEST(ProgressCallback, IsNotCalledTooOften) {
  Listener listener;
  const Execution execution{.threads = 2, .progress = [&](const Progress& p) { listener(p); }};
  Workers workers(execution);
  const auto start = std::chrono::steady_clock::now();
  run_stage(workers, "sort", 400);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  EXPECT_LE(static_cast<double>(listener.reports.size()), 20 * passed.count() + 2);
}

TEST(ProgressCallback, TellsTheStagesInTheirOrder) {
  Listener listener;
  const Execution execution{.threads = 2, .progress = [&](const Progress& p) { listener(p); }};
  Workers workers(execution);
  run_stage(workers, "sort", 3);
  run_stage(workers, "boxes", 5);
  ASSERT_EQ(listener.reports.size(), 2u);
  EXPECT_EQ(listener.reports[0].stage, "sort");
  EXPECT_EQ(listener.reports[0].done, 3u);
  EXPECT_EQ(listener.reports[1].stage, "boxes");
  EXPECT_EQ(listener.reports[1].done, 5u);
}

TEST(ProgressCallback, DoesNotTellTheSameTwice) {
  Listener listener;
  const Execution execution{.threads = 1, .progress = [&](const Progress& p) { listener(p); }};
  Workers workers(execution);
  {
    const Stage stage(workers, "sort", 10);
    std::this_thread::sleep_for(60ms);
    workers.advance(10);
    ASSERT_EQ(listener.reports.size(), 1u);
  }
  EXPECT_EQ(listener.reports.size(), 1u);
}

TEST(ProgressCallback, NeverTellsMoreThanTheTotal) {
  Listener listener;
  const Execution execution{.threads = 1, .progress = [&](const Progress& p) { listener(p); }};
  Workers workers(execution);
  {
    const Stage stage(workers, "sort", 10);
    workers.advance(25);
  }
  ASSERT_EQ(listener.reports.size(), 1u);
  EXPECT_EQ(listener.reports[0].done, 10u);
}

TEST(ProgressCallback, TellsNothingNewAfterACancel) {
  Listener listener;
  const CancelToken token;
  const Execution execution{
      .threads = 2, .progress = [&](const Progress& p) { listener(p); }, .cancel = &token};
  Workers workers(execution);
  test::expect_error(ErrorCode::cancelled, "cancelled", [&] {
    const Stage stage(workers, "sort", 10);
    workers.advance(4);
    token.cancel();
    workers.for_each(10, [&](std::size_t) { workers.advance(1); });
  });
  for (const auto& report : listener.reports) EXPECT_LE(report.done, 4u);
  test::expect_error(ErrorCode::cancelled, "cancelled", [&] { workers.begin_stage("boxes", 1); });
}

TEST(StatisticsOfACall, HoldTheStagesAndCountsInOrder) {
  Statistics statistics;
  statistics.stages.push_back({"earlier", 1.0});
  const Execution execution{.threads = 2, .statistics = &statistics};
  Workers workers(execution);
  run_stage(workers, "sort", 20);
  run_stage(workers, "boxes", 1);
  workers.count("ties", 3);
  ASSERT_EQ(statistics.stages.size(), 3u);
  EXPECT_EQ(statistics.stages[0].name, "earlier");
  EXPECT_EQ(statistics.stages[1].name, "sort");
  EXPECT_EQ(statistics.stages[2].name, "boxes");
  EXPECT_GE(statistics.seconds("sort"), 0.010);  // 20 sleeps of 1 ms on 2 threads
  EXPECT_LT(statistics.seconds("sort"), 20.0);
  EXPECT_EQ(statistics.count("ties"), 3u);
}

TEST(StatisticsOfACall, AreOptional) {
  const Execution execution{.threads = 1};
  Workers workers(execution);
  EXPECT_NO_THROW(run_stage(workers, "sort", 1));
  EXPECT_NO_THROW(workers.count("ties", 3));
}

}  // namespace
}  // namespace kith
