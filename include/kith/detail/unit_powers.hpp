// Units of results.
#pragma once

namespace kith {

/// How a number scales with the units of length, mass and velocity.
struct UnitPowers {
  int length = 0;
  int mass = 0;
  int velocity = 0;
  bool operator==(const UnitPowers&) const = default;
};

}  // namespace kith
