// Groups and subhalos of kith's own catalogues.
#include <cmath>
#include <filesystem>
#include <numeric>

#include <kith/io/results.hpp>

#include "base/fail.hpp"
#include "merger_files/members_reader.hpp"

namespace kith::io {
namespace {

namespace fs = std::filesystem;

/// Where the catalogue says, or beside the catalogue.
std::string snapshot_of(const ResultFile& file, const std::string& path) {
  const fs::path recorded(file.about().snapshot);
  std::error_code error;
  for (const fs::path& place : {recorded, fs::path(path).parent_path() / recorded.filename()})
    if (!recorded.empty() && fs::is_regular_file(place, error)) return place.string();
  return "";
}

/// IDs of all points, or of those of this process, in the order of labels.
std::vector<std::uint64_t> ids_of_points(const ResultFile& file, const HaloMembersOptions& options,
                                         const Execution& execution, HaloMembers& members) {
  const PartOfRows part(file.about().points, options);
  if (file.has("id")) {
    const std::vector<std::int64_t> id = file.integers("id", part.begin, part.count);
    return {id.begin(), id.end()};
  }
  members.snapshot = snapshot_of(file, members.path);
  if (members.snapshot.empty())
    fail(ErrorCode::io,
         "{}: has no IDs, and the snapshot {} that it was made from is neither there nor beside it",
         members.path, file.about().snapshot);
  const Snapshot snapshot(members.snapshot, {}, execution);
  add_facts(snapshot.info(), members);
  const std::vector<int>& types = file.about().types;
  members.types = types;
  if (!snapshot.has(Field::id, types))
    refuse("{}: its particles have no IDs, which matching needs", members.snapshot);
  if (snapshot.size(types) != file.about().points)
    fail(ErrorCode::io, "{}: is about {} points, and {} has {}; do they belong together?",
         members.path, file.about().points, members.snapshot, snapshot.size(types));
  std::vector<std::uint64_t> id(part.count);
  snapshot.read_id(part.begin, id, types, execution);
  return id;
}

/// The labels of the same points. Only those in one array can be read in parts.
std::vector<std::int32_t> labels_of_points(const ResultFile& file,
                                           const HaloMembersOptions& options) {
  const PartOfRows part(file.about().points, options);
  const auto rows = [&](const auto& all, std::uint64_t begin) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
    return std::vector<std::int32_t>(first, first + static_cast<std::ptrdiff_t>(part.count));
  };
  if (file.has("label") && file.style() != ResultStyle::swift && options.parts > 1)
    return rows(file.integers("label", part.begin, part.count), 0);
  std::vector<std::int32_t> all = file.label();
  if (options.parts == 1) return all;
  return all.size() < part.begin + part.count ? all : rows(all, part.begin);
}

/// Members by group, from the labels of all points.
void take_labels(const ResultFile& file, const HaloMembersOptions& options,
                 const Execution& execution, HaloMembers& members) {
  members.id = ids_of_points(file, options, execution, members);
  members.label = labels_of_points(file, options);
  if (members.label.size() != members.id.size())
    fail(ErrorCode::io, "{}: has {} labels, and there are {} IDs; do they belong together?",
         members.path, members.label.size(), members.id.size());
}

/// Whether the file lists all members, group after group, of subhalos the most bound first. HDF5
/// files list their IDs, .npz files their rows.
bool lists_members(const ResultFile& file, std::uint64_t listed) {
  return file.has("IDs/ID") ? file.rows("IDs/ID") == listed
                            : file.has("order") && file.has("id") && file.rows("order") >= listed;
}

std::vector<std::int64_t> listed_ids(const ResultFile& file, const std::string& path,
                                     const PartOfRows& part) {
  if (file.has("IDs/ID")) return file.integers("IDs/ID", part.begin, part.count);
  std::vector<std::int64_t> rows = file.integers("order", part.begin, part.count);
  const std::vector<std::int64_t> id = file.integers("id");
  for (std::int64_t& row : rows) {
    if (row < 0 || static_cast<std::size_t>(row) >= id.size())
      fail(ErrorCode::io, "{}: lists row {} of {} as a member; the file is damaged", path, row,
           id.size());
    row = id[static_cast<std::size_t>(row)];
  }
  return rows;
}

/// IDs that the catalogue lists. `begin`: the place of the first member of each halo in the list;
/// places ascend.
void take_listed(const ResultFile& file, std::uint64_t listed,
                 const std::vector<std::uint64_t>& begin, const HaloMembersOptions& options,
                 HaloMembers& members) {
  const PartOfRows part(listed, options);
  const std::vector<std::int64_t> id = listed_ids(file, members.path, part);
  for (std::size_t halo = 0; halo < members.halos; ++halo) {
    const std::uint64_t end = begin[halo] + static_cast<std::uint64_t>(members.size[halo]);
    const std::uint64_t first = std::max(begin[halo], part.begin);
    const std::uint64_t last = std::min(end, part.begin + part.count);
    if (first >= last) continue;
    const auto from = id.begin() + static_cast<std::ptrdiff_t>(first - part.begin);
    members.id.insert(members.id.end(), from, from + static_cast<std::ptrdiff_t>(last - first));
    members.label.insert(members.label.end(), last - first, static_cast<std::int32_t>(halo));
  }
}

/// The place of the first member of each group; at the end, the number of all members.
std::vector<std::uint64_t> first_places(const std::vector<std::int64_t>& size,
                                        const std::string& path) {
  for (const std::int64_t each : size)
    if (each < 0) fail(ErrorCode::io, "{}: has a group of {} members", path, each);
  std::vector<std::uint64_t> begin(size.size() + 1, 0);
  std::partial_sum(size.begin(), size.end(), begin.begin() + 1);
  return begin;
}

/// The place of the first member of each subhalo. The subhalos of a group follow each other from
/// its first place on; members in none come behind them.
std::vector<std::uint64_t> first_places(const std::vector<std::uint64_t>& of_groups,
                                        const HaloMembers& members) {
  const std::vector<std::int64_t>& group = members.columns.group;
  std::vector<std::uint64_t> begin;
  for (std::size_t halo = 0; halo < members.halos; ++halo) {
    const auto g = static_cast<std::size_t>(group[halo]);
    if (group[halo] < 0 || g + 1 >= of_groups.size() || (halo > 0 && group[halo] < group[halo - 1]))
      fail(ErrorCode::io, "{}: subhalo {} is in group {} of {}; the file is damaged", members.path,
           halo, group[halo], of_groups.size() - 1);
    const bool is_first = halo == 0 || group[halo] != group[halo - 1];
    const std::uint64_t at =
        is_first ? of_groups[g] : begin.back() + static_cast<std::uint64_t>(members.size[halo - 1]);
    const std::int64_t size = members.size[halo];
    if (size < 0 || at > of_groups[g + 1] ||
        static_cast<std::uint64_t>(size) > of_groups[g + 1] - at)
      fail(ErrorCode::io,
           "{}: the subhalos of group {} have more members than the group; the file "
           "is damaged",
           members.path, g);
    begin.push_back(at);
  }
  return begin;
}

void take_columns(const Catalogue& catalogue, HaloColumns& columns) {
  columns.mass = catalogue.mass;
  // Along one axis, as Subfind has it.
  columns.velocity_dispersion = catalogue.velocity_dispersion;
  for (double& value : columns.velocity_dispersion) value /= std::sqrt(catalogue.dimension);
  columns.vmax = catalogue.max_circular_velocity;
  columns.vmax_radius = catalogue.max_circular_radius;
  columns.half_mass_radius = catalogue.half_mass_radius;
  if (catalogue.dimension != 3) return;
  columns.position = catalogue.center;
  columns.velocity = catalogue.velocity;
  columns.spin = catalogue.spin;
}

void read_groups(const ResultFile& file, const HaloMembersOptions& options,
                 const Execution& execution, HaloMembers& members) {
  const Catalogue groups = file.catalogue();
  members.halos = groups.count();
  members.size = groups.size;
  take_columns(groups, members.columns);
  members.columns.group.resize(members.halos);
  std::iota(members.columns.group.begin(), members.columns.group.end(), 0);
  const std::vector<std::uint64_t> begin = first_places(groups.size, members.path);
  if (lists_members(file, begin.back()))
    take_listed(file, begin.back(), begin, options, members);
  else
    take_labels(file, options, execution, members);
}

void read_subhalos(const ResultFile& file, const HaloMembersOptions& options,
                   HaloMembers& members) {
  const Catalogue subhalos = file.subhalo_catalogue();
  members.halos = subhalos.count();
  members.size = subhalos.size;
  take_columns(subhalos, members.columns);
  members.columns.group = file.integers("subhalo_parent", 0, members.halos);
  if (subhalos.dimension == 3 && file.has("subhalo_peak"))
    members.columns.position = file.numbers("subhalo_peak", 0, members.halos);
  if (file.has("subhalo_most_bound_id")) {
    const std::vector<std::int64_t> id = file.integers("subhalo_most_bound_id", 0, members.halos);
    members.columns.most_bound_id.assign(id.begin(), id.end());
  }
  const std::vector<std::uint64_t> of_groups = first_places(file.catalogue().size, members.path);
  if (!lists_members(file, of_groups.back()))
    refuse("{}: does not list the IDs of the members of its subhalos, which matching needs",
           members.path);
  const std::vector<std::uint64_t> begin = first_places(of_groups, members);
  take_listed(file, of_groups.back(), begin, options, members);
  members.is_in_order_of_binding = has_bound_subhalos(file.about());
}

}  // namespace

HaloMembers result_members(const std::string& path, const HaloMembersOptions& options,
                           const Execution& execution) {
  const ResultFile file(path);
  const ResultAbout& about = file.about();
  if (about.kind != ResultKind::fof && about.kind != ResultKind::subhalos)
    refuse("{}: contains {}; give a catalogue of groups", path, name(about.kind));
  HaloMembers members{.path = path};
  members.time = about.time;
  members.redshift = about.background.redshift;
  members.box = about.box;
  members.units = about.units;
  members.background = about.background;
  if (about.kind == ResultKind::subhalos)
    read_subhalos(file, options, members);
  else
    read_groups(file, options, execution, members);
  return members;
}

}  // namespace kith::io
