// Centers of groups over ranks.
#include <cmath>
#include <optional>

#include "groups/sphere_search.hpp"
#include "mpi/groups/group_call.hpp"
#include "mpi/groups/split_deepest.hpp"

namespace kith::mpi {
namespace {

/// Of the group that this rank owns among those on several ranks. Collective.
std::vector<double> split_center(Call& call, const GroupColumns& columns, const SplitGroups& split,
                                 const CenterOptions& options) {
  const PropertyColumns scaled = columns.scaled(options.box);
  std::optional<Source> from;
  call.quick([&] {
    from.emplace(
        GivenColumns{.points = scaled.points(), .mass = scaled.mass(), .type = columns.all().type},
        scaled.box());
    from->choose(options.types);
    if (!options.types.empty() && from->type.size() != columns.count())
      refuse("{}: {} types for {} points", call.name(), from->type.size(), columns.count());
  });
  RankTeam team(call, columns, split, *from);
  team.begin();
  const std::vector<double> middle =
      options.kind == CenterKind::potential
          ? split_deepest(call, team, std::ldexp(options.softening, scaled.length()))
          : middle_of_sphere(team, options.kind);
  std::vector<double> center;
  call.quick([&] {
    if (!split.is_owner()) return;
    center.resize(from->d);
    put_center(*from, team.first_row(), middle, center.data());
    scale_by(center, -scaled.length());
  });
  return center;
}

std::vector<double> centers_of(const Domains::Impl& domains, const PointsView& points,
                               const Groups::Impl& groups, const CenterOptions& options,
                               const Execution& execution) {
  const auto check = [&](SameOptions& same, const Workers& workers) {
    same.add("softening", options.softening);
    same.add_unshown("kind", static_cast<std::uint64_t>(options.kind));
    same.add("number of types", std::uint64_t{options.types.size()});
    for (const int type : options.types) same.add("type", static_cast<std::uint64_t>(type));
    check_centers(points, options, workers);
  };
  return group_call("centers", domains, options, execution, check, [&](Call& call) {
    const GroupColumns columns(call, domains, groups,
                               {.points = points, .mass = options.mass, .type = options.type});
    const SplitGroups split(call, groups.cuts, columns.offset(), columns.count());
    CenterOptions own;
    std::vector<double> centers;
    call.phase([&](Workers& workers) {
      own = options;
      own.box = domains.options.tree.box;
      CenterOptions whole = own;
      const GivenColumns here = columns.whole(split);
      whole.mass = here.mass;
      whole.type = here.type;
      if (here.points.size == 0) whole.types.clear();
      centers = kith::centers(here.points, columns.members(split), whole, inside(call, workers));
    });
    if (!split.any()) return centers;
    const std::vector<double> last = split_center(call, columns, split, own);
    call.quick([&] { centers.insert(centers.end(), last.begin(), last.end()); });
    return centers;
  });
}

}  // namespace

std::vector<double> centers(const Domains& domains, PointsView points, const Groups& groups,
                            const CenterOptions& options, const Execution& execution) {
  return centers_of(impl_of(domains), points, impl_of(groups), options, execution);
}
std::vector<double> centers(PointsView points, const Groups& groups, const CenterOptions& options,
                            const Execution& execution) {
  return centers_of(domains_of("centers", groups), points, impl_of(groups), options, execution);
}

}  // namespace kith::mpi
