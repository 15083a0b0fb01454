// Centers of groups: center of mass, shrinking spheres, deepest potential.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <kith/box.hpp>
#include <kith/catalogue.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>

namespace kith {

/// docs/catalogue.md compares them. `peak_members` finds the densest member.
enum class CenterKind {
  mass,       ///< center of mass
  shrinking,  ///< center of mass of ever smaller spheres about it (Power et al. 2003)
  potential,  ///< the member with the deepest gravitational potential of all members
};

struct CenterOptions {
  Box box = {};                             ///< the box of the groups
  ValuesView mass = {};                     ///< one per point; default 1 for all
  std::span<const std::uint8_t> type = {};  ///< type of each point
  /// Only members of these types determine the center, for example dark matter: gas and stars form
  /// separate clumps. All members if this is empty, or if a group has none of these types.
  std::vector<int> types = {};
  CenterKind kind = CenterKind::potential;
  /// Potentials are -sum m / sqrt(r^2 + softening^2), so that close pairs do not dominate. A fifth
  /// of the linking length is a good choice.
  double softening = 0;
};

/// Calls visit(name, field) for every option that is not an array of points; for bindings.
template <class Visit>
void for_each_option(CenterOptions& options, Visit&& visit) {
  visit("box", options.box);
  visit("same_mass", options.mass.same);
  visit("types", options.types);
  visit("kind", options.kind);
  visit("softening", options.softening);
}

/// One position per group, inside the box. Sums run over the members in the order of their indices,
/// in float64, so the bits do not depend on threads. Of equal potentials, the lowest index wins.
///
/// Potentials are summed directly over pairs. In groups of over 1,024 members, a tree code (opening
/// angle 0.5) selects the 64 deepest members, and direct sums decide among them. Cost: O(n)
/// for a mass or a shrinking sphere, O(n^2) up to 1,024 members and O(n log n) beyond for
/// potentials; 100 bytes per member of the largest group.
///
/// Errors: invalid_argument for arrays of the wrong size, masses that are negative or not
/// finite, a negative softening.
KITH_API std::vector<double> centers(PointsView points, const Members& members,
                                     const CenterOptions& options = {},
                                     const Execution& execution = {});

}  // namespace kith
