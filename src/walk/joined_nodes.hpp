// Values of nodes that follow from their points or children: the largest of a number per point, and
// whether all points are known to be in one set while sets grow.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/array.hpp"
#include "parallel/grains.hpp"
#include "parallel/union_find.hpp"
#include "parallel/workers.hpp"
#include "tree/planes_view.hpp"

namespace kith {

/// The largest value among the points of each node; `value` is in tree order.
template <class T, class Value>
std::vector<Array<Value>> largest_of_nodes(const PlanesView<T>& planes, const Value* value,
                                           const Workers& workers) {
  std::vector<Array<Value>> largest;
  const Value* below = value;
  for (int plane = 0; plane < planes.plane_count; ++plane) {
    Array<Value> own(planes.plane(plane).nodes, workers.pool());
    workers.for_ranges(own.size(), kNodeGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t node = begin; node < end; ++node) {
        const IndexRange range = planes.children(plane, node);
        own[node] = *std::max_element(below + range.begin, below + range.end);
      }
    });
    largest.push_back(std::move(own));
    below = largest.back().data();
  }
  return largest;
}

/// The nodes of a tree that are joined: all their points are known to be in one set.
///
/// Threads may note nodes at once. Relaxed: a flag is set once the sets have been united, by
/// whichever thread, and says so for ever; one that is seen late costs a look, and the sets
/// themselves are asked of the union-find.
template <class T>
class JoinedNodes {
 public:
  JoinedNodes(const PlanesView<T>& planes, const UnionFind<std::uint32_t>& sets,
              const Workers& workers)
      : planes_(planes), sets_(sets) {
    for (int plane = 0; plane < planes.plane_count; ++plane) {
      flags_.emplace_back(planes.plane(plane).nodes, workers.pool());
      std::fill(flags_.back().begin(), flags_.back().end(), std::uint8_t{0});
    }
  }

  bool is_joined(int plane, std::size_t node) const {
    return std::atomic_ref(flag(plane, node)).load(std::memory_order_relaxed) != 0;
  }
  /// Checks the children, or the points of a leaf; returns whether the node is joined.
  bool note(int plane, std::size_t node) const {
    if (is_joined(plane, node)) return true;
    const IndexRange range = planes_.children(plane, node);
    const std::uint32_t set = set_of(plane - 1, range.begin);
    for (std::size_t child = range.begin; child < range.end; ++child)
      if ((plane > 0 && !is_joined(plane - 1, child)) || set_of(plane - 1, child) != set)
        return false;
    std::atomic_ref(flag(plane, node)).store(1, std::memory_order_relaxed);
    return true;
  }
  /// The set of the first point of a node, or of a point (plane -1).
  std::uint32_t set_of(int plane, std::size_t node) const {
    const std::size_t point = plane < 0 ? node : planes_.points_of(plane, node).begin;
    return sets_.find(static_cast<std::uint32_t>(point));
  }

 private:
  std::uint8_t& flag(int plane, std::size_t node) const {
    return flags_[static_cast<std::size_t>(plane)][node];
  }

  const PlanesView<T>& planes_;
  const UnionFind<std::uint32_t>& sets_;
  std::vector<Array<std::uint8_t>> flags_;
};

}  // namespace kith
