// Friends of friends as the tree joined with itself.
//
// Heights count from the points: height 0 is the points, height k the nodes of plane k - 1. The
// join runs in two rounds of tasks, one task for each node of `task_height`. The first links the
// points inside each node, bottom up: the tasks do not touch each other's points. The second links
// each node with all later ones.
//
// A node is joined (groups/components-inl.h) from the start if its diagonal is within the linking
// length, and it may become so in the first round. In dense sets nearly everything ends there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/array.hpp"
#include "parallel/workers.hpp"
#include "tree/planes.hpp"

namespace kith {

template <class T>
struct JoinJob {
  PlanesView<T> planes;
  T reach2 = 0;
  T side[kMaxDimension] = {};
  std::uint32_t* parent = nullptr;  ///< union-find over the points in tree order, whole blocks
  std::vector<std::uint8_t*> is_joined{nullptr};  ///< per height from 1 on: of each node
  int task_height = 0;

  int top() const { return planes.plane_count; }
  std::size_t nodes(int height) const {
    return height == 0 ? planes.points : planes.plane(height - 1).nodes;
  }
};

/// Lists that a task fills; they keep their memory for the next one.
struct JoinScratch {
  /// Tests of one batch: enough to hide their latency, few enough to stay in the nearest cache.
  static constexpr std::size_t kBatch = 2048;
  /// Per height: the nodes that the receiver may link with.
  std::vector<std::vector<std::uint32_t>> near;
  alignas(64) std::uint64_t test[kBatch + 2 * kLanes];  ///< point << 32 | block of the source
  alignas(64) std::uint64_t hit[kBatch + 2 * kLanes];   ///< tests that found links
  std::uint32_t hit_lanes[kBatch + 2 * kLanes];         ///< and with which lanes of the source

  std::uint32_t* room(int height, std::size_t values) {
    std::vector<std::uint32_t>& list = near[static_cast<std::size_t>(height)];
    if (list.size() < values) list.resize(2 * values);
    return list.data();
  }
};

enum class JoinRound { inside, outside };

/// The task of one node, on the SIMD target in force.
void run_join_task(const JoinJob<float>& job, JoinRound round, std::uint32_t node,
                   JoinScratch& scratch);
void run_join_task(const JoinJob<double>& job, JoinRound round, std::uint32_t node,
                   JoinScratch& scratch);

/// Sets of linked points: a union-find over the points in tree order (whole blocks; unused lanes
/// mean nothing). `side` is that of the frame.
template <class T>
Array<std::uint32_t> join(const Planes<T>& planes, const T* side, T reach2, Workers& workers);

}  // namespace kith
