// Groups and counts in periodic cells: rows of the neighbor list are used as they are found.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <kith/cells.hpp>

#include "atoms/checks.hpp"
#include "base/fail.hpp"
#include "cells/join.hpp"
#include "cells/rows.hpp"
#include "groups/labels.hpp"
#include "parallel/grains.hpp"
#include "parallel/public_call.hpp"
#include "parallel/union_find.hpp"

namespace kith::cells {
namespace {

/// The neighbor list whose components are the groups. `radii` has half of each length.
NeighborListOptions friends(const FofOptions& options, std::vector<double>& radii) {
  for (const double length : options.linking_lengths) radii.push_back(length / 2);
  return {.cutoff = options.linking_length, .radii = radii, .strict = options.strict, .half = true};
}

double largest_length(const FofOptions& options) {
  double largest = options.linking_length;
  for (const double length : options.linking_lengths) largest = std::max(largest, length);
  return largest;
}

/// Calls use(system, rule, reach, first atom) for each system.
template <class Use>
void for_each_system(std::span<const AtomSystem> systems, const NeighborListOptions& options,
                     const Workers& workers, const Use& use) {
  const std::vector<std::size_t> first = first_atoms(systems);
  workers.for_each(systems.size(), [&](std::size_t s) {
    use(systems[s], rule_of(options, first[s]),
        reach_of(options, first[s], systems[s].positions.size), first[s]);
  });
}

}  // namespace

void check_linking(const FofOptions& options, std::size_t atoms) {
  const std::span<const double> lengths = options.linking_lengths;
  if (lengths.empty() && atoms > 0 && options.linking_length == 0)
    refuse("cells.fof: linking_length = 0; give a positive length");
  check_atom_length("cells.fof", "linking_length", options.linking_length);
  if (options.min_size == 0) refuse("cells.fof: min_size = 0; give at least 1");
  if (lengths.empty()) return;
  if (options.linking_length != 0)
    refuse("cells.fof: linking_length = {} with a length for each atom; leave it 0",
           options.linking_length);
  if (lengths.size() != atoms)
    refuse("cells.fof: {} linking lengths for {} atoms; give one for each", lengths.size(), atoms);
  for (const double length : lengths) check_atom_length("cells.fof", "a linking length", length);
}

Array<std::uint32_t> join_atoms(const char* call, std::span<const AtomSystem> systems,
                                const FofOptions& options, Workers& workers) {
  const std::size_t atoms = first_atoms(systems).back();
  Array<std::uint32_t> parent(atoms, workers.pool());
  const UnionFind<std::uint32_t> sets(parent.data());
  workers.for_ranges(atoms, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) sets.reset(static_cast<std::uint32_t>(i));
  });
  std::vector<double> radii;
  const NeighborListOptions list = friends(options, radii);
  const Stage stage(workers, "link", atoms);
  for_each_system(
      systems, list, workers,
      [&](const AtomSystem& system, const AtomRule& rule, double reach, std::size_t first) {
        const AtomBins bins(call, system, reach, workers);
        const auto start = static_cast<std::uint32_t>(first);
        for_each_row(bins, rule, workers,
                     [&](std::uint32_t i, std::span<const NeighborKey> row, const auto&, auto&) {
                       for (const NeighborKey key : row)
                         if (atom_of(key) != i) sets.unite(start + i, start + atom_of(key));
                       return true;
                     });
      });
  return parent;
}

Groups fof(std::span<const AtomSystem> systems, const FofOptions& options,
           const Execution& execution) {
  constexpr const char* kCall = "cells.fof";
  return public_call(kCall, execution, [&](Workers& workers) {
    check_systems(kCall, systems, std::numeric_limits<std::int64_t>::max());
    const std::size_t atoms = first_atoms(systems).back();
    check_linking(options, atoms);
    const Array<std::uint32_t> parent = join_atoms(kCall, systems, options, workers);
    auto groups = std::make_shared<Groups::Impl>();
    groups->linking_length = largest_length(options);
    groups->label = Array<std::int32_t>(atoms, workers.pool());
    if (options.keep_roots) groups->root = Array<std::int64_t>(atoms, workers.pool());
    write_groups(InputOrder{atoms}, parent.data(), options.min_size, options.keep_roots, workers,
                 *groups);
    return wrap_impl<Groups>(std::move(groups));
  });
}

std::vector<std::int64_t> radius_count(std::span<const AtomSystem> systems,
                                       const CountOptions& options, const Execution& execution) {
  constexpr const char* kCall = "cells.radius_count";
  return public_call(kCall, execution, [&](Workers& workers) {
    check_systems(kCall, systems, std::numeric_limits<std::int64_t>::max());
    check_atom_length(kCall, "radius", options.radius);
    auto counts = filled<std::int64_t>(workers, first_atoms(systems).back());
    const Stage stage(workers, "count", counts.size());
    const NeighborListOptions list{.cutoff = options.radius,
                                   .strict = options.strict,
                                   .self_interaction = !options.exclude_self};
    for_each_system(
        systems, list, workers,
        [&](const AtomSystem& system, const AtomRule& rule, double reach, std::size_t first) {
          const AtomBins bins(kCall, system, reach, workers);
          for_each_row(bins, rule, workers,
                       [&](std::uint32_t i, std::span<const NeighborKey> row, const auto&, auto&) {
                         counts[first + i] = static_cast<std::int64_t>(row.size());
                         return true;
                       });
        });
    return counts;
  });
}

}  // namespace kith::cells
