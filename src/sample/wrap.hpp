// Keeping coordinates in the box.
#pragma once

#include <cmath>

namespace kith::sample {

/// x moved by whole sides into [0, side).
inline float wrapped(float x, float side) {
  x -= side * std::floor(x / side);
  return x >= 0 && x < side ? x : 0;  // rounding can leave it a hair outside
}

}  // namespace kith::sample
