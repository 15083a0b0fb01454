// The two inner loops of a search, for every SIMD target: candidates near an atom, and sorting its
// neighbors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoms/bins.hpp"

namespace kith {

/// A neighbor: its number, and the code of the image that it was found in. Of one atom, they are
/// sorted as (j, S) are.
using NeighborKey = std::uint64_t;

/// The loops write up to this many values beyond their results, and read as many beyond columns.
inline constexpr std::size_t kRowSlack = 8;

/// Writes the keys of the atoms in the runs whose places in their images are within sqrt(limit2) of
/// `own`, by the operations of atom_vector; returns their number. `found` has room for all.
std::size_t find_near(const AtomBins& bins, std::span<const AtomBins::Run> runs, const Vector3& own,
                      double limit2, NeighborKey* found);

/// Up to this many keys are compared with each other, many at once: 50 keys take a quarter of
/// std::sort's time.
inline constexpr std::size_t kMostRanked = 192;

/// Memory of sort_row.
struct RowSortScratch {
  NeighborKey sorted[kMostRanked];
  std::int32_t narrow[kMostRanked + 32] = {}, rank[kMostRanked + 32];  // and two vectors
};

/// Sorts up to kMostRanked distinct keys; j * images + code must be a number of 31 bits.
void sort_row(NeighborKey* keys, std::size_t n, std::uint64_t images, RowSortScratch& scratch);

}  // namespace kith
