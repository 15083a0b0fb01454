// Subhalos over ranks: those of halos that are on one rank by the code of one process, the others
// by friends of friends over ranks or, if they must be bound, by that code on the rank that owns
// the halo.
#include <algorithm>
#include <numeric>

#include "groups/columns.hpp"
#include "mpi/groups/catalogue.hpp"
#include "mpi/groups/group_call.hpp"
#include "mpi/groups/split_subhalos.hpp"
#include "subhalos/checks.hpp"

namespace kith::mpi {
namespace {

/// Indices of members become global, parents labels of all ranks. Hosts remain rows of this rank.
Subhalos with_global_indices(const kith::Subhalos& found, std::span<const std::int64_t> index,
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
  for (const std::uint32_t i : found.by_binding) result.by_binding.push_back(index[i]);
  for (const std::int64_t i : found.most_bound)
    result.most_bound.push_back(index[static_cast<std::size_t>(i)]);
  result.host = found.host;
  result.peak = found.peak;
  return result;
}

/// A halo on several ranks, all of whose members are on the rank that owns it.
class GatheredHalo {
 public:
  /// Collective.
  GatheredHalo(Call& call, const GroupColumns& columns, const SplitGroups& split)
      : d_(static_cast<std::size_t>(columns.all().points.dimension)) {
    PieceRows rows;
    call.prepare([&] {
      for (const GroupPiece& piece : split.pieces()) rows.push_back(rows_of(columns, piece));
    });
    const SplitGroups::Gathered all = split.to_owner(rows);
    call.note_traffic("split groups");
    call.prepare([&] {
      if (split.is_owner()) take(all.values);
    });
  }

  /// On the owner.
  Subhalos subhalos(const SubhaloOptions& options, std::uint64_t label,
                    const Execution& execution) const {
    const std::size_t n = index_.size();
    kith::Members halo{std::vector<std::uint32_t>(n), {0, n}};
    std::iota(halo.order.begin(), halo.order.end(), 0u);
    const auto d = static_cast<int>(d_);
    SubhaloOptions own = options;
    own.velocity = view(velocity_.data(), n, d);
    own.mass = values(mass_);
    if (!options.type.empty()) own.type = type_;
    return with_global_indices(kith::subhalos(view(position_.data(), n, d), halo, own, execution),
                               index_, label);
  }

 private:
  /// Position, velocity, mass, type and index.
  std::size_t width() const { return 2 * d_ + 3; }

  std::vector<double> rows_of(const GroupColumns& columns, const GroupPiece& piece) const {
    const GivenColumns here = columns.slice(piece.begin, piece.end);
    const RowReader x(here.points), v(here.velocity);
    const ValueReader mass(here.mass);
    std::vector<double> rows;
    rows.reserve(piece.size() * width());
    for (std::size_t i = 0; i < piece.size(); ++i) {
      for (int axis = 0; axis < here.points.dimension; ++axis) rows.push_back(x(i, axis));
      for (int axis = 0; axis < here.points.dimension; ++axis) rows.push_back(v(i, axis));
      rows.push_back(mass(i));
      rows.push_back(here.type.empty() ? 0 : here.type[i]);
      rows.push_back(static_cast<double>(columns.index()[piece.begin + i]));
    }
    return rows;
  }
  void take(const std::vector<double>& rows) {
    const std::size_t count = rows.size() / width();
    for (auto* columns : {&position_, &velocity_}) columns->reserve(count * d_);
    mass_.reserve(count);
    type_.reserve(count);
    index_.reserve(count);
    for (auto row = rows.begin(); row != rows.end(); row += static_cast<std::ptrdiff_t>(width())) {
      const auto middle = row + static_cast<std::ptrdiff_t>(d_),
                 rest = middle + static_cast<std::ptrdiff_t>(d_);
      position_.insert(position_.end(), row, middle);
      velocity_.insert(velocity_.end(), middle, rest);
      mass_.push_back(rest[0]);
      type_.push_back(static_cast<std::uint8_t>(rest[1]));
      index_.push_back(static_cast<std::int64_t>(rest[2]));
    }
  }

