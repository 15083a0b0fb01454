// What is made of the members of each group, over ranks: they travel to the ranks of their groups,
// where the code of one process works on them, in the same order.
#include <kith/mpi_halos.hpp>

#include "mpi/group_columns.hpp"

namespace kith::mpi {
namespace {

/// A call on the groups of these domains: body(call, domains, box).
template <class Options, class Body>
auto group_call(const char* name, const Domains::Impl& domains, const Options& options,
                const Execution& execution, Body body, Devices devices = Devices::refused) {
  return public_call(name, [&] {
    Call call(name, *domains.communicator, execution, devices);
    call.require_same(options.mass.same);
    call.quick([&] {
      if (options.box != Box() && options.box != domains.options.tree.box)
        refuse("{}: the box of the options is not that of the domains; leave it out", name);
    });
    return body(call);
  });
}

/// For calls of one process inside a phase.
Execution inside(Call& call, const Workers& workers) {
  return {.threads = workers.threads(), .cancel = call.inner().cancel};
}

const Domains::Impl& domains_of(const char* name, const Groups& groups) {
  if (!groups.impl().domains)
    refuse("{}: these groups are not of points of several types; pass their domains", name);
  return *groups.impl().domains;
}

Catalogue catalogue_of(const Domains::Impl& domains, const PointsView& points,
                       const Groups::Impl& groups, const CatalogueOptions& options,
                       const Execution& execution) {
  const auto body = [&](Call& call) {
    call.require_same(options.gravity);
    call.require_same(std::uint64_t{options.contaminating_types.size()});
    const GroupColumns columns(
        call, domains, groups,
        {points, options.velocity, options.mass, options.type, options.types});
    Catalogue catalogue;
    call.phase([&](Workers& workers) {
      CatalogueOptions own = options;
      own.box = domains.options.tree.box;
      own.velocity = columns.velocity();
      own.mass = columns.mass();
      own.type = columns.type();
      own.types = columns.types();
      // No rows, no types: what is left out here is an error only where there are some.
      if (columns.count() == 0) own.contaminating_types.clear();
      Execution execution_inside = inside(call, workers);
      execution_inside.device = call.on_device().device;
      catalogue = kith::catalogue(columns.points(), columns.members(), own, execution_inside);
      catalogue.first = columns.first();
      if (columns.types() > 0) catalogue.types = columns.types();
    });
    return catalogue;
  };
  return group_call("catalogue", domains, options, execution, body, Devices::used);
}

std::vector<double> centers_of(const Domains::Impl& domains, const PointsView& points,
                               const Groups::Impl& groups, const CenterOptions& options,
                               const Execution& execution) {
  return group_call("centers", domains, options, execution, [&](Call& call) {
    call.require_same(options.softening);
    call.require_same(static_cast<std::uint64_t>(options.kind));
    const GroupColumns columns(call, domains, groups,
                               {.points = points, .mass = options.mass, .type = options.type});
    std::vector<double> centers;
    call.phase([&](Workers& workers) {
      CenterOptions own = options;
      own.box = domains.options.tree.box;
      own.mass = columns.mass();
      own.type = columns.type();
      if (columns.count() == 0) own.types.clear();
      centers = kith::centers(columns.points(), columns.members(), own, inside(call, workers));
    });
    return centers;
  });
}

/// Indices of members become global, parents labels of all ranks.
Subhalos globally(const kith::Subhalos& found, const GroupColumns& columns, std::uint64_t first) {
  Subhalos result;
  result.catalogue = found.catalogue;
  for (const std::int64_t parent : found.parent)
    result.parent.push_back(static_cast<std::int64_t>(first) + parent);
  result.offset = found.members.offset;
  for (std::size_t i = 0; i < result.offset.back(); ++i)
    result.index.push_back(columns.index()[found.members.order[i]]);
  for (std::int64_t& lowest : result.catalogue.first)
    lowest = columns.index()[static_cast<std::size_t>(lowest)];
  return result;
}

Subhalos subhalos_of(const Domains::Impl& domains, const PointsView& points,
                     const Groups::Impl& groups, const SubhaloOptions& options,
                     const Execution& execution) {
  return group_call("subhalos", domains, options, execution, [&](Call& call) {
    for (const double value :
         {options.linking_length, options.position_scale, options.velocity_scale})
      call.require_same(value);
    call.require_same(std::uint64_t{options.min_size});
    const GroupColumns columns(
        call, domains, groups,
        {.points = points, .velocity = options.velocity, .mass = options.mass});
    Subhalos subhalos;
    call.phase([&](Workers& workers) {
      SubhaloOptions own = options;
      own.box = domains.options.tree.box;
      own.velocity = columns.velocity();
      own.mass = columns.mass();
      subhalos =
          globally(kith::subhalos(columns.points(), columns.members(), own, inside(call, workers)),
                   columns, groups.first);
    });
    return subhalos;
  });
}

}  // namespace

Catalogue catalogue(const Domains& domains, PointsView points, const Groups& groups,
                    const CatalogueOptions& options, const Execution& execution) {
  return catalogue_of(*domains.impl(), points, groups.impl(), options, execution);
}
Catalogue catalogue(PointsView points, const Groups& groups, const CatalogueOptions& options,
                    const Execution& execution) {
  return catalogue_of(domains_of("catalogue", groups), points, groups.impl(), options, execution);
}

std::vector<double> centers(const Domains& domains, PointsView points, const Groups& groups,
                            const CenterOptions& options, const Execution& execution) {
  return centers_of(*domains.impl(), points, groups.impl(), options, execution);
}
std::vector<double> centers(PointsView points, const Groups& groups, const CenterOptions& options,
                            const Execution& execution) {
  return centers_of(domains_of("centers", groups), points, groups.impl(), options, execution);
}

Subhalos subhalos(const Domains& domains, PointsView points, const Groups& groups,
                  const SubhaloOptions& options, const Execution& execution) {
  return subhalos_of(*domains.impl(), points, groups.impl(), options, execution);
}
Subhalos subhalos(PointsView points, const Groups& groups, const SubhaloOptions& options,
                  const Execution& execution) {
  return subhalos_of(domains_of("subhalos", groups), points, groups.impl(), options, execution);
}

}  // namespace kith::mpi
