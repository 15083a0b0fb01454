// Where groups are, and the spheres about those places.
#include <algorithm>
#include <cmath>
#include <limits>

#include <kith/centers.hpp>
#include <kith/density.hpp>
#include <kith/io/particle_roles.hpp>

#include "groups/groups.hpp"

namespace kith::cli {
namespace {

constexpr std::size_t kPeakNeighbors = 16;  // the densest member has the nearest 16th neighbor

double inside(double x, const Box& box, int axis) {
  const double side = box.side(axis), origin = box.origin(axis);
  return side > 0 ? x - side * std::floor((x - origin) / side) : x;
}

/// Distances of the linked points of this rank, with infinity for the others.
std::vector<double> with_attached(const GroupTask& task, const std::vector<double>& linked) {
  std::vector<double> distance;
  std::size_t next = 0;
  for (const int type : task.input.types())
    for (std::size_t k = 0; k < task.input.own_size_of(type); ++k)
      distance.push_back(task.roles.is_linked(type) ? linked[next++]
                                                    : std::numeric_limits<double>::infinity());
  return distance;
}

void make_searchable(const GroupTask& task, const Particles& particles, Found& found,
                     Session& session) {
  if (!found.are_searchable) take_points(task.input, particles.positions, session);
  found.are_searchable = true;
}

/// Distances of the 16th neighbor among the linked points; infinite for the attached ones. Gas and
/// stars lie in separate clumps, and one gas particle can be its own center.
std::vector<double> linked_distances(const GroupTask& task, const Particles& particles,
                                     Found& found, Session& session) {
  const bool has_attached = !task.roles.attached.empty();
  if (has_attached) {
    Numbers linked;
    on_all_ranks([&] { linked = linked_positions(task, particles); });
    take_points(task.input, linked, session);
    found.are_searchable = false;
  } else {
    make_searchable(task, particles, found, session);
  }
  const std::size_t most = std::max<std::size_t>(1, ranks().points());
  std::vector<double> distance =
      ranks().kth_distance({.k = std::min(kPeakNeighbors, most)}, session.on_device());
  on_all_ranks([&] {
    if (has_attached) distance = with_attached(task, distance);
  });
  return distance;
}

/// Places of the densest members.
std::vector<double> densest(const GroupTask& task, const Particles& particles, Found& found,
                            Session& session) {
  const auto dimension = static_cast<std::size_t>(particles.dimension);
  const auto place = [&](std::size_t point, int axis) {
    return inside(particles.positions[point * dimension + static_cast<std::size_t>(axis)],
                  task.input.box(), axis);
  };
  return ranks().peaks(linked_distances(task, particles, found, session), place,
                       particles.dimension, session.execution());
}

}  // namespace

std::vector<double> find_peaks(const GroupTask& task, const Particles& particles, Found& found,
                               Session& session) {
  if (task.center() == "density") return densest(task, particles, found, session);
  CenterOptions options = center_options(task, found);
  options.mass = particles.mass;
  options.type = particles.type;
  return ranks().centers(particles.points(), options, session.execution());
}

CenterOptions center_options(const GroupTask& task, const Found& found) {
  const std::string center = task.center();
  return {.box = task.input.box(),
          .types = task.roles.attached.empty() ? std::vector<int>() : task.roles.linked,
          .kind = center == "shrinking"   ? CenterKind::shrinking
                  : center == "potential" ? CenterKind::potential
                                          : CenterKind::mass,
          .softening = softening(task, found)};
}

OverdensityOptions sphere_options(const GroupTask& task, Measured& measured) {
  const SnapshotInfo& info = task.input.info();
  const Cosmology cosmology = *snapshot_cosmology(info);  // GroupTask has checked that there is one
  measured.edges = {Edge::critical200, Edge::critical500, Edge::mean200, Edge::virial};
  // Edges are densities per comoving volume.
  const double physical = info.units.is_comoving ? 1 : std::pow(1 + info.background.redshift, 3);
  const Catalogue& groups = measured.own.catalogue;
  OverdensityOptions options{.within = values(groups.radius), .mass_guess = values(groups.mass)};
  for (const Edge edge : measured.edges)
    options.density.push_back(edge_density(edge, cosmology) * physical);
  return options;
}

void find_overdensities(const GroupTask& task, const Particles& particles, Found& found,
                        Measured& measured, Session& session) {
  OverdensityOptions options = sphere_options(task, measured);
  options.mass = particles.mass;
  make_searchable(task, particles, found, session);
  measured.own.overdensities =
      ranks().overdensities(measured.own.places(), options, session.execution());
}

}  // namespace kith::cli
