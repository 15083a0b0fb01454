// Slabs of a few points, so that few points make many of them.
#pragma once

#include <utility>

#include <kith/io/stored_points.hpp>

#include "slabs/budget.hpp"

namespace kith::test {

inline const DiskOptions kDisk{.max_memory = std::uint64_t{1} << 30};

/// Slabs, pieces and sets of ghosts of up to this many points until the end of the scope.
class SmallSlabs {
 public:
  SmallSlabs(std::size_t slab, std::size_t piece, std::size_t ghosts = ~std::size_t{0})
      : slab_(std::exchange(slabs::most_slab_points, slab)),
        piece_(std::exchange(slabs::most_piece_points, piece)),
        ghosts_(std::exchange(slabs::most_ghosts, ghosts)) {}
  ~SmallSlabs() {
    slabs::most_slab_points = slab_;
    slabs::most_piece_points = piece_;
    slabs::most_ghosts = ghosts_;
  }
  SmallSlabs(const SmallSlabs&) = delete;
  SmallSlabs& operator=(const SmallSlabs&) = delete;

 private:
  std::size_t slab_, piece_, ghosts_;
};

}  // namespace kith::test
