// Union-find under many threads, against a separate serial one.
#include "parallel/union_find.hpp"

#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace kith {
namespace {

template <class Index>
using Edges = std::vector<std::pair<Index, Index>>;

template <class Index>
Edges<Index> random_edges(Index points, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto point = [&] { return static_cast<Index>(random() % points); };
  Edges<Index> edges(count);
  for (auto& edge : edges) edge = {point(), point()};
  return edges;
}

/// The smallest member of every point's set: labels that sink along edges until none moves.
template <class Index>
std::vector<Index> smallest_members(Index points, const Edges<Index>& edges) {
  std::vector<Index> label(points);
  for (Index i = 0; i < points; ++i) label[i] = i;
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& [i, j] : edges) {
      const Index low = std::min(label[i], label[j]);
      moved |= label[i] != low || label[j] != low;
      label[i] = label[j] = low;
    }
    for (Index i = 0; i < points; ++i) label[i] = label[label[i]];
  }
  return label;
}

template <class Index>
struct Joined {
  std::vector<Index> root;
  std::size_t joins = 0;  // calls of unite that said true
};

/// All edges joined by `threads` threads, each of which takes every `threads`-th edge.
template <class Index>
Joined<Index> join(Index points, const Edges<Index>& edges, std::size_t threads) {
  std::vector<Index> parent(points);
  const UnionFind<Index> sets(parent.data());
  for (Index i = 0; i < points; ++i) sets.reset(i);
  std::atomic<std::size_t> ready{0}, joins{0};
  std::vector<std::thread> team;
  for (std::size_t t = 0; t < threads; ++t)
    team.emplace_back([&, t] {
      ++ready;
      while (ready < threads) std::this_thread::yield();
      std::size_t mine = 0;
      for (std::size_t e = t; e < edges.size(); e += threads)
        mine += sets.unite(edges[e].first, edges[e].second) ? 1 : 0;
      joins += mine;
    });
  for (std::thread& thread : team) thread.join();
  Joined<Index> result{std::vector<Index>(points), joins};
  for (Index i = 0; i < points; ++i) result.root[i] = sets.find(i);
  return result;
}

template <class Index>
std::size_t count_sets(const std::vector<Index>& root) {
  std::size_t sets = 0;
  for (Index i = 0; i < root.size(); ++i) sets += root[i] == i ? 1 : 0;
  return sets;
}

template <class Index>
void compare(Index points, const Edges<Index>& edges, std::size_t threads) {
  const auto expected = smallest_members(points, edges);
  const auto result = join(points, edges, threads);
  EXPECT_EQ(result.root, expected);
  EXPECT_EQ(result.joins, points - count_sets(expected)) << "every join counts once";
}

TEST(UnionFind, BeginsWithSetsOfOne) { compare<std::uint32_t>(10, {}, 1); }

TEST(UnionFind, TheLowestMemberIsTheRoot) {
  compare<std::uint32_t>(6, {{5, 4}, {4, 3}, {1, 2}, {2, 2}, {3, 5}}, 1);
}

TEST(UnionFind, SaysWhetherACallJoined) {
  std::vector<std::uint32_t> parent(3);
  const UnionFind<std::uint32_t> sets(parent.data());
  for (std::uint32_t i = 0; i < 3; ++i) sets.reset(i);
  EXPECT_TRUE(sets.unite(2, 0));
  EXPECT_FALSE(sets.unite(0, 2));
  EXPECT_FALSE(sets.unite(1, 1));
  EXPECT_EQ(sets.parent(2), 0u);
}

TEST(UnionFind, EightThreadsJoinRandomEdges) {
  // From a sprinkle of small sets over the percolation threshold to one giant set.
  for (const std::size_t edges : {1000u, 5000u, 20000u, 100000u})
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE("edges " + std::to_string(edges) + ", seed " + std::to_string(seed));
      compare<std::uint32_t>(10000, random_edges<std::uint32_t>(10000, edges, seed), 8);
    }
}

TEST(UnionFind, EightThreadsFightOverFewPoints) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    compare<std::uint32_t>(16, random_edges<std::uint32_t>(16, 64, seed), 8);
  }
}

TEST(UnionFind, EightThreadsJoinALongChain) {
  // The worst case for paths: every edge attaches one root to the next lower one.
  Edges<std::uint64_t> edges;
  for (std::uint64_t i = 20000; i > 0; --i) edges.push_back({i, i - 1});
  compare<std::uint64_t>(20001, edges, 8);
}

}  // namespace
}  // namespace kith
