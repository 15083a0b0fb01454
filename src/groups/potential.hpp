// Which of some points lies deepest in the potential of all of them.
#pragma once

#include <cstddef>
#include <vector>

#include <kith/execution.hpp>

#include "parallel/workers.hpp"

namespace kith {

/// Points of one group in float64, column after column, and their masses.
struct Bodies {
  std::size_t d = 0, count = 0;
  std::vector<double> x;  ///< [axis * count + i]
  std::vector<double> mass;

  double at(std::size_t i, std::size_t axis) const { return x[axis * count + i]; }
};

/// The point with the least -sum over the others of m / sqrt(r^2 + softening^2), the first of
/// equals.
std::size_t deepest(const Bodies& bodies, double softening, const Workers& workers,
                    const Execution& execution);

}  // namespace kith
