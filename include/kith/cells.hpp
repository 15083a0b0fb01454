// Groups, neighbors and counts in periodic cells of any shape: what <kith/groups.hpp> and
// <kith/neighbors.hpp> do in boxes, for the systems of <kith/neighbor_list.hpp>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/groups.hpp>
#include <kith/neighbor_list.hpp>

/// Distances are defined as by NeighborListOptions, in double, and each image of an atom is a
/// separate neighbor, so that lengths may exceed the cell. Atoms of several systems are numbered
/// one system after the other, and are never neighbors of each other. Results depend on atoms and
/// options alone, not on threads.
namespace kith::cells {

struct FofOptions {
  double linking_length = 0;  ///< friends: d2 <= linking_length^2, through any image
  /// Instead, one for each atom of all systems: friends if d2 <= (l_i / 2 + l_j / 2)^2.
  std::span<const double> linking_lengths = {};
  std::size_t min_size = 1;  ///< atoms of smaller groups get the label -1
  bool strict = false;       ///< friends: d2 < linking_length^2
  bool keep_roots = false;   ///< whether to fill in Groups::root
};

/// Friends-of-friends groups: the connected components of the neighbor list, which is not kept.
/// Groups::linking_length() is the largest length.
///
/// Cost: O(atoms + pairs) time, about 100 bytes per atom. Errors: those of neighbor_list;
/// invalid_argument for a linking length that is missing, negative or not finite.
KITH_API Groups fof(std::span<const AtomSystem> systems, const FofOptions& options,
                    const Execution& execution = {});
inline Groups fof(const AtomSystem& system, const FofOptions& options,
                  const Execution& execution = {}) {
  return fof(std::span(&system, 1), options, execution);
}

struct CountOptions {
  double radius = 0;          ///< inclusive
  bool strict = false;        ///< count d2 < radius^2
  bool exclude_self = false;  ///< leave out each atom itself; its images count
};

/// The number of atoms and images within the radius of each atom.
///
/// Cost: O(atoms + pairs) time, about 100 bytes per atom. Errors: those of neighbor_list.
KITH_API std::vector<std::int64_t> radius_count(std::span<const AtomSystem> systems,
                                                const CountOptions& options,
                                                const Execution& execution = {});
inline std::vector<std::int64_t> radius_count(const AtomSystem& system, const CountOptions& options,
                                              const Execution& execution = {}) {
  return radius_count(std::span(&system, 1), options, execution);
}

struct KnnOptions {
  std::size_t k = 1;
  bool exclude_self = false;  ///< leave out each atom itself; its images are neighbors
};

/// Rows of k neighbors, nearest first.
struct Neighbors {
  std::size_t k = 0;
  int dimension = 3;                ///< components of a shift
  std::vector<std::int64_t> index;  ///< -1 where an open system has fewer than k atoms
  /// The image of the cell that the neighbor is in: whole numbers of lattice vectors.
  std::vector<std::int32_t> shift;
  std::vector<double> distance;  ///< infinite where there is no neighbor

  std::size_t size() const { return k == 0 ? 0 : index.size() / k; }
};

/// The k nearest atoms and images of each atom, by (d2, index, shift).
///
/// Cost: searches with growing cutoffs, each for the atoms that have fewer than k neighbors so far:
/// about twice that of a neighbor list with k pairs per atom. Errors: those of neighbor_list;
/// invalid_argument for k = 0.
KITH_API Neighbors knn(std::span<const AtomSystem> systems, const KnnOptions& options,
                       const Execution& execution = {});
inline Neighbors knn(const AtomSystem& system, const KnnOptions& options,
                     const Execution& execution = {}) {
  return knn(std::span(&system, 1), options, execution);
}

}  // namespace kith::cells
