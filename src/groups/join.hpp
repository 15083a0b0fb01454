// Friends of friends as the tree joined with itself.
//
// Levels count from the points: level 0 is the points, level k the nodes of plane k - 1. The join
// runs in two rounds of tasks, one task for each node of `task_level`. The first links the points
// inside each node, bottom up: the tasks do not touch each other's points. The second links each
// node with all later ones.
//
// A node is "one" when all its points are known to be in one set. It is from the start if its
// diagonal is within the linking length, and it may become so in the first round. Two nodes that
// are one and in the same set need no look; two in different sets only need the first link between
// them. In dense sets nearly everything ends there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/array.hpp"
#include "parallel/workers.hpp"
#include "tree/planes.hpp"

namespace kith {

template <class T>
struct JoinLevel {
  const T* data = nullptr;               ///< chunks of boxes; level 0: blocks of points
  const std::uint32_t* first = nullptr;  ///< cells: first child; packed: null
  const std::uint32_t* begin = nullptr;  ///< cells: first point; packed: null
  std::uint8_t* is_one = nullptr;        ///< per node
  std::size_t nodes = 0;
};

template <class T>
struct JoinJob {
  int dimension = 0;
  bool is_packed = true;
  T reach2 = 0;
  T side[kMaxDimension] = {};
  std::size_t points = 0;
  std::uint32_t* parent = nullptr;  ///< union-find over the points in tree order, whole blocks
  std::vector<JoinLevel<T>> levels;
  int task_level = 0;

  int top() const { return static_cast<int>(levels.size()) - 1; }
};

/// Lists that a task fills; they keep their memory for the next one.
struct JoinScratch {
  /// Tests of one batch: enough to hide their latency, few enough to stay in the nearest cache.
  static constexpr std::size_t kBatch = 2048;
  std::vector<std::vector<std::uint32_t>>
      near;  ///< per level: the nodes that the node at hand may link with
  alignas(64) std::uint64_t test[kBatch + 2 * kLanes];  ///< point << 32 | block of the source
  alignas(64) std::uint64_t hit[kBatch + 2 * kLanes];   ///< tests that found links
  std::uint32_t hit_lanes[kBatch + 2 * kLanes];         ///< and with which lanes of the source

  std::uint32_t* room(int level, std::size_t values) {
    std::vector<std::uint32_t>& list = near[static_cast<std::size_t>(level)];
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
