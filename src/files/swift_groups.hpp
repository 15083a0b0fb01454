// The groups of metadata of a SWIFT file, which swiftsimio, yt and pynbody read before particles.
// SWIFT stores every number as a list of one.
#pragma once

#include <kith/io/snapshot.hpp>

#include "files/hdf5.hpp"

namespace kith::io {

/// The metadata; `units` carry no 1/h (see swift_units).
struct SwiftFacts {
  Units units = {};
  Background background = {};
  double time = 0;  ///< where there is no cosmology
  bool is_periodic = false;
};

/// SWIFT's units have no h in them: where the numbers carry 1/h, it goes into the unit.
Units swift_units(Units units, const Background& background);

/// The age of a universe with these facts, or their time, in their unit of time.
double swift_time(const SwiftFacts& facts);

/// /Units, /InternalCodeUnits, /Cosmology, /Policy, /Code, the schemes, and /Parameters, which is
/// returned so that more can be added.
hdf5::Group write_swift_groups(hdf5::Group& root, const SwiftFacts& facts);

}  // namespace kith::io
