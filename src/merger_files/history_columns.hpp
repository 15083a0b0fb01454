// The properties of halos, for loops over all of them.
#pragma once

#include <kith/io/halo_members.hpp>

#include "base/shared.hpp"

namespace kith::io {

/// visit(name in Gadget-4's files, column, numbers in a row) for each column; the one with IDs and
/// the one with groups have whole numbers.
template <class Columns, class Visit>
void for_each_column(Columns& columns, Visit visit) {
  visit("SubhaloMass", columns.mass, 1);
  visit("Group_M_Crit200", columns.critical200_mass, 1);
  visit("SubhaloPos", columns.position, 3);
  visit("SubhaloVel", columns.velocity, 3);
  visit("SubhaloSpin", columns.spin, 3);
  visit("SubhaloVelDisp", columns.velocity_dispersion, 1);
  visit("SubhaloVmax", columns.vmax, 1);
  visit("SubhaloVmaxRad", columns.vmax_radius, 1);
  visit("SubhaloHalfmassRad", columns.half_mass_radius, 1);
  visit("SubhaloIDMostbound", columns.most_bound_id, 1);
  visit("GroupNr", columns.group, 1);
  visit("HaloID", columns.halo_id, 1);
}

/// Row k is row from[k] of the other columns.
HaloColumns rows_of(const HaloColumns& columns, const std::vector<std::int64_t>& from);

/// Adds the rows of another snapshot with `halos` halos behind `before` rows. A column that one of
/// them does not have is left out.
void append(HaloColumns& columns, std::size_t before, HaloColumns&& more, std::size_t halos);

}  // namespace kith::io
