// The catalogue over ranks: groups that lie on one rank are a call of one process, the others are
// measured by a RankTeam.
#include "mpi/groups/catalogue.hpp"

#include <optional>

#include "groups/catalogue_rows.hpp"
#include "mpi/groups/group_call.hpp"
#include "mpi/groups/rank_team.hpp"

namespace kith::mpi {
namespace {

/// The options of one process for these columns; a peak for each of some rows.
CatalogueOptions options_for(const GivenColumns& columns, const CatalogueOptions& options,
                             std::span<const double> peak) {
  CatalogueOptions own = options;
  own.velocity = columns.velocity;
  own.mass = columns.mass;
  own.type = columns.type;
  own.types = columns.types;
  own.peak.assign(peak.begin(), peak.end());
  // No rows, no types: missing options are errors only on ranks with rows.
  if (columns.points.size == 0) own.contaminating_types.clear();
  return own;
}

/// The row of the group that this rank owns among those on several ranks, or none. `options`: with
/// the columns of the members here; a peak is that of the group. Collective.
Catalogue split_rows(Call& call, const GroupColumns& columns, const SplitGroups& split,
                     const CatalogueOptions& options) {
  const PropertyColumns scaled = columns.scaled(options.box);
  CatalogueOptions own;
  std::optional<Source> from;
  std::optional<CatalogueMaker> rows;
  call.phase([&](Workers& workers) {
    own = scaled.scaled(options);
    from.emplace(GivenColumns{scaled.points(), own.velocity, own.mass, own.type, columns.types()},
                 own.box);
    rows.emplace(*from, split.is_owner() ? 1 : 0, own, workers);
  });
  RankTeam team(call, columns, split, *from);
  team.begin();
  add_row(team, 0, *rows);
  Catalogue row;
  call.quick([&] {
    row = rows->take();
    scaled.restore(options, row);
  });
  call.note_traffic("split groups");
  return row;
}

Catalogue catalogue_of(const Domains::Impl& domains, const PointsView& points,
                       const Groups::Impl& groups, const CatalogueOptions& options,
                       const Execution& execution) {
  const auto check = [&](SameOptions& same, const Workers& workers) {
    same.add("gravity", options.gravity);
    same.add("types", static_cast<std::uint64_t>(options.types));
    same.add("contaminating types", std::uint64_t{options.contaminating_types.size()});
    for (const int type : options.contaminating_types)
      same.add("contaminating type", static_cast<std::uint64_t>(type));
    check_catalogue(points, groups.size.size(), options, workers);
  };
  const auto body = [&](Call& call) {
    const GroupColumns columns(
        call, domains, groups,
        {points, options.velocity, options.mass, options.type, options.types});
    call.quick([&] { checked_types(options, columns.found_types()); });
    CatalogueOptions own;
    call.quick([&] {
      own = options;
      own.box = domains.options.tree.box;
    });
    return catalogue_rows(call, columns, groups.cuts, own);
  };
  return group_call("catalogue", domains, options, execution, check, body, Devices::used);
}

}  // namespace

Catalogue catalogue_rows(Call& call, const GroupColumns& columns, const GroupCuts& cuts,
                         const CatalogueOptions& options) {
  const SplitGroups split(call, cuts, columns.offset(), columns.count());
  const std::span<const double> peak = options.peak;
  const auto d = static_cast<std::size_t>(columns.all().points.dimension);
  const std::size_t whole = peak.empty() ? 0 : split.whole_groups() * d;
  Catalogue catalogue;
  call.phase([&](Workers& workers) {
    const GivenColumns here = columns.whole(split);
    Execution with = inside(call, workers);
    with.device = call.on_device().device;
    catalogue = kith::catalogue(here.points, columns.members(split),
                                options_for(here, options, peak.first(whole)), with);
    catalogue.lowest = columns.lowest(split);
  });
  if (split.any()) {
    const Catalogue more =
        split_rows(call, columns, split, options_for(columns.all(), options, peak.subspan(whole)));
    call.quick([&] { append(more, catalogue); });
  }
  if (columns.agreed_types() > 0) catalogue.types = columns.agreed_types();
  return catalogue;
}

Catalogue catalogue(const Domains& domains, PointsView points, const Groups& groups,
                    const CatalogueOptions& options, const Execution& execution) {
  return catalogue_of(impl_of(domains), points, impl_of(groups), options, execution);
}
Catalogue catalogue(PointsView points, const Groups& groups, const CatalogueOptions& options,
                    const Execution& execution) {
  return catalogue_of(domains_of("catalogue", groups), points, impl_of(groups), options, execution);
}

}  // namespace kith::mpi
