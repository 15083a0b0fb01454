// A kd-tree without pointers, one point per node, for programs that bring their own traversal.
#pragma once

#include <cstdint>
#include <vector>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/tree.hpp>

namespace kith {

/// Node i has the children 2 i + 1 (lesser) and 2 i + 2 (greater), as far as there are that many
/// points: every row of nodes is full but the last, which is filled from the left. Points of the
/// lesser side come before the node's point in the order of (coordinate on its axis, index), those
/// of the greater side after it.
struct LeftBalanced {
  std::vector<std::int64_t> index;  ///< original index of each node's point
  std::vector<std::int8_t> axis;    ///< along which the node splits the points below it
};

/// The left-balanced kd-tree of the points of a tree, whatever its order. The boxes of the split
/// axis rule are those of a node's points. Determinism: it depends on the points and the rule
/// alone. Cost: O(n log n) time; the first splits are made by one thread each.
/// Errors: out_of_memory, cancelled.
KITH_API LeftBalanced left_balanced(const Tree& tree, SplitAxis split_axis = SplitAxis::widest,
                                    const Execution& execution = {});

}  // namespace kith
