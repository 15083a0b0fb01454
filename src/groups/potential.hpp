// Which of some points lies deepest in the potential of all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <kith/execution.hpp>

#include "base/shared.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// Points of one group in float64, column after column, and their masses.
struct Bodies {
  std::size_t d = 0, count = 0;
  std::vector<double> x;  ///< [axis * count + i]
  std::vector<double> mass;
  /// Where blocks of members end: bodies may be some members only. Sums of blocks are added in
  /// order, as in the catalogue.
  std::vector<std::size_t> block_end;

  double at(std::size_t i, std::size_t axis) const { return x[axis * count + i]; }
};

/// (potential, point): the order in which points lie deep.
using Depth = std::pair<double, std::uint64_t>;

inline constexpr std::size_t kDirect = 1024;   ///< points up to which direct sums are fast enough
inline constexpr std::size_t kDeepestBy = 64;  ///< of a tree code, among which direct sums decide

/// The point with the least -sum over the others of m / sqrt(r^2 + softening^2), the first of
/// equals.
KITH_SHARED std::size_t deepest(const Bodies& bodies, double softening, const Workers& workers);

/// Places of points along a curve through all of their group, within its bounds; bodies of equal
/// place are ordered by index.
KITH_SHARED std::vector<std::uint64_t> curve_places(const Bodies& bodies, const double* lower,
                                                    const double* upper, const Workers& workers);

}  // namespace kith
