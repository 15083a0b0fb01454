// Bound subhalos: the bound members of candidates, which subfind or phase space gives.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <kith/subhalos.hpp>

#include "groups/property_columns.hpp"
#include "groups/source.hpp"
#include "parallel/workers.hpp"
#include "subhalos/part.hpp"

namespace kith {

/// Numbers of the options in the scale of the columns.
struct BindingRules {
  SubhaloMethod method;  ///< subfind or phase
  double gravity, softening, hubble_flow;
  ValueReader thermal_energy;
  double thermal_scale;  ///< thermal energies are multiplied by it
  std::size_t min_size, density_neighbors, link_neighbors;

  BindingRules(const SubhaloOptions& options, const PropertyColumns& columns);
};

/// The subhalos of a halo, the largest first, ties by lowest member. `execution`: of searches for
/// neighbors.
std::vector<HaloPart> bound_parts(const Source& from, std::span<const std::uint32_t> halo,
                                  const BindingRules& rules, const Workers& workers,
                                  const Execution& execution);

}  // namespace kith
