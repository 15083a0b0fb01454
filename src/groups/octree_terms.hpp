// The terms of nodes and bodies in the potentials of a leaf's bodies: the innermost loop of the
// tree code, on the SIMD target in force.
#pragma once

#include <cstddef>

#include "base/dispatch.hpp"
#include "base/lanes.hpp"
#include "base/shared.hpp"

namespace kith {

/// Bodies of a leaf, one in each lane; unused lanes repeat the last one.
struct OctreeReceivers {
  double at[kMaxDimension][kLanes], potential[kLanes] = {};
};

/// Nodes and bodies that act, in their order: rows of d + 2 numbers.
struct OctreeTerms {
  static constexpr std::size_t kMost = 128;  ///< as many as stay in the nearest cache

  std::size_t count = 0;
  /// Mass, the receiver that it is (kLanes: none, it acts on all), and coordinates.
  double row[kMost * (kMaxDimension + 2)];
};

/// potential -= mass / sqrt(softening2 + r^2) for each term, one after the other in each lane.
KITH_SHARED void subtract_terms(const OctreeTerms& terms, std::size_t d, double softening2,
                                OctreeReceivers& to);

}  // namespace kith
