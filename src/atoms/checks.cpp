#include "atoms/checks.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "base/fail.hpp"

namespace kith {

void check_atom_length(const char* call, const char* name, double value) {
  if (!(value == 0 || (value >= 1e-100 && value <= 1e100)))
    refuse("{}: {} = {}; give 0, or a number from 1e-100 to 1e100", call, name, value);
}

void check_systems(const char* call, std::span<const AtomSystem> systems, std::int64_t most) {
  std::size_t atoms = 0;
  for (const AtomSystem& system : systems) {
    const PointsView& positions = system.positions;
    if (positions.dimension < 1 || positions.dimension > 3)
      refuse("{}: positions in {} dimensions; atoms have 1, 2 or 3", call, positions.dimension);
    if (positions.dimension != systems[0].positions.dimension)
      refuse("{}: systems of dimension {} and {}; they must agree", call,
             systems[0].positions.dimension, positions.dimension);
    if (positions.stride < positions.dimension && positions.size > 1)
      refuse("{}: rows {} scalars apart in {} dimensions; the stride is at least the dimension",
             call, positions.stride, positions.dimension);
    if (!positions.data && positions.size > 0)
      refuse("{}: {} positions without data; give a pointer", call, positions.size);
    atoms += positions.size;
  }
  if (atoms > static_cast<std::size_t>(std::min<std::int64_t>(most, std::int64_t{1} << 32) - 16))
    fail(ErrorCode::too_large, "{}: {} atoms; ask for 64-bit indices, or search fewer at once",
         call, atoms);
}

void check_cutoffs(const char* call, std::span<const AtomSystem> systems,
                   const NeighborListOptions& options) {
  std::size_t atoms = 0;
  for (const AtomSystem& system : systems) atoms += system.positions.size;
  check_atom_length(call, "cutoff", options.cutoff);
  if (!options.radii.empty() && options.radii.size() != atoms)
    refuse("{}: {} radii for {} atoms; give one for each", call, options.radii.size(), atoms);
  if (!options.radii.empty() && options.cutoff != 0)
    refuse("{}: both cutoff = {} and radii are given; give one of them", call, options.cutoff);
  for (const double radius : options.radii) check_atom_length(call, "a radius", radius);
  if (options.half && options.max_neighbors > 0)
    refuse("{}: max_neighbors = {} with half, which has each pair once; leave one of them out",
           call, options.max_neighbors);
  constexpr std::string_view kKnown = "ijSdD";
  for (const char quantity : options.quantities)
    if (kKnown.find(quantity) == std::string_view::npos)
      refuse("{}: the quantity '{}'; there are i, j, S, d and D", call, std::string(1, quantity));
}

AtomRule rule_of(const NeighborListOptions& options, std::size_t first) {
  return {.reach2 = cutoff2_of(options.cutoff, options.strict),
          .radii = options.radii.empty() ? nullptr : options.radii.data() + first,
          .is_strict = options.strict,
          .is_half = options.half,
          .with_self = options.self_interaction,
          .most = options.max_neighbors};
}

double reach_of(const NeighborListOptions& options, std::size_t first, std::size_t size) {
  if (options.radii.empty()) return options.cutoff;
  const std::span<const double> radii = options.radii.subspan(first, size);
  return radii.empty() ? 0 : 2 * *std::max_element(radii.begin(), radii.end());
}

}  // namespace kith
