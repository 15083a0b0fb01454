// Centers of groups.
#include <cmath>

#include <kith/centers.hpp>

#include "base/fail.hpp"
#include "groups/each_group.hpp"
#include "groups/potential.hpp"
#include "groups/property_columns.hpp"
#include "groups/sphere_search.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

/// The deepest of the chosen members, or of all if none is chosen.
std::vector<double> deepest_of(const ThreadTeam& team, double softening, const Workers& workers) {
  Bodies bodies = bodies_of(team.source(), team.blocks(), Chosen::by_type, workers);
  if (bodies.count == 0) bodies = bodies_of(team.source(), team.blocks(), Chosen::all, workers);
  if (!bodies.has_mass()) bodies.weigh_equally();
  return bodies.at(deepest(bodies, softening, workers));
}

}  // namespace

void check_centers(const PointsView& points, const CenterOptions& options, const Workers& workers) {
  check_columns("centers", {.points = points, .mass = options.mass}, options.box, workers);
  if (!options.types.empty() && options.type.size() != points.size)
    refuse("centers: {} types for {} points", options.type.size(), points.size);
  for (const int type : options.types)
    if (type < 0 || type > 255) refuse("centers: type {}; types go from 0 to 255", type);
  if (!(options.softening >= 0) || std::isinf(options.softening))
    refuse("centers: softening = {}; it must be finite and not negative", options.softening);
}

std::vector<double> centers(PointsView points, const Members& members, const CenterOptions& options,
                            const Execution& execution) {
  return public_call("centers", execution, [&](Workers& workers) {
    check_centers(points, options, workers);
    check_members("centers", members, points.size, workers);
    const Stage stage(workers, "centers", members.offset.back());
    const PropertyColumns columns(points, {}, options.mass, options.box, workers);
    Source from({.points = columns.points(), .mass = columns.mass(), .type = options.type},
                columns.box());
    from.choose(options.types);
    const double softening = std::ldexp(options.softening, columns.length());
    std::vector<double> centers = filled<double>(workers, members.count() * from.d);
    constexpr std::size_t kGrain = 4;  // potentials of small groups are expensive, too
    const auto find = [&](std::size_t group) {
      ThreadTeam team(from, members.of(group), workers);
      put_center(from, members.of(group).front(),
                 options.kind == CenterKind::potential ? deepest_of(team, softening, workers)
                                                       : middle_of_sphere(team, options.kind),
                 &centers[group * from.d]);
    };
    for_each_group(members, workers, find, kGrain);
    scale_by(centers, -columns.length());
    return centers;
  });
}

}  // namespace kith
