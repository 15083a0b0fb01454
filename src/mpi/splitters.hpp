// Which rank each point goes to: runs of about equal length along the curve, over all ranks.
//
// Ranks never exchange points or samples to find out. They count their keys in cells of the curve,
// add the counts up, and open those cells alone that an edge between two ranks falls into, until
// such a cell has few enough points to go to one side as a whole. Points that share all bits of a
// key get new keys within their common box; points that no box separates are ordered by global
// index. So any points are dealt out evenly, and for z every edge is one of a
// Morton cell.
#pragma once

#include <cstdint>

#include "mpi/call.hpp"
#include "tree/input.hpp"

namespace kith::mpi {

template <class T>
struct SplitJob {
  const Input<T>& input;
  Curve curve = Curve::hilbert;
  const std::uint64_t* global = nullptr;  ///< of each point of the input; below 2^63
  std::uint64_t total = 0;                ///< points of all ranks
  std::size_t leaf = 8;                   ///< points that need not be parted
  bool keeps_leaves = false;              ///< edges are moved to those of leaves (cells)
};

/// The rank of each point of the input.
template <class T>
Array<std::uint32_t> destinations(Call& call, const SplitJob<T>& job);

}  // namespace kith::mpi
