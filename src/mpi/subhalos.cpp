// Subhalos over ranks: those of halos that are on one rank by the code of one process, the others
// by friends of friends over ranks.
#include "mpi/catalogue_columns.hpp"
#include "mpi/group_call.hpp"
#include "mpi/split_catalogue.hpp"
#include "mpi/split_subhalos.hpp"

namespace kith::mpi {
namespace {

/// Indices of members become global, parents labels of all ranks.
Subhalos globally(const kith::Subhalos& found, std::span<const std::int64_t> index,
                  std::uint64_t first) {
  Subhalos result;
  result.catalogue = found.catalogue;
  for (std::int64_t& lowest : result.catalogue.lowest)
    lowest = index[static_cast<std::size_t>(lowest)];
  for (const std::int64_t parent : found.parent)
    result.parent.push_back(static_cast<std::int64_t>(first) + parent);
  result.offset = found.members.offset;
  for (std::size_t i = 0; i < result.offset.back(); ++i)
    result.index.push_back(index[found.members.order[i]]);
  return result;
}

/// Some of the subhalos of split halos, behind those that are there already.
void add_subhalos(const SplitSubhalos& from, const Catalogue& rows, std::size_t begin,
                  std::size_t end, Subhalos& to) {
  const std::vector<std::size_t>& offset = from.columns->offset();
  const std::size_t first = offset[begin], shift = to.index.size() - first;
  to.parent.insert(to.parent.end(), from.parent.begin() + static_cast<std::ptrdiff_t>(begin),
                   from.parent.begin() + static_cast<std::ptrdiff_t>(end));
  for (std::size_t i = begin; i < end; ++i) to.offset.push_back(offset[i + 1] + shift);
  const auto& index = from.columns->index();
  to.index.insert(to.index.end(), index.begin() + static_cast<std::ptrdiff_t>(first),
                  index.begin() + static_cast<std::ptrdiff_t>(offset[end]));
  append_rows(rows, begin, end, to.catalogue);
}

/// Subhalos of the halo that began on a rank before, of the halos that are here as a whole, and of
/// the one that goes on on the next rank.
Subhalos subhalos_in_order(const SplitSubhalos& split, const Catalogue& rows,
                           const Subhalos& whole) {
  Subhalos all;
  all.catalogue.dimension = rows.dimension;
  const std::size_t lead = split.columns->offset().front();
  all.offset = {lead};
  all.index.assign(split.columns->index().begin(),
                   split.columns->index().begin() + static_cast<std::ptrdiff_t>(lead));
  add_subhalos(split, rows, 0, split.behind, all);
  const std::size_t shift = all.index.size();
  all.parent.insert(all.parent.end(), whole.parent.begin(), whole.parent.end());
  for (std::size_t i = 1; i < whole.offset.size(); ++i)
    all.offset.push_back(whole.offset[i] + shift);
  all.index.insert(all.index.end(), whole.index.begin(), whole.index.end());
  append_rows(whole.catalogue, 0, whole.parent.size(), all.catalogue);
  add_subhalos(split, rows, split.behind, split.parent.size(), all);
  return all;
}

Subhalos subhalos_of(const Domains::Impl& domains, const PointsView& points,
                     const Groups::Impl& groups, const SubhaloOptions& options,
                     const Execution& execution) {
  const auto check = [&](SameOptions& same, const Workers& workers) {
    same.add("linking_length", options.linking_length);
    same.add("position_scale", options.position_scale);
    same.add("velocity_scale", options.velocity_scale);
    same.add("min_size", std::uint64_t{options.min_size});
    check_subhalos(points, options, workers);
  };
  return group_call("subhalos", domains, options, execution, check, [&](Call& call) {
    const GroupColumns columns(
        call, domains, groups,
        {.points = points, .velocity = options.velocity, .mass = options.mass});
    const SplitGroups split(call, groups.cuts, columns.offset(), columns.count());
    Subhalos whole;
    SubhaloOptions own;
    CatalogueOptions box;
    call.phase([&](Workers& workers) {
      const GivenColumns here = columns.whole(split);
      own = options;
      own.box = box.box = domains.options.tree.box;
      own.velocity = here.velocity;
      own.mass = here.mass;
      whole =
          globally(kith::subhalos(here.points, columns.members(split), own, inside(call, workers)),
                   std::span(columns.index()).subspan(split.whole_begin()), groups.first);
    });
    if (!split.any()) return whole;
    const SplitSubhalos more = split_subhalos(call, columns, split, own, execution);
    const Catalogue rows = catalogue_rows(call, *more.columns, more.cuts, box);
    Subhalos all;
    call.quick([&] { all = subhalos_in_order(more, rows, whole); });
    return all;
  });
}

}  // namespace

Subhalos subhalos(const Domains& domains, PointsView points, const Groups& groups,
                  const SubhaloOptions& options, const Execution& execution) {
  return subhalos_of(*domains.impl(), points, groups.impl(), options, execution);
}
Subhalos subhalos(PointsView points, const Groups& groups, const SubhaloOptions& options,
                  const Execution& execution) {
  return subhalos_of(domains_of("subhalos", groups), points, groups.impl(), options, execution);
}

}  // namespace kith::mpi
