// The properties of groups.
#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "groups/catalogue_rows.hpp"
#include "groups/columns.hpp"
#include "groups/device_sums.hpp"
#include "groups/each_group.hpp"
#include "groups/property_columns.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

/// One more than the largest type.
int found_types(const CatalogueOptions& options, const Workers& workers) {
  int found = 0;
  for_each_in_order(workers, options.type.size(),
                    [&](std::size_t i) { found = std::max(found, 1 + options.type[i]); });
  return found;
}

/// Checks everything; returns the number of types.
int check(const PointsView& points, std::size_t groups, const CatalogueOptions& options,
          const Workers& workers) {
  check_catalogue(points, groups, options, workers);
  return checked_types(options, found_types(options, workers));
}

/// `own`: options in the scale of the columns.
Source source_of(const PropertyColumns& columns, const CatalogueOptions& own, int types) {
  return {{columns.points(), own.velocity, own.mass, own.type, types}, own.box};
}

}  // namespace

int checked_types(const CatalogueOptions& options, int found) {
  if (options.types != 0 && found > options.types)
    refuse("catalogue: a point has type {}; with types = {} they go from 0 to {}", found - 1,
           options.types, options.types - 1);
  const int types = found == 0 || options.types == 0 ? found : options.types;
  for (const int type : options.contaminating_types)
    if (type < 0 || type >= types)
      refuse("catalogue: contaminating type {}; there are {} types", type, types);
  return types;
}

void check_catalogue(const PointsView& points, std::size_t groups, const CatalogueOptions& options,
                     const Workers& workers) {
  check_columns("catalogue", {points, options.velocity, options.mass, options.type}, options.box,
                workers);
  if (!(options.gravity >= 0) || std::isinf(options.gravity))
    refuse("catalogue: gravity = {}; it must be finite and not negative", options.gravity);
  if (!options.peak.empty() &&
      options.peak.size() != groups * static_cast<std::size_t>(points.dimension))
    refuse("catalogue: {} coordinates of peaks for {} groups of dimension {}", options.peak.size(),
           groups, points.dimension);
  for (const double x : options.peak)
    if (!std::isfinite(x)) refuse("catalogue: a peak has the coordinate {}", x);
}

Catalogue catalogue(PointsView points, const Members& members, const CatalogueOptions& options,
                    const Execution& execution) {
  return device_call("catalogue", execution, [&](Workers& workers) {
    const int types = check(points, members.count(), options, workers);
    check_members("catalogue", members, points.size, workers);
    const PropertyColumns columns(points, options.velocity, options.mass, options.box, workers);
    const CatalogueOptions own = columns.scaled(options);
    const Source from = source_of(columns, own, types);
    const Stage stage(workers, "catalogue", members.offset.back());
    CatalogueMaker rows(from, members.count(), own, workers);
    DeviceSums* device = sums_of_device("catalogue", execution);
    if (device)
      add_rows_on(*device, from, {members.order.data(), nullptr, members.offset}, rows, workers);
    if (!device || has_member_columns(own))
      for_each_group(members, workers, [&](std::size_t group) {
        ThreadTeam team(from, members.of(group), workers);
        device ? add_member_columns(team, group, rows) : add_row(team, group, rows);
      });
    Catalogue out = rows.take();
    columns.restore(options, out);
    return out;
  });
}

Catalogue catalogue(PointsView points, const Groups& groups, const CatalogueOptions& options,
                    const Execution& execution) {
  return device_call("catalogue", execution, [&] {
    DeviceSums* device =
        has_member_columns(options) ? nullptr : sums_of_device("catalogue", execution);
    if (!device) return catalogue(points, members(groups, on_cpu(execution)), options, execution);
    return device_call("catalogue", execution, [&](Workers& workers) {
      const int types = check(points, groups.count(), options, workers);
      check_grouped("catalogue", groups.label().size(), points.size);
      const std::vector<std::size_t> offset = member_offsets(groups, workers);
      const Stage stage(workers, "catalogue", offset.back());
      const PropertyColumns columns(points, options.velocity, options.mass, options.box, workers);
      const CatalogueOptions own = columns.scaled(options);
      const Source from = source_of(columns, own, types);
      CatalogueMaker rows(from, groups.count(), own, workers);
      add_rows_on(*device, from, {nullptr, groups.label().data(), offset}, rows, workers);
      Catalogue out = rows.take();
      columns.restore(options, out);
      return out;
    });
  });
}

}  // namespace kith
