// Limits of searches on the sky: the chords of angles.
#pragma once

#include <kith/sky.hpp>

#include "base/shared.hpp"

namespace kith::sky {

/// The chord of the angle that a call was given as `what`: "sky.radius: angle".
KITH_SHARED double limit_of(const char* what, double angle, AngleUnit unit);
/// The same, where a chord of 0 would mean that there is none.
KITH_SHARED double positive_limit_of(const char* what, double angle, AngleUnit unit);

/// Both in one unit.
KITH_SHARED void expect_unit(const Positions& positions, const Positions& queries);

}  // namespace kith::sky
