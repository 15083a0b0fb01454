// The subhalos of all halos, by either method, and their catalogue.
#include <algorithm>
#include <cmath>

#include <kith/groups.hpp>
#include <kith/neighbors.hpp>
#include <kith/subhalos.hpp>

#include "base/fail.hpp"
#include "groups/each_group.hpp"
#include "groups/property_columns.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"
#include "subhalos/checks.hpp"
#include "subhalos/phase_space.hpp"
#include "subhalos/subfind.hpp"

namespace kith {
namespace {

/// The subhalos of one halo by friends of friends in phase space, in the order of rows.
std::vector<HaloPart> phase_parts(const Source& from, std::span<const std::uint32_t> halo,
                                  const SubhaloOptions& options, const Workers& workers,
                                  const Execution& execution) {
  const std::size_t width = 2 * from.d;
  std::vector<double> rows = filled<double>(workers, halo.size() * width);
  const ThreadTeam team(from, halo, workers);
  const PhaseUnits units =
      phase_units(team, options.position_scale, options.velocity_scale).front();
  put_phase_rows(team.blocks(), from.d, units, width, rows.data(), workers);
  const Groups groups =
      fof(view(rows.data(), halo.size(), static_cast<int>(width)),
          {.linking_length = options.linking_length, .min_size = options.min_size}, execution);
  std::vector<HaloPart> parts(groups.count());
  const std::span<const std::int32_t> label = groups.label();
  for_each_in_order(workers, halo.size(), [&](std::size_t i) {
    if (label[i] >= 0) parts[static_cast<std::size_t>(label[i])].members.push_back(halo[i]);
  });
  return parts;
}

void check_phase_fof(const PointsView& points, const SubhaloOptions& options) {
  if (!(options.linking_length > 0) || !std::isfinite(options.linking_length))
    refuse("subhalos: linking_length = {}; give a positive length in units of the scales",
           options.linking_length);
  if (!(options.position_scale >= 0) || !(options.velocity_scale >= 0) ||
      !std::isfinite(options.position_scale) || !std::isfinite(options.velocity_scale))
    refuse("subhalos: scales {} and {}; give positive ones, or 0 for those of each halo",
           options.position_scale, options.velocity_scale);
  if (points.dimension < 1 || 2 * points.dimension > kMaxDimension)
    refuse(
        "subhalos: points of dimension {}; give 1 to {}, so that positions and velocities fit into "
        "32",
        points.dimension, kMaxDimension / 2);
}

void check_neighbors(const SubhaloOptions& options) {
  if (options.density_neighbors < 2 || options.link_neighbors < 1)
    refuse("subhalos: density_neighbors = {}, link_neighbors = {}; give at least 2 and 1",
           options.density_neighbors, options.link_neighbors);
  if (options.density_neighbors > kMaxNeighbors || options.link_neighbors > kMaxNeighbors)
    refuse("subhalos: {} and {} neighbors; there are at most {}", options.density_neighbors,
           options.link_neighbors, kMaxNeighbors);
}

void check_bound(const PointsView& points, const SubhaloOptions& options, const Workers& workers) {
  if (!(options.gravity > 0) || !std::isfinite(options.gravity))
    refuse(
        "subhalos: gravity = {}; {} needs Newton's constant, a positive number, and phase_fof a "
        "linking_length",
        options.gravity, name(chosen_method(options)));
  if (!(options.softening >= 0) || !(options.hubble_flow >= 0) ||
      !std::isfinite(options.softening) || !std::isfinite(options.hubble_flow))
    refuse("subhalos: softening {} and hubble_flow {}; they must be finite and not negative",
           options.softening, options.hubble_flow);
  if (options.min_size < 1) refuse("subhalos: min_size = 0; give at least 1");
  if (chosen_method(options) == SubhaloMethod::subfind) check_neighbors(options);
  if (points.dimension < 1 || points.dimension > 3)
    refuse("subhalos: points of dimension {}; {} handles 1 to 3", points.dimension,
           name(chosen_method(options)));
  check_values("subhalos", "thermal_energy", options.thermal_energy, points.size, workers);
}

}  // namespace

void check_subhalos(const PointsView& points, const SubhaloOptions& options,
                    const Workers& workers) {
  if (are_bound(options))
    check_bound(points, options, workers);
  else
    check_phase_fof(points, options);
  if (!options.velocity.data && points.size > 0)
    refuse("subhalos: no velocities; give options.velocity");
  check_columns(
      "subhalos",
      {.points = points, .velocity = options.velocity, .mass = options.mass, .type = options.type},
      options.box, workers);
}

namespace {

/// The subhalos of each halo.
using Parts = std::vector<std::vector<HaloPart>>;

Parts parts_of_all(const PropertyColumns& columns, const Members& halos,
                   const SubhaloOptions& options, const Execution& execution, Workers& workers) {
  Parts parts(halos.count());
  const Source from(
      {.points = columns.points(), .velocity = columns.velocity(), .mass = columns.mass()},
      columns.box());
  SubhaloOptions phase = options;
  phase.position_scale = std::ldexp(options.position_scale, columns.length());
  phase.velocity_scale = std::ldexp(options.velocity_scale, columns.speed());
  const BindingRules rules(options, columns);
  // Inside, a search neither reports nor measures: only the whole does.
  const Execution shared{.threads = execution.threads, .cancel = execution.cancel};
  const Execution alone{.threads = 1, .cancel = execution.cancel};
  const Stage stage(workers, "subhalos", halos.offset.back());
  constexpr std::size_t kGrain = 4;
  const auto find = [&](std::size_t halo) {
    const auto members = halos.of(halo);
    if (members.size() < options.min_size) return;
    const Execution& inner = members.size() > kLargeGroup ? shared : alone;
    parts[halo] = are_bound(options) ? bound_parts(from, members, rules, workers, inner)
                                     : phase_parts(from, members, phase, workers, inner);
  };
  for_each_group(halos, workers, find, kGrain);
  return parts;
}

/// Subhalos one after the other, all other points behind them in the order of their indices.
void put_members(const Parts& parts, std::size_t points, const Workers& workers, Subhalos& result) {
  Members& members = result.members;
  members.offset.assign(1, 0);
  members.order.reserve(points);
  std::vector<bool> is_member(points, false);
  for (std::size_t halo = 0; halo < parts.size(); ++halo)
    for (const HaloPart& part : parts[halo]) {
      result.parent.push_back(static_cast<std::int64_t>(halo));
      for_each_in_order(workers, part.members.size(), [&](std::size_t at) {
        members.order.push_back(part.members[at]);
        is_member[part.members[at]] = true;
      });
      members.offset.push_back(members.order.size());
    }
  for_each_in_order(workers, points, [&](std::size_t i) {
    if (!is_member[i]) members.order.push_back(static_cast<std::uint32_t>(i));
  });
}

void put_binding(const Parts& parts, const Workers& workers, Subhalos& result) {
  WorkMeter meter(workers);
  result.by_binding.reserve(result.members.offset.back());
  for (const auto& of_halo : parts) {
    const auto first = static_cast<std::int64_t>(result.host.size());
    for (const HaloPart& part : of_halo) {
      meter.add(part.members.size());
      result.host.push_back(part.host < 0 ? -1 : first + part.host);
      result.by_binding.insert(result.by_binding.end(), part.by_binding.begin(),
                               part.by_binding.end());
    }
  }
}

/// The most bound members, and where they are.
void put_most_bound(const PointsView& points, const Box& box, Subhalos& result) {
  const Source from({.points = points}, box);
  for (std::size_t s = 0; s < result.parent.size(); ++s) {
    const std::uint32_t deepest = result.by_binding[result.members.offset[s]];
    result.most_bound.push_back(deepest);
    const std::vector<double> at = from.at(deepest);
    for (std::size_t axis = 0; axis < from.d; ++axis)
      result.peak.push_back(from.in_box(at[axis], axis));
  }
}

}  // namespace

Subhalos subhalos(PointsView points, const Members& halos, const SubhaloOptions& options,
                  const Execution& execution) {
  return public_call("subhalos", execution, [&](Workers& workers) {
    check_subhalos(points, options, workers);
    check_members("subhalos", halos, points.size, workers);
    Subhalos result;
    CatalogueOptions measure{.box = options.box,
                             .mass = options.mass,
                             .velocity = options.velocity,
                             .type = options.type,
                             .types = options.types};
    {
      const PropertyColumns columns(points, options.velocity, options.mass, options.box, workers);
      const Parts parts = parts_of_all(columns, halos, options, execution, workers);
      put_members(parts, points.size, workers, result);
      if (are_bound(options)) put_binding(parts, workers, result);
    }
    if (are_bound(options)) {
      put_most_bound(points, options.box, result);
      measure.gravity = options.gravity;
      measure.peak = result.peak;
    }
    result.catalogue = catalogue(points, result.members, measure, execution);
    return result;
  });
}

std::vector<std::int32_t> subhalo_labels(const Subhalos& subhalos, std::size_t points) {
  return public_call("subhalo_labels", Execution(), [&](Workers& workers) {
    check_members("subhalo_labels", subhalos.members, points, workers);
    std::vector<std::int32_t> label = filled<std::int32_t>(workers, points, -1);
    for (std::size_t s = 0; s < subhalos.parent.size(); ++s)
      for (const std::uint32_t i : subhalos.members.of(s)) label[i] = static_cast<std::int32_t>(s);
    return label;
  });
}

}  // namespace kith
