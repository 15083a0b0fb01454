// Positions, and the groups that they make.
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include <kith/error.hpp>
#include <kith/io/particle_roles.hpp>

#include "groups/groups.hpp"

namespace kith::cli {
namespace {

void report_separation(const MeanSeparation& found, const GroupTask& task, Session& session) {
  session.say(fmt::format("mean separation {} from the mass of the {} particles{}{}",
                          with_unit(found.by_mass, task.units(), {.length = 1}),
                          found.has_several_masses ? "lightest linked" : "linked",
                          found.is_baryon_fraction_known ? "" : ", with Omega_b = 0.157 Omega_m",
                          found.by_number > 0
                              ? fmt::format(": they do not fill the box, whose volume "
                                            "would give {:.6g}",
                                            found.by_number)
                              : ""));
  session.report().add("mean_separation", found.by_mass);
}

/// The median distance to the nearest other linked point.
double median_nearest(const GroupTask& task, const Particles& particles, Found& found,
                      Session& session) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (task.input.snapshot().size(task.roles.linked) == 0) return kNone;
  if (!found.are_searchable || !task.roles.attached.empty()) {
    Numbers linked;
    on_all_ranks([&] { linked = linked_positions(task, particles); });
    take_points(task.input, linked, session);
    found.are_searchable = task.roles.attached.empty();
  }
  const std::vector<double> distance =
      ranks().kth_distance({.k = 1, .exclude_self = true}, session.execution());
  const std::uint64_t count = sum_of_all(distance.size());
  return count == 0 ? kNone : ranks().nth(distance, count / 2);
}

/// No groups are rarely the aim: says how far apart the points are.
void explain_no_groups(const GroupTask& task, const Particles& particles, Found& found,
                       Session& session) {
  const double nearest = median_nearest(task, particles, found, session);
  const double length = found.linking_length;
  if (!std::isfinite(nearest) || !(length > 0)) return;
  const std::string fact = fmt::format(
      "no group has {} members: half of the linked points have their nearest neighbor beyond {}, "
      "which is {:.3g} linking lengths",
      task.request.fof.min_size, with_unit(nearest, task.units(), {.length = 1}), nearest / length);
  if (nearest <= length)
    return session.warn(fact + "; groups are smaller: lower --min-size, or link over more");
  session.warn(fact + (found.b > 0
                           ? "; is this a part of a simulation, a subsample, or a zoom? The mean "
                             "separation is that of the "
                             "whole box then: give --linking-length, or --mean-separation with -b"
                           : "; are linking lengths in the units of the file?"));
}

void report_lengths(const GroupTask& task, const Found& found, Report& report, Session& session) {
  const double length = found.linking_length;
  if (task.has_lengths()) {
    session.say(fmt::format("linking lengths from {}, by their {}: at most {}",
                            printable(task.request.input.file.value_column),
                            name(task.length_rule()),
                            with_unit(length, task.units(), {.length = 1})));
    report.add("largest_linking_length", length);
    report.add("linking_length_column", task.request.input.file.value_column);
    report.add("linking_length_rule", name(task.length_rule()));
    return;
  }
  session.say(fmt::format("linking length {}{}", with_unit(length, task.units(), {.length = 1}),
                          found.b > 0 ? fmt::format(" (b = {:g})", found.b) : ""));
  report.add("linking_length", length);
  if (found.b > 0) report.add("b", found.b);
  if (task.request.los.empty()) return;
  const double parallel = length * task.sight().stretch;
  session.say(fmt::format("along the line of sight ({}) {}", task.line_of_sight(),
                          with_unit(parallel, task.units(), {.length = 1})));
  report.add("linking_length_parallel", parallel);
}

}  // namespace

PointsView Particles::velocity() const {
  return velocities.count() > 0 ? velocities.rows(dimension) : PointsView{};
}

Particles read_positions(const GroupTask& task, Session& session) {
  Particles particles{.dimension = task.input.dimension()};
  on_all_ranks([&] { particles.positions = task.input.positions(session.execution()); });
  return particles;
}

