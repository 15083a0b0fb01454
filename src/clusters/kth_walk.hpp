// The distance of every point to its k-th nearest, without the index of that point. Core distances
// need no more, and it takes a fraction of the cost of a search for neighbors.
//
// The points of a block lie in the lanes of vectors, with the k least squared distances of each so
// far in order. A first pass reads a window of blocks along the curve, which bounds the search
// radius of each block; a walk then brings every block the sources that are nearer than that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clusters/near_walk.hpp"

namespace kith {

/// Lists longer than this are kept better by the search for neighbors.
constexpr std::size_t kMostKth = 32;

/// Receivers and sources of the job are the same tree.
template <class T>
struct KthJob : NearJob<T> {
  std::size_t k = 1;  ///< at most kMostKth and the number of points; the point itself counts
  /// By position, whole blocks: an upper bound after `run_kth_bounds`, the squared distance after
  /// the tasks. Infinite in unused lanes.
  T* kth2 = nullptr;
  /// Per height from 1 on: sources farther than this change nothing; -1 if none does. Blocks are
  /// filled by `run_kth_bounds`; nodes need the largest of their children.
  std::vector<T*> reach2{nullptr};
};

/// The first pass for the blocks [begin, end), and the task of one node.
void run_kth_bounds(const KthJob<float>& job, std::size_t begin, std::size_t end);
void run_kth_bounds(const KthJob<double>& job, std::size_t begin, std::size_t end);
void run_kth_task(const KthJob<float>& job, std::uint32_t node, NearScratch<float>& scratch);
void run_kth_task(const KthJob<double>& job, std::uint32_t node, NearScratch<double>& scratch);

}  // namespace kith
