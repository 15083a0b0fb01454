// What the neighbour kernels read: points in blocks of 8 under an implicit 8-ary tree of boxes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/lanes.hpp"

namespace kith {

/// A packed tree as plain pointers; see tree/planes.hpp for the layout. Level 0 holds the boxes of
/// the blocks; the children of node i are nodes 8 i ... 8 i + 7 of the level below; the last level
/// has at most 8 nodes.
template <class T>
struct BlockView {
  struct Level {
    std::size_t nodes = 0;
    const T* boxes = nullptr;
    const std::uint32_t* smallest = nullptr;
  };
  static constexpr int kMaxLevels = 12;

  int dimension = 0;
  std::size_t points = 0;
  const T* blocks = nullptr;
  int levels = 0;
  std::array<Level, kMaxLevels> level = {};
  bool is_hilbert =
      true;  ///< blocks follow a Hilbert curve: half as many in reach as along a z-curve

  std::size_t block_count() const { return (points + kLanes - 1) / kLanes; }
};

}  // namespace kith
