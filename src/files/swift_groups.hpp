// The groups of a SWIFT file that say something about all of it: what swiftsimio, yt and pynbody
// ask for before they look at particles. SWIFT stores every number as a list of one.
#pragma once

#include <kith/snapshot.hpp>

#include "files/hdf5.hpp"

namespace kith::io {

/// What is said; `units` carry no 1/h (see swift_units).
struct SwiftFacts {
  Units units = {};
  Background background = {};
  double time = 0;  ///< where there is no cosmology
  bool is_periodic = false;
};

/// SWIFT's units have no h in them: where the numbers carry 1/h, it goes into the unit.
Units swift_units(Units units, const Background& background);

/// Age of a universe with these facts, or their time, in their own unit of time.
double swift_time(const SwiftFacts& facts);

/// /Units, /InternalCodeUnits, /Cosmology, /Policy, /Code, the schemes, and /Parameters, which is
/// given back for more.
hdf5::Group write_swift_groups(hdf5::Group& root, const SwiftFacts& facts);

}  // namespace kith::io
