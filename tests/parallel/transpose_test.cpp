// The transpose against the loop that defines it.
#include "parallel/transpose.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace kith {
namespace {

/// Records with values of very different sizes: every other order of summation gives other bits.
struct Records {
  std::vector<std::uint32_t> target;
  std::vector<float> value;

  Records(std::size_t count, std::size_t targets, int width, bool is_skewed) {
    std::mt19937 random(static_cast<unsigned>(count + targets));
    std::lognormal_distribution<float> size(0, 6);
    for (std::size_t r = 0; r < count; ++r) {
      const auto any = static_cast<std::uint32_t>(random() % (targets + 2));  // some go nowhere
      target.push_back(is_skewed && r % 3 != 0 ? 0 : any == targets ? kNoTarget : any);
      for (int i = 0; i < width; ++i) value.push_back(size(random) - 3.0F);
    }
  }
};

std::vector<double> defined(const Records& records, std::size_t targets, int width) {
  std::vector<double> sum(targets * static_cast<std::size_t>(width), 0.5);
  for (std::size_t r = 0; r < records.target.size(); ++r)
    for (int i = 0; i < width; ++i)
      if (records.target[r] < targets)
        sum[records.target[r] * static_cast<std::size_t>(width) + static_cast<std::size_t>(i)] +=
            double{
                records.value[r * static_cast<std::size_t>(width) + static_cast<std::size_t>(i)]};
  return sum;
}

template <int D>
std::vector<double> transposed(const Records& records, std::size_t targets, int width,
                               int threads) {
  const Execution execution{.threads = threads};
  const Workers workers(execution);
  std::vector<double> sum(targets * static_cast<std::size_t>(width), 0.5);
  Transpose<D, float> transpose(workers, targets, Axes<D>(width), sum.data());
  // Several batches, of sizes that do not divide anything.
  for (std::size_t begin = 0; begin < records.target.size(); begin += 70001) {
    const std::size_t count = std::min<std::size_t>(70001, records.target.size() - begin);
    transpose.add(count, records.target.data() + begin,
                  records.value.data() + begin * static_cast<std::size_t>(width));
  }
  return sum;
}

TEST(Transpose, AddsInTheOrderOfTheRecordsForAnyNumberOfThreads) {
  for (const std::size_t targets : {1u, 2u, 511u, 512u, 513u, 100000u})
    for (const std::size_t count : {0u, 1u, 1000u, 200000u})
      for (const bool is_skewed : {false, true}) {
        const Records records(count, targets, 3, is_skewed);
        const std::vector<double> expected = defined(records, targets, 3);
        for (const int threads : {1, 2, 3, 8})
          EXPECT_EQ(transposed<3>(records, targets, 3, threads), expected)
              << targets << " targets, " << count << " records, " << threads << " threads";
      }
}

TEST(Transpose, RowsOfAnyWidth) {
  for (const int width : {1, 4, 7}) {
    const Records records(5000, 300, width, false);
    const std::vector<double> expected = defined(records, 300, width);
    for (const int threads : {1, 4})
      EXPECT_EQ(transposed<kAnyDimension>(records, 300, width, threads), expected) << width;
  }
}

}  // namespace
}  // namespace kith
