// A kd-tree without pointers, one point per node, for programs that do the traversal themselves.
#pragma once

#include <cstdint>
#include <vector>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/tree.hpp>

namespace kith {

/// Node i has the children 2 i + 1 (lesser) and 2 i + 2 (greater), if there are that many
/// points: every row of nodes is full except the last, which is filled from the left. Points of the
/// lesser side come before the node's point in the order of (coordinate on its axis, index), those
/// of the greater side after it.
struct LeftBalanced {
  std::vector<std::int64_t> index;  ///< original index of each node's point
  std::vector<std::int8_t> axis;    ///< the axis along which the node splits
};

/// The left-balanced kd-tree of the points of a tree in any order. The split axis follows from the
/// box of the points of a node. Determinism: it depends only on the points and the rule.
/// Cost: O(n log n) time; the first splits are made by one thread each.
/// Errors: out_of_memory, cancelled.
KITH_API LeftBalanced left_balanced(const AnyTree& tree, SplitAxis split_axis = SplitAxis::widest,
                                    const Execution& execution = {});

}  // namespace kith
