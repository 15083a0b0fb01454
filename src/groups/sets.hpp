// Sets of points, counted: the root, the size and the lowest member of each.
#pragma once

#include <cstdint>

#include "base/array.hpp"
#include "parallel/workers.hpp"
#include "tree/planes.hpp"

namespace kith {

/// The lowest member of a set that has none, or whose lowest member is not wanted.
inline constexpr std::uint32_t kNoMember = 0xffffffff;

/// Sets of points in tree order. The arrays have a value per position, which counts where the
/// position is a root.
struct CountedSets {
  const std::uint32_t* root = nullptr;  ///< of every position
  Array<std::uint32_t> size;            ///< points; a tree has fewer than 2^32
  Array<std::uint32_t> lowest;          ///< the lowest original index

  /// Takes a set out of all that follows, as if it had no points.
  void drop(std::size_t at) const {
    size[at] = 0;
    lowest[at] = kNoMember;
  }
};

/// Counts the sets of a union-find over positions (parallel/union_find.hpp), which is flattened on
/// the way and must outlive the result. Sets of fewer than `lowest_from` points
/// may do without their lowest member, which saves a pass over their points.
/// `Points` is a tree's planes, or InputOrder.
template <class Points>
CountedSets count_sets(const Points& points, std::uint32_t* parent, std::size_t lowest_from,
                       const Workers& workers);

/// Points by their original indices instead of their positions in a tree.
struct InputOrder {
  std::size_t points = 0;
};
template <class Body>
void each_point(const InputOrder&, std::size_t begin, std::size_t end, Body body) {
  for (std::size_t i = begin; i < end; ++i) body(i, static_cast<std::uint32_t>(i));
}

/// Calls body(position, original index) for the points of [begin, end); begin is the first point of
/// a block. The indices of blocks to come are prefetched: they lie too far apart for the machine to
/// guess.
template <class T, class Body>
void each_point(const Planes<T>& planes, std::size_t begin, std::size_t end, Body body) {
  constexpr std::size_t kAhead = 16;
  for (std::size_t at = begin; at < end; at += kLanes) {
    const std::size_t block = at / kLanes;
    const std::uint32_t* index = planes.block_index(block);
    __builtin_prefetch(planes.block_index(std::min(block + kAhead, planes.block_count() - 1)));
    const std::size_t points = std::min(kLanes, end - at);
    for (std::size_t lane = 0; lane < points; ++lane) body(at + lane, index[lane]);
  }
}

}  // namespace kith
