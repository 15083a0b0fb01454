// Atoms in a periodic cell of any shape, distributed over ranks.
//
// Each atom is moved into the cell and gets a point: its coordinates along the lattice vectors,
// each times the distance of the planes of the cell. Two atoms within a distance of each other,
// through any image, differ by no more on each axis of these points, whose box is periodic with
// these distances as sides. So the domains are those of the points, atoms around a rank are found
// among them, and the code of one process searches the atoms as they were given.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <kith/cells.hpp>
#include <kith/mpi/atoms.hpp>

#include "mpi/domains/domain.hpp"
#include "mpi/groups/fof.hpp"
#include "mpi/neighbors/ghosts.hpp"

namespace kith::mpi {

/// Atoms of a rank and those around them, in the order of their numbers.
struct AtomsAround {
  std::vector<double> place;         ///< three coordinates, as they were given
  std::vector<double> length;        ///< of each atom, if they have any
  std::vector<std::int64_t> global;  ///< number among all atoms
  std::vector<std::uint8_t> is_own;  ///< atoms of this rank, the order of its local indices
  std::size_t size() const { return global.size(); }
};

class AtomDomains {
 public:
  /// `length`: one for each atom of this rank, or none on all ranks. check() is called on each rank
  /// after the checks of the atoms; what it throws on one rank is thrown on all. Collective.
  AtomDomains(const char* name, MPI_Comm comm, const AtomSystem& system,
              std::span<const double> length, const Execution& execution,
              FunctionRef<void()> check);

  const Domains& domains() const { return *domains_; }
  const Domains::Impl& impl() const;
  const Part<double>& part() const { return impl().as<double>(); }
  /// The system with other atoms, in its dimension.
  AtomSystem system_of(const AtomsAround& atoms) const;
  const AtomSystem& system() const { return system_; }

  /// Place and length of each atom of this rank, by local index.
  PointValues values() const;
  bool has_lengths() const { return has_lengths_; }
  /// Of all ranks.
  double largest_length() const { return largest_length_; }

  /// Points of atoms within a reach of each other are at most this far apart.
  double reach_of_points(double reach) const;
  /// Sides of the smallest box that holds the points of all ranks; those of the cell on periodic
  /// axes.
  const std::vector<double>& extent() const { return extent_; }

  /// All atoms with an image within reach of one of this rank. Collective.
  AtomsAround around(Call& call, double reach) const;

  /// Numbers by local index, of each own atom among `atoms`, back to the rows of the input.
  std::vector<std::int64_t> return_own(Call& call, const AtomsAround& atoms,
                                       const std::vector<std::int64_t>& of_atom) const;

 private:
  struct Places;
  static constexpr std::size_t kWidth = 4;

  AtomSystem system_;
  std::optional<Domains> domains_;
  Array<std::byte> values_;
  bool has_lengths_ = false;
  double largest_length_ = 0, slack_ = 0;
  std::vector<double> extent_;
};

}  // namespace kith::mpi
