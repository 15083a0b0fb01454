// The density of each member of a halo among the others, and its nearest denser neighbors.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <kith/execution.hpp>

#include "parallel/workers.hpp"
#include "subhalos/candidates.hpp"

namespace kith {

struct FieldOptions {
  std::size_t density_neighbors, link_neighbors;
};

/// `rows`: positions of the members, d numbers each. Densities are those of sph_density with the
/// cubic spline, and 0 where no neighbor has mass.
DensityField density_field(std::span<const double> rows, std::size_t d,
                           std::span<const double> mass, const FieldOptions& options,
                           const Workers& workers, const Execution& execution);

}  // namespace kith
