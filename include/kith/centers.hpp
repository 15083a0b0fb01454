// Where a group is: three answers beside its center of mass and its densest member.
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

/// docs/catalogue.md compares them. The densest member is found by `peak_members`.
enum class CenterKind {
  mass,       ///< center of mass
  shrinking,  ///< center of mass of ever smaller spheres about it (Power et al. 2003)
  potential,  ///< the member with the deepest gravitational potential of all members
};

struct CenterOptions {
  Box box = {};                             ///< that of the groups
  ValuesView mass = {};                     ///< one per point; 1 for all if not given
  std::span<const std::uint8_t> type = {};  ///< of each point
  /// Members of these types alone decide, such as dark matter: gas and stars lie in clumps of their
  /// own. All members if there are none, or if a group has none of them.
  std::vector<int> types = {};
  CenterKind kind = CenterKind::potential;
  /// Potentials are -sum m / sqrt(r^2 + softening^2), so that close pairs do not decide. A fifth of
  /// the linking length is a good choice.
  double softening = 0;
};

/// Calls visit(name, field) for every option that is no array of points: for bindings.
template <class Visit>
void for_each_option(CenterOptions& options, Visit&& visit) {
  visit("box", options.box);
  visit("same_mass", options.mass.same);
  visit("types", options.types);
  visit("kind", options.kind);
  visit("softening", options.softening);
}

/// One position per group, inside the box. Sums run over the members in the order of their indices,
/// in float64: the bits do not depend on threads. Members of equal potential: the lowest index.
///
/// Potentials are summed directly over pairs. Of groups over 1,024 members a tree code (opening
/// angle 0.5) names the 64 members that lie deepest, and direct sums decide among them. Cost: O(n)
/// for a mass or a shrinking sphere, O(n^2) up to 1,024 members and O(n log n) beyond for
/// potentials; 100 bytes per member of the largest group.
///
/// Errors: invalid_argument for arrays whose sizes do not fit, masses that are negative or not
/// finite, a negative softening.
KITH_API std::vector<double> centers(PointsView points, const Members& members,
                                     const CenterOptions& options = {},
                                     const Execution& execution = {});

}  // namespace kith
