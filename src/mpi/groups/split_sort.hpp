// Rows of groups that lie on several ranks, sorted over the ranks of each group.
#pragma once

#include "mpi/groups/split_groups.hpp"

namespace kith::mpi {

/// Rows of numbers that begin with the two words of a key, (key, index).
struct KeyedRows {
  std::size_t width = 0;
  PieceRows values;  ///< of each part here

  void add(std::size_t p, std::uint64_t key, std::uint64_t index);
  std::size_t count(std::size_t p) const { return values[p].size() / width; }
};

/// For each split group, the number of its rows that come before those of each of its ranks, and
/// the number of all.
using RowCuts = std::vector<std::vector<std::uint64_t>>;

/// The keys of a group must be different. Collective.
void sort_rows(Call& call, const SplitGroups& split, const RowCuts& cuts, KeyedRows& rows);

}  // namespace kith::mpi
