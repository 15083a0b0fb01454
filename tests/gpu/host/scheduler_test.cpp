// The scheduler finds what it is there for: races, missing barriers, divergence.
#include <bit>
#include <gtest/gtest.h>
#include <math.h>
#include <numeric>
#include <random>
#include <stdexcept>

#include "gpu/host/kernels.hpp"

#define KERNELS_ON_HOST
#define HOST_LOCAL __attribute__((section("local_of_test")))
#define REAL float
#define DIM 3
extern "C" __attribute__((visibility("hidden"))) char __start_local_of_test[],
    __stop_local_of_test[];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
// In this order.
// clang-format off
#include "gpu/portable.h"
#include "gpu/geometry.cl"
#include "gpu/fof.cl"
#include "gpu/host/wrong.cl"
// clang-format on
#pragma GCC diagnostic pop

namespace kith {
namespace {

const host::LocalMemory kLocal{__start_local_of_test, __stop_local_of_test};
#define KITH_KERNEL(name) host::Call<&name>::kernel(#name, kLocal)

class Scheduler : public ::testing::Test {
 protected:
  void TearDown() override { host::settings() = {}; }
  static void be_random(std::uint64_t seed) {
    host::settings() = {.is_random = true, .seed = seed};
  }
};

template <class... Args>
void run_kernel(const host::Kernel& kernel, std::size_t groups, Args... args) {
  void* arguments[] = {&args...};
  host::run(kernel, groups, arguments);
}

/// Entries that are not their roots after a kernel has run over chains of 64.
std::size_t wrong_roots(const host::Kernel& flatten, std::uint64_t seed) {
  constexpr unsigned kChain = 64, kCount = 512;
  std::vector<racing_uint> parent(kCount);
  for (unsigned i = 0; i < kCount; ++i) parent[i].value = i % kChain == 0 ? i : i - 1;
  host::settings() = {.is_random = true, .seed = seed};
  run_kernel(flatten, kCount / host::kGroupSize, parent.data(), ulong{kCount});
  std::size_t wrong = 0;
  for (unsigned i = 0; i < kCount; ++i) wrong += parent[i].value != i / kChain * kChain;
  return wrong;
}

TEST_F(Scheduler, FindsTheRaceOfFlatteningWithPathHalving) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    found += wrong_roots(KITH_KERNEL(flatten_and_halve), seed) > 0;
  EXPECT_GT(found, 10u);
}

TEST_F(Scheduler, FindsNoneInTheKernelThatIsUsed) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    ASSERT_EQ(wrong_roots(KITH_KERNEL(fof_flatten), seed), 0u) << "seed " << seed;
}

std::size_t wrong_places(const host::Kernel& kernel, std::uint64_t seed) {
  std::vector<unsigned> values(4 * host::kGroupSize);
  std::iota(values.begin(), values.end(), 0u);
  host::settings() = {.is_random = true, .seed = seed};
  run_kernel(kernel, 4, values.data());
  std::size_t wrong = 0;
  for (unsigned i = 0; i < values.size(); ++i) wrong += values[i] != (i ^ (host::kGroupSize - 1));
  return wrong;
}

TEST_F(Scheduler, FindsAMissingBarrier) {
  EXPECT_GT(wrong_places(KITH_KERNEL(reverse_without_barrier), 1), 0u);
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_EQ(wrong_places(KITH_KERNEL(reverse), seed), 0u);
}

TEST_F(Scheduler, RefusesABarrierThatSomeDoNotReach) {
  std::vector<unsigned> values(host::kGroupSize);
  EXPECT_THROW(run_kernel(KITH_KERNEL(barrier_of_some), 1, values.data()), std::runtime_error);
  be_random(1);
  EXPECT_THROW(run_kernel(KITH_KERNEL(barrier_of_some), 1, values.data()), std::runtime_error);
}

TEST_F(Scheduler, FindsSumsThatAreNotAtomic) {
  racing_uint sum{0};
  be_random(1);
  run_kernel(KITH_KERNEL(add_in_two_steps), 4, &sum);
  EXPECT_LT(sum.value, 4 * host::kGroupSize);
  sum.value = 0;
  run_kernel(KITH_KERNEL(add_at_once), 4, &sum);
  EXPECT_EQ(sum.value, 4 * host::kGroupSize);
}

TEST_F(Scheduler, CountsWarpsAndTheirLanes) {
  std::vector<unsigned> values(3 * host::kGroupSize);
  host::settings() = {.counts = true};
  host::counts().clear();
  run_kernel(KITH_KERNEL(diverge), 3, values.data());
  const host::KernelCounts& found = host::counts()["diverge"];
  EXPECT_EQ(found.groups, 3u);
  const auto expect = [&](host::Section section, std::uint64_t warps32, std::uint64_t warps64,
                          std::uint64_t lanes) {
    const host::Counts& of = found.of(section);
    EXPECT_EQ(of.warps32, warps32);
    EXPECT_EQ(of.warps64, warps64);
    EXPECT_EQ(of.lanes, lanes);
  };
  expect(host::Section::box, 6, 3, 192);
  expect(host::Section::pair, 6, 3, 96);
  expect(host::Section::insert, 3, 3, 48);
}

/// Links in any order give the sets of the CPU: unite and find_root of fof.cl against each other.
TEST_F(Scheduler, LinksInAnyOrderGiveOneAnswer) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    constexpr unsigned kCount = 256;
    std::mt19937_64 random(seed);
    std::vector<unsigned> a(kCount), b(kCount), expected(kCount);
    for (unsigned i = 0; i < kCount; ++i) {
      a[i] = static_cast<unsigned>(random() % kCount);
      b[i] = static_cast<unsigned>(random() % kCount);
    }
    std::vector<racing_uint> parent(kCount);
    std::iota(expected.begin(), expected.end(), 0u);
    for (unsigned i = 0; i < kCount; ++i) parent[i].value = i;
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned i = 0; i < kCount; ++i) {
        const unsigned low = std::min(expected[a[i]], expected[b[i]]);
        changed |= expected[a[i]] != low || expected[b[i]] != low;
        expected[a[i]] = expected[b[i]] = low;
      }
    }
    static const auto link = +[](racing_uint* sets, const unsigned* from, const unsigned* to) {
      unite(sets, from[THREAD()], to[THREAD()]);
    };
    const host::Kernel kernel{"link",
                              {0, 0, 0},
                              [](void* const* from) {
                                link(*static_cast<racing_uint**>(from[0]),
                                     *static_cast<unsigned**>(from[1]),
                                     *static_cast<unsigned**>(from[2]));
                              },
                              kLocal};
    be_random(seed);
    run_kernel(kernel, kCount / host::kGroupSize, parent.data(), a.data(), b.data());
    run_kernel(KITH_KERNEL(fof_flatten), kCount / host::kGroupSize, parent.data(), ulong{kCount});
    for (unsigned i = 0; i < kCount; ++i)
      ASSERT_EQ(parent[i].value, expected[i]) << "seed " << seed;
  }
}

}  // namespace
}  // namespace kith
