// Friends of friends of slabs, one after the other: what ranks do at once (mpi/groups/fof.cpp).
//
// A slab is joined by itself. Its points within a linking length of the boxes of later slabs are
// sent there: kept on disk until it is their turn. Points from earlier slabs are joined with its
// own points near those slabs; all sets of points that end up together are linked. Bounds of boxes
// need no margin (geometry/distance.hpp), so a pair of friends in two slabs always meets.
#pragma once

#include <cstdint>
#include <vector>

#include "groups/parts.hpp"
#include "slabs/store.hpp"

namespace kith::slabs {

inline constexpr std::uint32_t kNoSet = 0xffffffff;

/// Sets that may be groups: those with enough points in one slab, and those near other slabs.
struct SlabSets {
  std::vector<std::size_t> begin{0};  ///< the first set of each slab; and the end
  std::vector<std::uint32_t> parent;  ///< union-find
  std::vector<std::uint32_t> size;    ///< points in the slab
  std::vector<std::uint32_t> lowest;  ///< the first of them, among those of the slab
  std::uint64_t of_point = 0;         ///< place of the set of each point, slab after slab

  template <class Archive>
  void each_state(Archive& archive) {
    archive(begin);
    archive(parent);
    archive(size);
    archive(lowest);
    archive(of_point);
  }
  std::uint64_t bytes() const { return parent.size() * 24; }  ///< with what names take
};

/// `options`, `points`: for the tables that may not grow beyond the budget.
template <class T>
SlabSets link_slabs(const SlabStore<T>& store, T reach2, std::size_t min_size, const Budget& budget,
                    const Execution& execution, Workers& workers);

}  // namespace kith::slabs