  std::size_t d_;
  std::vector<double> position_, velocity_, mass_;
  std::vector<std::uint8_t> type_;
  std::vector<std::int64_t> index_;
};

template <class Value>
void append_values(const std::vector<Value>& from, std::vector<Value>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Subhalos of one more halo of this rank.
void add_halo(const Subhalos& from, Subhalos& to) {
  const std::size_t members = to.index.size();
  const auto rows = static_cast<std::int64_t>(to.parent.size());
  append_values(from.parent, to.parent);
  for (std::size_t i = 1; i < from.offset.size(); ++i)
    to.offset.push_back(members + from.offset[i]);
  append_values(from.index, to.index);
  append(from.catalogue, to.catalogue);
  for (const std::int64_t host : from.host) to.host.push_back(host < 0 ? -1 : rows + host);
  append_values(from.most_bound, to.most_bound);
  append_values(from.peak, to.peak);
  append_values(from.by_binding, to.by_binding);
}

/// Subhalos of the halos that are here as a whole, and of the one that was gathered here.
/// Collective.
Subhalos with_gathered(Call& call, const GroupColumns& columns, const SplitGroups& split,
                       const SubhaloOptions& options, Subhalos whole) {
  if (split.any()) {
    const GatheredHalo halo(call, columns, split);
    call.phase([&](Workers& workers) {
      if (split.is_owner())
        add_halo(halo.subhalos(options, split.own().label, inside(call, workers)), whole);
    });
  }
  std::vector<std::int64_t> counts;
  call.quick([&] { counts.resize(static_cast<std::size_t>(call.ranks())); });
  const auto mine = static_cast<std::int64_t>(whole.parent.size());
  call.communicator().gather_all(&mine, sizeof mine, counts.data());
  const std::int64_t before =
      std::accumulate(counts.begin(), counts.begin() + call.rank(), std::int64_t{0});
  for (std::int64_t& host : whole.host)
    if (host >= 0) host += before;
  return whole;
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
/// the one that continues on the next rank.
Subhalos subhalos_in_order(const SplitSubhalos& split, const Catalogue& rows,
                           const Subhalos& whole) {
  Subhalos all;
  all.catalogue.dimension = rows.dimension;
  all.catalogue.types = whole.catalogue.types;
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
    same.add("method", name(options.method));
    same.add("gravity", options.gravity);
    same.add("softening", options.softening);
    same.add("hubble_flow", options.hubble_flow);
    same.add("thermal_energy", options.thermal_energy.same);
    same.add("density_neighbors", std::uint64_t{options.density_neighbors});
    same.add("link_neighbors", std::uint64_t{options.link_neighbors});
    same.add("types", static_cast<std::uint64_t>(options.types));
    check_subhalos(points, options, workers);
    if (are_bound(options) && options.thermal_energy.data)
      refuse("subhalos: thermal energies are not available over ranks; leave them out");
  };
  return group_call("subhalos", domains, options, execution, check, [&](Call& call) {
    const GroupColumns columns(
        call, domains, groups,
        {points, options.velocity, options.mass, options.type, options.types});
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
      own.type = here.type;
      own.types = columns.types();
      whole = with_global_indices(
          kith::subhalos(here.points, columns.members(split), own, inside(call, workers)),
          std::span(columns.index()).subspan(split.whole_begin()), groups.first);
    });
    call.quick([&] {
      whole.catalogue.types = checked_types({.types = options.types}, columns.found_types());
    });
    if (are_bound(own)) return with_gathered(call, columns, split, own, std::move(whole));
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
  return subhalos_of(impl_of(domains), points, impl_of(groups), options, execution);
}
Subhalos subhalos(PointsView points, const Groups& groups, const SubhaloOptions& options,
                  const Execution& execution) {
  return subhalos_of(domains_of("subhalos", groups), points, impl_of(groups), options, execution);
}

}  // namespace kith::mpi
