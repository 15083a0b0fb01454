// Arrays and the workspace: alignment, memory that comes back, refusal of absurd sizes.
#include "base/array.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <thread>
#include <vector>

namespace kith {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

std::uintptr_t address(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

TEST(Array, IsEmptyByDefault) {
  const Array<float> array;
  EXPECT_TRUE(array.empty());
  EXPECT_EQ(array.data(), nullptr);
  EXPECT_EQ(array.bytes(), 0u);
  EXPECT_EQ(array.begin(), array.end());
  EXPECT_TRUE(Array<float>(0).empty());
}

TEST(Workspace, MayBeUsedAfterItWasMoved) {
  Workspace first;
  const Workspace second = std::move(first);
  EXPECT_EQ(first.bytes_kept(), 0u);  // NOLINT(bugprone-use-after-move)
  first.clear();
  EXPECT_EQ(second.bytes_kept(), 0u);
}

TEST(Array, IsAlignedForSimd) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{7}, std::size_t{1000}, 3 * kMegabyte}) {
    const Array<double> array(size);
    EXPECT_EQ(address(array.data()) % 64, 0u) << size;
    EXPECT_EQ(array.size(), size);
    EXPECT_GE(array.bytes(), size * sizeof(double));
  }
}

TEST(Array, LargeBlocksBeginAtAHugePage) {
  EXPECT_EQ(address(Array<char>(5 * kMegabyte).data()) % (2 * kMegabyte), 0u);
}

TEST(Array, EveryByteIsWritable) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{65}, 2 * kMegabyte - 1, 2 * kMegabyte + 1}) {
    const Array<std::uint8_t> array(size);
    for (std::size_t i = 0; i < size; ++i) array[i] = static_cast<std::uint8_t>(i);
    EXPECT_EQ(array[size - 1], static_cast<std::uint8_t>(size - 1));
  }
}

TEST(Array, MovesWithoutCopying) {
  Array<int> array(100);
  const int* data = array.data();
  array[99] = 7;
  Array<int> other = std::move(array);
  EXPECT_EQ(other.data(), data);
  Array<int> third(5);
  third = std::move(other);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(third.size(), 100u);
  EXPECT_EQ(third[99], 7);
}

TEST(Array, RefusesAbsurdSizes) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(Array<char>{std::size_t{1} << 60}, NoMemory);
  // Neither the rounding to pages nor the product with the size of an element may wrap around.
  EXPECT_THROW(Array<char>{kMost}, NoMemory);
  EXPECT_THROW(Array<double>{kMost / 8 + 2}, NoMemory);
}

TEST(Workspace, KeepsLargeArraysForTheNextCall) {
  const Workspace workspace;
  const void* data = nullptr;
  {
    const Array<char> array(10 * kMegabyte, workspace.pool());
    data = array.data();
    EXPECT_EQ(workspace.bytes_kept(), 0u);
  }
  EXPECT_EQ(workspace.bytes_kept(), 10 * kMegabyte);
  const Array<char> again(9 * kMegabyte, workspace.pool());
  EXPECT_EQ(again.data(), data);
  EXPECT_EQ(workspace.bytes_kept(), 0u);
}

TEST(Workspace, TakesTheSmallestBlockThatIsEnough) {
  const Workspace workspace;
  const void* small = nullptr;
  {
    const Array<char> large_array(16 * kMegabyte, workspace.pool());
    const Array<char> small_array(12 * kMegabyte, workspace.pool());
    small = small_array.data();
  }
  EXPECT_EQ(Array<char>(10 * kMegabyte, workspace.pool()).data(), small);
}

TEST(Workspace, DoesNotSpendALargeBlockOnASmallArray) {
  const Workspace workspace;
  { const Array<char> large(64 * kMegabyte, workspace.pool()); }
  const Array<char> small(4 * kMegabyte, workspace.pool());
  EXPECT_EQ(workspace.bytes_kept(), 64 * kMegabyte);
}

TEST(Workspace, LeavesSmallArraysToTheSystem) {
  const Workspace workspace;
  { const Array<char> array(1000, workspace.pool()); }
  EXPECT_EQ(workspace.bytes_kept(), 0u);
}

TEST(Workspace, ClearGivesMemoryBack) {
  Workspace workspace;
  { const Array<char> array(4 * kMegabyte, workspace.pool()); }
  EXPECT_GT(workspace.bytes_kept(), 0u);
  workspace.clear();
  EXPECT_EQ(workspace.bytes_kept(), 0u);
}

TEST(Workspace, CopiesShareOnePool) {
  const Workspace workspace;
  const Workspace copy = workspace;
  { const Array<char> array(4 * kMegabyte, copy.pool()); }
  EXPECT_EQ(workspace.bytes_kept(), 4 * kMegabyte);
}

TEST(Workspace, MayEndBeforeItsArrays) {
  Array<char> array;
  {
    const Workspace workspace;
    array = Array<char>(4 * kMegabyte, workspace.pool());
  }
  array[4 * kMegabyte - 1] = 1;
  EXPECT_EQ(array[4 * kMegabyte - 1], 1);
}

TEST(Workspace, ServesSeveralThreadsAtOnce) {
  const Workspace workspace;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&workspace, t] {
      for (int round = 0; round < 50; ++round) {
        const Array<int> array(kMegabyte, workspace.pool());
        array[0] = t;
        array[kMegabyte - 1] = round;
        EXPECT_EQ(array[0], t);  // no other thread holds the same block
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(workspace.bytes_kept(), 4 * kMegabyte);
  EXPECT_LE(workspace.bytes_kept(), 16 * kMegabyte);
}

TEST(PoolOf, IsNoneWithoutAWorkspace) {
  EXPECT_EQ(pool_of({}), nullptr);
  const Workspace workspace;
  EXPECT_EQ(pool_of({.workspace = &workspace}), workspace.pool());
}

}  // namespace
}  // namespace kith
