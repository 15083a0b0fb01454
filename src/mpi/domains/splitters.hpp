// Which rank each point goes to: runs of about equal length or weight along the curve, over all
// ranks.
//
// Ranks never exchange points or samples to find out: they count their keys in cells of the curve
// (edge_search.hpp). Points that share all bits of a key get new keys within their common box;
// points that no box separates are ordered by global index. So any points are distributed evenly,
// and for z every edge is one of a Morton cell.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "mpi/domains/units.hpp"
#include "mpi/transport/call.hpp"
#include "tree/input.hpp"

namespace kith::mpi {

/// The global index of an input row.
struct GlobalIndices {
  std::span<const std::int64_t> ids;  ///< if the caller gave any
  std::uint64_t first = 0;            ///< that of row 0, if not

  std::uint64_t operator()(std::uint32_t row) const {
    return ids.empty() ? first + row : static_cast<std::uint64_t>(ids[row]);
  }
};

template <class T>
struct SplitJob {
  const Input<T>& input;
  Curve curve = Curve::hilbert;
  GlobalIndices global;
  std::uint64_t total = 0;                    ///< points of all ranks
  std::size_t leaf = 8;                       ///< points that need not be parted
  bool keeps_leaves = false;                  ///< edges are moved to those of leaves (cells)
  std::optional<Units> units = std::nullopt;  ///< on all ranks or on none

  /// To be divided among the ranks.
  std::uint64_t sum() const { return units ? units->total : total; }
};

/// The rank of each point of the input.
template <class T>
Array<std::uint32_t> destinations(Call& call, const SplitJob<T>& job);

}  // namespace kith::mpi
