// Which rank each point goes to in a distributed kd-tree: cells of space, split in two until each
// has one rank.
//
// A cell of ranks [begin, end) and their share of the points is split at the exact rank of
// (coordinate, global index) that divides the points in the ratio of the ranks on both sides, so
// that every rank gets as many points as any other, give or take one, whatever the points and the
// number of ranks. The key of that point is found without moving points: all ranks count their keys
// in bins, add the counts up, and look closer into the bin that the wanted rank falls into. All
// cells of a level are searched at once: O(log ranks) levels of O(bits of a key) rounds, with
// messages of at most half a megabyte.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <kith/mpi.hpp>

#include "mpi/transport/call.hpp"
#include "tree/input.hpp"

namespace kith::mpi {

template <class T>
struct KdJob {
  const Input<T>& input;
  std::span<const std::int64_t> ids = {};  ///< by row of the caller; empty: rows count from `first`
  std::uint64_t first = 0;
  std::uint64_t total = 0;  ///< points of all ranks
  SplitAxis rule = SplitAxis::widest;

  std::uint64_t global(std::size_t i) const {
    const std::size_t row = input.index(i);
    return ids.empty() ? first + row : static_cast<std::uint64_t>(ids[row]);
  }
};

struct KdCells {
  Array<std::uint32_t> rank;        ///< of each point of the input
  std::vector<DomainSplit> splits;  ///< level by level, ranks ascending
};

/// Collective.
template <class T>
KdCells kd_cells(Call& call, const KdJob<T>& job);

}  // namespace kith::mpi
