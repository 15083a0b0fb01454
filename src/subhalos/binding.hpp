// Unbinding: which members of a candidate are held by the gravity of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "groups/potential.hpp"
#include "parallel/workers.hpp"
#include "subhalos/subfind.hpp"

namespace kith {

/// The members of a halo in float64, one after the other: rows of d numbers.
struct HaloBodies {
  std::size_t d = 0;
  std::span<const double> x, v, mass;
  std::vector<double> heat;  ///< thermal energies per mass
};

/// A member and its energy per mass, in the order of binding.
struct Bound {
  double energy;
  std::uint32_t member;

  bool operator<(const Bound& other) const {
    return energy < other.energy || (energy == other.energy && member < other.member);
  }
};

/// Removes unbound members, until all are bound or fewer than the least number remain.
///
/// In each round, energies per mass are e = gravity phi + |v - V + hubble_flow (x - X)|^2 / 2 +
/// heat, where X and V are the means over the members that are left, weighted by mass. Of those
/// with e >= 0, the least bound are removed, at most a quarter of the members; of equal ones the
/// highest index.
///
/// Regions around chance seeds are large and hardly bound, and would take 30 rounds to vanish. With
/// Start::half, nothing is left if fewer than half of the members are bound in the first round.
class Unbinding {
 public:
  Unbinding(const HaloBodies& halo, const BindingRules& rules, const Workers& workers)
      : halo_(halo), rules_(rules), workers_(workers) {}

  enum class Start { any, half };

  /// The members that stay, the most bound first; empty if they are too few. `members` ascend.
  std::vector<Bound> run(std::vector<std::uint32_t> members, Start start) const;

 private:
  std::vector<double> energies(std::span<const std::uint32_t> members,
                               std::span<const double> potential) const;
  /// Members to remove now, ascending.
  std::vector<std::uint32_t> least_bound(std::span<const std::uint32_t> members,
                                         std::span<const double> energy) const;
  /// Removes them and their potentials.
  static void remove(const std::vector<std::uint32_t>& gone, std::vector<std::uint32_t>& members,
                     std::vector<double>& potential);
  /// Subtracts the potential of those that are gone.
  void subtract(const std::vector<std::uint32_t>& gone, std::span<const std::uint32_t> members,
                std::vector<double>& potential) const;
  Bodies bodies_of(std::span<const std::uint32_t> members) const;

  const HaloBodies& halo_;
  const BindingRules& rules_;
  const Workers& workers_;
};

}  // namespace kith
