// The properties of the groups: the catalogue, centers and spheres.
#include <algorithm>

#include <kith/detail/catalogue_columns.hpp>
#include <kith/io/particle_roles.hpp>

#include "groups/groups.hpp"

namespace kith::cli {
namespace {

double gravity_of(const Input& input) {
  return input.has(Field::mass) ? snapshot_gravity(input.info()) : 0;
}

}  // namespace

GroupRows first_rows(const GroupRows& own, std::size_t count, const Execution& execution) {
  GroupRows first;
  first.catalogue.dimension = own.catalogue.dimension;
  first.catalogue.types = own.catalogue.types;
  FirstRows rows(count);
  const std::size_t groups = own.catalogue.count();
  for_each_column(own.catalogue, [&](const CatalogueColumn& column, const auto& values) {
    std::visit(
        [&]<class Values>(Values field) {
          if constexpr (requires { first.catalogue.*field = values; })
            rows.add(values, groups, first.catalogue.*field);
        },
        column.values);
  });
  rows.add(own.peak, groups, first.peak);
  rows.add(own.overdensities.mass, groups, first.overdensities.mass);
  rows.add(own.overdensities.radius, groups, first.overdensities.radius);
  rows.add(own.overdensities.size, groups, first.overdensities.size);
  rows.take(execution);
  return first;
}

double softening(const GroupTask& task, const Found& found) {
  return task.center() == "potential" ? kSoftening * found.linking_length : 0;
}

void read_fields(const GroupTask& task, Particles& particles, Session& session) {
  const Input& input = task.input;
  on_all_ranks([&] {
    particles.masses = input.masses(session.execution());
    if (input.has(Field::velocity)) particles.velocities = input.velocities(session.execution());
    for (const int type : input.types())
      if (task.has_types())
        particles.type.insert(particles.type.end(), input.own_size_of(type),
                              static_cast<std::uint8_t>(type));
  });
  particles.mass = input.mass_values(particles.masses);
}

CatalogueOptions catalogue_options(const GroupTask& task) {
  const Input& input = task.input;
  return {.box = input.box(),
          .types = task.type_numbers(),
          .contaminating_types = task.roles.contaminating,
          .gravity = gravity_of(input)};
}

Measured measure_groups(const GroupTask& task, const Particles& particles, Found& found,
                        Session& session) {
  Measured measured;
  GroupRows& own = measured.own;
  if (task.center() != "mass") own.peak = find_peaks(task, particles, found, session);
  CatalogueOptions options = catalogue_options(task);
  options.mass = particles.mass;
  options.velocity = particles.velocity();
  options.type = particles.type;
  options.peak = own.peak;
  own.catalogue = ranks().catalogue(particles.points(), options, session.on_device());
  if (task.request.wants_overdensities)
    find_overdensities(task, particles, found, measured, session);
  measured.first =
      first_rows(own, std::min<std::size_t>(task.request.rows, found.count), session.execution());
  if (task.request.all_lengths.empty()) {
    ranks().end_searches();
    found.are_searchable = false;
  }
  return measured;
}

ResultAbout facts_of(const GroupTask& task, const Found& found, ResultKind kind,
                     const SubhaloOptions* subhalos) {
  ResultAbout about = task.input.about(kind);
  about.link_types = task.roles.linked;
  about.attach_types = task.roles.attached;
  about.linking_length = found.linking_length;
  about.b = found.b;
  about.min_size = task.request.fof.min_size;
  about.strict = task.request.fof.strict;
  if (task.has_lengths()) {
    about.linking_length_column = task.request.input.file.value_column;
    about.linking_length_rule = name(task.length_rule());
  }
  about.line_of_sight = task.line_of_sight();
  if (!task.request.los.empty()) about.stretch = task.sight().stretch;
  about.contaminating_types = task.roles.contaminating;
  about.sorted_snapshot = task.request.sorted_snapshot;
  about.center = task.center();
  about.softening = softening(task, found);
  about.gravity = gravity_of(task.input);
  if (!subhalos) return about;
  const bool is_bound = are_bound(*subhalos);
  about.subhalo_method = name(chosen_method(*subhalos));
  about.subhalo_min_size = subhalos->min_size;
  if (is_bound) {
    about.subhalo_softening = subhalos->softening;
    about.hubble_flow = subhalos->hubble_flow;
    if (chosen_method(*subhalos) == SubhaloMethod::phase) return about;
    about.density_neighbors = subhalos->density_neighbors;
    about.link_neighbors = subhalos->link_neighbors;
    return about;
  }
  about.subhalo_linking_length = subhalos->linking_length;
  about.position_scale = subhalos->position_scale;
  about.velocity_scale = subhalos->velocity_scale;
  return about;
}

}  // namespace kith::cli
