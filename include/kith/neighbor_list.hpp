// Neighbors of atoms in periodic cells of any shape, as programs for atoms want them: which atoms,
// through which image of the cell, how far and in which direction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/neighbors.hpp>
#include <kith/points.hpp>

namespace kith {

/// A periodic cell of any shape: the lattice vectors are rows, as in ase. In two dimensions the
/// first two rows and columns count. The vector of an axis that is not periodic has no effect.
struct Lattice {
  std::array<std::array<double, 3>, 3> vectors = {};
  std::array<bool, 3> periodic = {};
};

/// Atoms that are neighbors of each other, and of their images: a crystal, a molecule, a part of a
/// batch. Positions may lie outside the cell. They have 1, 2 or 3 coordinates and are computed
/// with in double.
struct AtomSystem {
  PointsView positions;
  Lattice lattice = {};
};

/// Options of neighbor_list.
///
/// The definition: the vector from atom i to the image S of atom j has, on each axis,
///   D = (x_j - x_i) + (((0 + S_0 c_0) + S_1 c_1) + S_2 c_2),
/// where c_k are the components of the periodic lattice vectors, all in double, each operation
/// rounded once; d2 = (D_0^2 + D_1^2) + D_2^2, and the two are neighbors if d2 <= cutoff^2. (i, j,
/// S) and (j, i, -S) therefore have opposite vectors and the same distance, bit by bit.
struct NeighborListOptions {
  double cutoff = 0;  ///< inclusive; 0, or from 1e-100 to 1e100; larger than the cell if you like
  /// Instead of `cutoff`, one for each atom of all systems: neighbors if d2 <= (r_i + r_j)^2.
  std::span<const double> radii = {};
  /// What to return: any of i, j, S (shifts), d (distances), D (vectors).
  std::string_view quantities = "ijSdD";
  bool strict = false;  ///< neighbors if d2 < cutoff^2, as in ase
  /// Each pair once: i < j, or i == j and the first component of S that is not 0 is positive.
  bool half = false;
  bool self_interaction = false;  ///< each atom is also its own neighbor (S = 0)
  /// Keep this many of the nearest of each atom, by (d2, j, S); 0 = all. Not with `half`.
  std::size_t max_neighbors = 0;
};

/// Pairs of neighbors, sorted by (i, j, S), S by its first component first. Arrays that were not
/// asked for are empty. Copies share the memory. Atoms of several systems are numbered one system
/// after the other.
template <ResultIndex Index = std::int32_t>
class NeighborList {
 public:
  NeighborList() = default;
  /// Room for `size` pairs.
  NeighborList(std::size_t size, int dimension, std::string_view quantities,
               const Execution& execution)
      : size_(size), dimension_(static_cast<std::size_t>(dimension)) {
    const auto room = [&](char quantity, std::size_t bytes) {
      return quantities.find(quantity) == std::string_view::npos
                 ? nullptr
                 : detail::allocate(size, bytes, execution);
    };
    i_ = room('i', sizeof(Index));
    j_ = room('j', sizeof(Index));
    shift_ = room('S', sizeof(std::int32_t) * dimension_);
    distance_ = room('d', sizeof(double));
    vector_ = room('D', sizeof(double) * dimension_);
  }

  std::size_t size() const { return size_; }
  int dimension() const { return static_cast<int>(dimension_); }
  std::span<const Index> i() const { return over<Index>(i_, 1); }
  std::span<const Index> j() const { return over<Index>(j_, 1); }
  /// `dimension` components for each pair.
  std::span<const std::int32_t> shifts() const { return over<std::int32_t>(shift_, dimension_); }
  std::span<const double> distances() const { return over<double>(distance_, 1); }
  /// `dimension` components for each pair.
  std::span<const double> vectors() const { return over<double>(vector_, dimension_); }

 private:
  template <class Value>
  std::span<const Value> over(const std::shared_ptr<void>& memory, std::size_t width) const {
    return {static_cast<const Value*>(memory.get()), memory ? size_ * width : 0};
  }

  std::size_t size_ = 0, dimension_ = 0;
  std::shared_ptr<void> i_, j_, shift_, distance_, vector_;
};

/// The neighbors of all atoms: `neighbor_list(system, {.cutoff = 5})`, or
/// `neighbor_list<std::int64_t>(...)` for 64-bit indices.
///
/// Cost: O(atoms + pairs) time, whatever the shape of the cell and the places of the atoms; memory
/// beyond the result: 8 bytes per pair and about 100 per atom. Errors: invalid_argument (a cutoff
/// that is negative or not finite, lattice vectors of periodic axes that are zero or almost
/// parallel, positions beyond 1e100), non_finite, too_large (a cutoff that reaches more than 2^20
/// images, atoms more than 2^28 cells away from the cell), out_of_memory, cancelled.
template <ResultIndex Index = std::int32_t>
KITH_API NeighborList<Index> neighbor_list(std::span<const AtomSystem> systems,
                                           const NeighborListOptions& options,
                                           const Execution& execution = {});
template <ResultIndex Index = std::int32_t>
NeighborList<Index> neighbor_list(const AtomSystem& system, const NeighborListOptions& options,
                                  const Execution& execution = {}) {
  return neighbor_list<Index>(std::span(&system, 1), options, execution);
}

namespace detail {
/// More pairs than a search with this cutoff looks at.
KITH_API double most_pairs(std::span<const AtomSystem> systems, double cutoff);
}  // namespace detail

}  // namespace kith