std::vector<TypedPoints> typed_points(const GroupTask& task, const Particles& particles) {
  std::vector<TypedPoints> parts;
  std::size_t begin = 0;
  for (const int type : task.input.types()) {
    PointsView part = particles.points();
    const std::size_t offset = begin * static_cast<std::size_t>(part.dimension);
    part.data = static_cast<const char*>(part.data) +
                offset * (part.scalar == Scalar::float32 ? sizeof(float) : sizeof(double));
    part.size = task.input.own_size_of(type);
    begin += part.size;
    parts.push_back({part, task.roles.is_linked(type) ? Role::linked : Role::attached});
  }
  return parts;
}

Numbers linked_positions(const GroupTask& task, const Particles& particles) {
  const auto dimension = static_cast<std::size_t>(particles.dimension);
  std::size_t count = 0, begin = 0, filled = 0;
  for (const int type : task.roles.linked) count += task.input.own_size_of(type);
  Numbers linked(particles.positions.scalar(), count * dimension);
  for (const int type : task.input.types()) {
    const std::size_t end = begin + task.input.own_size_of(type);
    for (std::size_t k = begin * dimension; task.roles.is_linked(type) && k < end * dimension; ++k)
      linked.set(filled++, particles.positions[k]);
    begin = end;
  }
  return linked;
}

FofOptions linking_options(const GroupTask& task, double b, Session& session) {
  FofOptions options = task.request.fof;
  options.b = b;
  options.box = task.input.box();
  options.non_finite = task.input.non_finite();
  if (!(b > 0) || options.mean_separation > 0 || options.volume > 0) return options;
  const MeanSeparation found = mean_separation(task.input.snapshot(), task.roles.linked,
                                               task.input.box(), session.execution());
  if (!(found.by_number > 0) && !(found.by_mass > 0) &&
      (task.input.snapshot().size(task.roles.linked) > 0 || !task.input.box().is_periodic()))
    throw Error(ErrorCode::invalid_argument,
                "-b needs the mean separation of the points: give --box, --volume or "
                "--mean-separation, or use --linking-length");
  if (!found.is_by_mass) return options;
  options.mean_separation = found.by_mass;
  report_separation(found, task, session);
  return options;
}

Found find_groups(const GroupTask& task, const Particles& particles, Session& session) {
  FofOptions options;
  on_all_ranks([&] { options = linking_options(task, task.request.fof.b, session); });
  const Execution& execution = session.on_device();
  Found found{.b = options.b};
  GroupsOfAll& groups = found;
  if (!task.request.los.empty()) {
    groups = ranks().redshift_fof(particles.points(), options, task.sight(), execution);
  } else if (task.has_lengths()) {
    std::vector<double> lengths;
    on_all_ranks([&] { lengths = task.input.lengths(session.execution()); });
    take_points(task.input, particles.positions, session);
    groups = ranks().fof({lengths, task.length_rule()}, options, execution);
    found.are_searchable = true;
  } else if (task.has_types()) {
    groups = ranks().fof(typed_points(task, particles), options, execution);
  } else {
    take_points(task.input, particles.positions, session);
    groups = ranks().fof(options, execution);
    found.are_searchable = true;
  }
  report_found(task, particles, found, session.report(), session);
  if (!task.has_searches()) {
    ranks().end_searches();
    found.are_searchable = false;
  }
  return found;
}

void report_found(const GroupTask& task, const Particles& particles, Found& found, Report& report,
                  Session& session) {
  const std::uint64_t points = task.input.size();
  report_lengths(task, found, report, session);
  session.say(fmt::format(
      "{} of at least {}, with {} ({:.1f} %)", counted(found.count, "group", "groups"),
      task.request.fof.min_size, counted(found.grouped, "point", "points"),
      points > 0 ? 100.0 * static_cast<double>(found.grouped) / static_cast<double>(points) : 0));
  report.add_count("min_size", task.request.fof.min_size);
  report.add_count("groups", found.count);
  report.add_count("grouped_points", found.grouped);
  if (found.b > 1)
    session.warn(fmt::format(
        "b = {:g} links points over more than the mean separation; halos are found with 0.2",
        found.b));
  if (found.count == 0 && points > 1 && !task.is_stored)
    explain_no_groups(task, particles, found, session);
}

}  // namespace kith::cli
