// The neighbors of each atom of a system, by the definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "atoms/bins.hpp"
#include "atoms/near_row.hpp"

namespace kith {

inline NeighborKey neighbor_key(std::uint32_t j, std::uint32_t code) {
  return NeighborKey{j} << 32 | code;
}
inline std::uint32_t atom_of(NeighborKey key) { return static_cast<std::uint32_t>(key >> 32); }
inline std::uint32_t image_of(NeighborKey key) { return static_cast<std::uint32_t>(key); }

/// The rule of a system: which pairs are neighbors, and which of them are wanted.
struct AtomRule {
  double reach2 = 0;              ///< neighbors: d2 <= reach2
  const double* radii = nullptr;  ///< instead: d2 <= (r_i + r_j)^2, of the atoms of this system
  bool is_strict = false;         ///< d2 < (r_i + r_j)^2
  bool is_half = false;
  bool with_self = false;
  std::size_t most = 0;  ///< keep this many of the nearest, by (d2, key); 0 = all
};

/// A neighbor with its squared distance.
struct NearKey {
  double d2;
  NeighborKey key;
  friend bool operator<(const NearKey& a, const NearKey& b) {
    return a.d2 != b.d2 ? a.d2 < b.d2 : a.key < b.key;
  }
};

/// d2 < r2 is d2 <= the number before r2.
inline double cutoff2_of(double cutoff, bool is_strict) {
  const double reach2 = cutoff * cutoff;
  if (!is_strict) return reach2;
  return reach2 > 0 ? std::nextafter(reach2, 0.0) : -1;
}

class AtomRows {
 public:
  AtomRows(const AtomBins& bins, const AtomRule& rule) : bins_(bins), rule_(rule) {
    const double safe = bins.safe_reach();
    is_settled_ = bins.is_inside() && !rule.radii;
    limit2_ = is_settled_ ? rule.reach2 : safe * safe * (1 + 1e-12);
  }

  /// Memory of one task.
  struct Scratch {
    std::vector<AtomBins::Run> runs;
    std::vector<NeighborKey> found;
    std::vector<NearKey> near;
    RowSortScratch sort;
    std::size_t at = 0;  ///< the atom whose bin the runs are for
    bool has_runs = false;
  };

  /// The neighbors of the atom at a place in the order of bins, sorted.
  std::span<const NeighborKey> row(std::size_t at, Scratch& scratch) const {
    const std::size_t size = unsorted_row(at, scratch).size();
    sort(scratch.found.data(), size, scratch.sort);
    return {scratch.found.data(), size};
  }

  /// The same in no particular order.
  std::span<const NeighborKey> unsorted_row(std::size_t at, Scratch& scratch) const {
    if (!scratch.has_runs || !bins_.share_bin(at, scratch.at)) {
      bins_.runs_around(at, scratch.runs);
      std::size_t most = 0;
      for (const AtomBins::Run& run : scratch.runs) most += run.end - run.begin;
      if (scratch.found.size() < most + kRowSlack) scratch.found.resize(most + kRowSlack);
      scratch.has_runs = true;
    }
    scratch.at = at;
    NeighborKey* found = scratch.found.data();
    // By their places in the cell: all neighbors, and if is_settled_, no others.
    const std::size_t near = find_near(bins_, scratch.runs, bins_.columns()[at], limit2_, found);
    std::size_t size = choose(bins_.index(at), found, near);
    if (rule_.most > 0 && size > rule_.most) size = keep_nearest(bins_.index(at), size, scratch);
    return {found, size};
  }

  /// The `count` nearest of the atoms of a row, nearest first.
  std::span<const NearKey> nearest(std::uint32_t i, std::size_t row_size, std::size_t count,
                                   Scratch& scratch) const {
    select_nearest(i, row_size, count, scratch);
    std::sort(scratch.near.begin(), scratch.near.begin() + static_cast<std::ptrdiff_t>(count));
    return {scratch.near.data(), count};
  }

  /// The vector to a neighbor, and its squared length.
  AtomVector to(std::uint32_t i, NeighborKey key) const {
    const std::uint32_t j = atom_of(key);
    return atom_vector(bins_.given(i), bins_.given(j), bins_.offset(i, j, image_of(key)));
  }

 private:
  /// Removes the other candidates from `keys`; returns how many neighbors are left.
  std::size_t choose(std::uint32_t i, NeighborKey* keys, std::size_t n) const {
    const NeighborKey self = neighbor_key(i, static_cast<std::uint32_t>(bins_.own_image()));
    std::size_t kept = 0;
    for (std::size_t at = 0; at < n; ++at) {
      const NeighborKey key = keys[at];
      keys[kept] = key;
      // Keys after that of the atom itself are those of later atoms, and of itself in later images.
      const bool is_wanted = rule_.is_half ? key > self || (key == self && rule_.with_self)
                                           : key != self || rule_.with_self;
      kept += is_wanted && (is_settled_ || is_neighbor(i, key)) ? 1 : 0;
    }
    return kept;
  }

  void sort(NeighborKey* keys, std::size_t n, RowSortScratch& scratch) const {
    const std::uint64_t images = bins_.images();
    if (n > kMostRanked || bins_.size() * images >= std::numeric_limits<std::int32_t>::max())
      std::sort(keys, keys + n);
    else
      sort_row(keys, n, images, scratch);
  }

  /// Brings the nearest to the front.
  void select_nearest(std::uint32_t i, std::size_t size, std::size_t count,
                      Scratch& scratch) const {
    scratch.near.resize(size);
    for (std::size_t n = 0; n < size; ++n)
      scratch.near[n] = {to(i, scratch.found[n]).d2, scratch.found[n]};
    if (count == size) return;
    const auto last = scratch.near.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(scratch.near.begin(), last, scratch.near.end());
  }

  std::size_t keep_nearest(std::uint32_t i, std::size_t size, Scratch& scratch) const {
    select_nearest(i, size, rule_.most, scratch);
    for (std::size_t n = 0; n < rule_.most; ++n) scratch.found[n] = scratch.near[n].key;
    return rule_.most;
  }

  bool is_neighbor(std::uint32_t i, NeighborKey key) const {
    const double d2 = to(i, key).d2;
    if (!rule_.radii) return d2 <= rule_.reach2;
    const double reach = rule_.radii[i] + rule_.radii[atom_of(key)];
    return rule_.is_strict ? d2 < reach * reach : d2 <= reach * reach;
  }

  const AtomBins& bins_;
  AtomRule rule_;
  bool is_settled_ = false;
  double limit2_ = 0;
};

}  // namespace kith
