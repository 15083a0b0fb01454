// Shared by the formats: halos in order within the trees of a file, and chains of halos.
#pragma once

#include <cstdint>
#include <vector>

#include <kith/merger_trees.hpp>

namespace kith::io {

/// Groups of halos as links between rows; without groups, each halo is one.
struct GroupChains {
  std::vector<std::int64_t> first, next;  ///< of the same group and snapshot, by label; -1: none

  GroupChains(const MergerTrees& trees, const std::vector<std::int64_t>& group);
};

/// For each row, the first of the rows that point to it, and the next one that points to the same:
/// the latest snapshot first, then by label, as Gadget-4 has them.
struct Chains {
  std::vector<std::int64_t> first, next;

  Chains(const MergerTrees& trees, const std::vector<std::int64_t>& target);
};

/// The rows of a file in which trees are joined as Gadget-4 does: where they share a group or a
/// most bound particle, and where the best progenitor of a halo is in another tree. Rows of one
/// joined tree stand together.
struct JoinedTrees {
  std::vector<std::int64_t> row;       ///< of the histories, for each row of the file
  std::vector<std::int64_t> file_row;  ///< of the file, for each row of the histories
  std::vector<std::int64_t> number;    ///< within the joined tree, for each row of the histories
  std::vector<std::int64_t> tree;      ///< the joined tree, for each row of the file
  std::vector<std::int64_t> length, start;  ///< of each joined tree

  JoinedTrees(const MergerTrees& trees, const GroupChains& groups,
              const std::vector<std::uint64_t>& most_bound_id);
};

}  // namespace kith::io
