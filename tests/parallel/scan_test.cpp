// Reductions, scans and packing against their serial definitions.
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "parallel/workers.hpp"

namespace kith {
namespace {

constexpr int kScanThreads[] = {1, 2, 3, 8};
constexpr std::size_t kSizes[] = {0, 1, 2, 99, 100, 101, 12345};
constexpr std::size_t kGrains[] = {1, 10, 100, 1 << 16};

std::vector<std::uint64_t> random_values(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<std::uint64_t> values(n);
  for (auto& value : values) value = random() >> 20;
  return values;
}

/// Calls f(workers) for several numbers of threads.
template <class F>
void with_threads(F f) {
  for (const int threads : kScanThreads) {
    SCOPED_TRACE("threads " + std::to_string(threads));
    const Execution execution{.threads = threads};
    f(Workers(execution));
  }
}

TEST(Reduce, CombinesInTheOrderOfTheRanges) {
  with_threads([](const Workers& workers) {
    for (const std::size_t n : kSizes) {
      std::string expected = "<";
      for (std::size_t i = 0; i < n; i += 10) expected += std::to_string(i) + ",";
      const auto result = reduce(
          workers, n, 10, std::string("<"),
          [](std::size_t begin, std::size_t) { return std::to_string(begin) + ","; },
          [](std::string sum, const std::string& part) { return sum + part; });
      EXPECT_EQ(result, expected) << n;
    }
  });
}

/// A sum of floats of very different sizes: every other order of summation gives other bits.
float float_sum(const Workers& workers, const std::vector<float>& values) {
  return reduce(
      workers, values.size(), 64, 0.0F,
      [&](std::size_t begin, std::size_t end) {
        return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin),
                               values.begin() + static_cast<std::ptrdiff_t>(end), 0.0F);
      },
      [](float sum, float part) { return sum + part; });
}

TEST(Reduce, GivesTheSameBitsForAnyNumberOfThreads) {
  std::mt19937 random(7);
  std::lognormal_distribution<float> distribution(0, 6);
  std::vector<float> values(30000);
  for (float& value : values) value = distribution(random) - 3.0F;
  const Execution serial{.threads = 1};
  const float expected = float_sum(Workers(serial), values);
  with_threads([&](const Workers& workers) {
    for (int round = 0; round < 20; ++round) ASSERT_EQ(float_sum(workers, values), expected);
  });
}

TEST(ExclusiveScan, EqualsTheSerialScan) {
  with_threads([](const Workers& workers) {
    for (const std::size_t n : kSizes)
      for (const std::size_t grain : kGrains) {
        auto values = random_values(n);
        auto expected = values;
        std::exclusive_scan(values.begin(), values.end(), expected.begin(), std::uint64_t{0});
        const auto total = std::accumulate(values.begin(), values.end(), std::uint64_t{0});
        EXPECT_EQ(exclusive_scan(workers, values.data(), n, grain), total);
        EXPECT_EQ(values, expected) << "n " << n << ", grain " << grain;
      }
  });
}

TEST(Pack, EqualsTheSerialFilter) {
  with_threads([](const Workers& workers) {
    for (const std::size_t n : kSizes)
      for (const std::size_t grain : kGrains) {
        const auto values = random_values(n);
        const auto keep = [&](std::size_t i) { return values[i] % 3 == 0; };
        std::vector<std::uint32_t> expected;
        for (std::size_t i = 0; i < n; ++i)
          if (keep(i)) expected.push_back(static_cast<std::uint32_t>(i));
        const auto packed = pack<std::uint32_t>(workers, n, keep, grain);
        EXPECT_EQ(std::vector<std::uint32_t>(packed.begin(), packed.end()), expected)
            << "n " << n << ", grain " << grain;
      }
  });
}

TEST(Pack, KeepsAllOrNothing) {
  with_threads([](const Workers& workers) {
    EXPECT_TRUE(pack<int>(
                    workers, 1000, [](std::size_t) { return false; }, 7)
                    .empty());
    const auto all = pack<int>(
        workers, 1000, [](std::size_t) { return true; }, 7);
    ASSERT_EQ(all.size(), 1000u);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], i);
  });
}

}  // namespace
}  // namespace kith
