// Subhalos of Gadget-4 and IllustrisTNG. Particles of a type are stored by group, subhalo and order
// of binding, so offsets and lengths in the catalogue are runs of the snapshot.
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#include "base/fail.hpp"
#include "merger_files/halo_columns.hpp"
#include "merger_files/members_reader.hpp"
#include "snapshots/reader.hpp"

namespace kith::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCatalogue = "fof_subhalo_tab_";
constexpr const char* kSnapshots[] = {"snapshot_", "snap_"};  // of Gadget-4, of IllustrisTNG

/// "A_012.hdf5" as "B_012.hdf5", also "groups_012/A_012.0.hdf5" as "snapdir_012/B_012.0.hdf5";
/// empty if neither exists.
std::string beside(const std::string& path, const std::string& from, const std::string& to,
                   const std::string& from_folder, const std::string& to_folder) {
  const fs::path given(path);
  const std::string name = given.filename().string();
  if (name.rfind(from, 0) != 0) return "";
  const std::string other = to + name.substr(from.size());
  std::error_code error;
  if (fs::is_regular_file(given.parent_path() / other, error))
    return (given.parent_path() / other).string();
  const std::string folder = given.parent_path().filename().string();
  if (folder.rfind(from_folder, 0) != 0) return "";
  const fs::path there =
      given.parent_path().parent_path() / (to_folder + folder.substr(from_folder.size())) / other;
  return fs::is_regular_file(there, error) ? there.string() : "";
}

/// The members of one type in one file of a catalogue, or of several.
struct Runs {
  std::vector<std::vector<std::int64_t>> offset, length;  ///< of each type, of each subhalo
  // IllustrisTNG has no offsets; they follow from these.
  std::vector<std::vector<std::int64_t>> group_length;  ///< of each type, of each group
};

void add_columns(const hdf5::InputFile& file, std::uint64_t rows, HaloColumns& columns) {
  const auto number = [&](const char* name, std::vector<double>& to, std::uint64_t width = 1) {
    append(to, read_numbers(file, std::string("Subhalo/") + name, rows, width));
  };
  number("SubhaloMass", columns.mass);
  number("SubhaloPos", columns.position, 3);
  number("SubhaloVel", columns.velocity, 3);
  number("SubhaloSpin", columns.spin, 3);
  number("SubhaloVelDisp", columns.velocity_dispersion);
  number("SubhaloVmax", columns.vmax);
  number("SubhaloVmaxRad", columns.vmax_radius);
  number("SubhaloHalfmassRad", columns.half_mass_radius);
  append(columns.most_bound_id, read_whole(file, "Subhalo/SubhaloIDMostbound", rows));
  const bool is_tng = file.contains("Subhalo/SubhaloGrNr");
  append(columns.group,
         read_signed(file, is_tng ? "Subhalo/SubhaloGrNr" : "Subhalo/SubhaloGroupNr", rows));
}

void add_runs(const hdf5::InputFile& file, std::uint64_t rows, Runs& runs) {
  const std::uint64_t types = file.dataset("Subhalo/SubhaloLenType").row_size();
  if (types == 0 || types > 64)
    fail(ErrorCode::io, "{}: SubhaloLenType has {} types", file.where(), types);
  const auto offset = read_signed(file, "Subhalo/SubhaloOffsetType", rows, types);
  const auto length = read_signed(file, "Subhalo/SubhaloLenType", rows, types);
  runs.offset.resize(types);
  runs.length.resize(types);
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint64_t type = 0; type < types; ++type) {
      if (!offset.empty()) runs.offset[type].push_back(offset[row * types + type]);
      runs.length[type].push_back(length[row * types + type]);
    }
}

/// Adds the members of each group of one file.
void add_group_lengths(const hdf5::InputFile& file, Runs& runs) {
  if (!file.contains("Group/GroupLenType")) return;
  const hdf5::Dataset dataset = file.dataset("Group/GroupLenType");
  const std::uint64_t types = dataset.row_size(), groups = dataset.rows();
  const auto length = read_signed(file, "Group/GroupLenType", groups, types);
  runs.group_length.resize(std::max<std::size_t>(runs.group_length.size(), types));
  for (std::uint64_t group = 0; group < groups; ++group)
    for (std::uint64_t type = 0; type < types; ++type)
      runs.group_length[type].push_back(length[group * types + type]);
}

/// The subhalos of a group follow each other from its first particle on.
void add_offsets(const std::vector<std::int64_t>& group, Runs& runs, const std::string& path) {
  for (std::size_t type = 0; type < runs.length.size(); ++type) {
    if (runs.offset[type].size() == runs.length[type].size()) continue;
    if (runs.group_length.size() <= type || group.size() != runs.length[type].size())
      fail(ErrorCode::io,
           "{}: has neither SubhaloOffsetType nor the lengths of groups, so the members of its "
           "subhalos are unknown",
           path);
    const std::vector<std::int64_t>& lengths = runs.group_length[type];
    std::vector<std::int64_t> begin(lengths.size() + 1, 0);
    std::partial_sum(lengths.begin(), lengths.end(), begin.begin() + 1);
    runs.offset[type].clear();
    std::int64_t last = -1, next = 0;
    for (std::size_t halo = 0; halo < group.size(); ++halo) {
      if (group[halo] < 0 || static_cast<std::size_t>(group[halo]) >= lengths.size())
        fail(ErrorCode::io, "{}: subhalo {} is in group {} of {}", path, halo, group[halo],
             lengths.size());
      if (std::exchange(last, group[halo]) != group[halo])
        next = begin[static_cast<std::size_t>(group[halo])];
      runs.offset[type].push_back(next);
      next += runs.length[type][halo];
    }
  }
}

/// Masses of groups, for the first subhalo of each.
void add_group_masses(const hdf5::InputFile& file, std::uint64_t halos, HaloColumns& columns) {
  if (!file.contains("Group/Group_M_Crit200")) return;
  const std::uint64_t groups = row_count(file, "Group/Group_M_Crit200");
  const auto mass = read_numbers(file, "Group/Group_M_Crit200", groups);
  const auto first = read_signed(file, "Group/GroupFirstSub", groups);
  columns.critical200_mass.resize(halos, 0);
  for (std::size_t g = 0; g < first.size(); ++g)
    if (first[g] >= 0 && static_cast<std::uint64_t>(first[g]) < halos)
      columns.critical200_mass[static_cast<std::size_t>(first[g])] = mass[g];
}

/// Dark matter if it has members, else the type with the most.
std::size_t type_of(const Runs& runs, const HaloMembersOptions& options, const std::string& path) {
  if (options.type >= 0) {
    if (static_cast<std::size_t>(options.type) >= runs.length.size())
      refuse("{}: has {} types of particles and no type {}", path, runs.length.size(),
             options.type);
    return static_cast<std::size_t>(options.type);
  }
  std::vector<std::int64_t> members;
  for (const auto& length : runs.length)
    members.push_back(std::accumulate(length.begin(), length.end(), std::int64_t{0}));
  if (members.size() > 1 && members[1] > 0) return 1;
  return static_cast<std::size_t>(std::max_element(members.begin(), members.end()) -
                                  members.begin());
}

/// Takes the runs of all subhalos out of the IDs of the particles of a type, of which `id` has
/// those from `begin` on.
void take_runs(const std::vector<std::int64_t>& offset, const std::vector<std::int64_t>& length,
               std::int64_t particles, std::int64_t begin, const std::vector<std::uint64_t>& id,
               HaloMembers& members) {
  const std::int64_t end = begin + static_cast<std::int64_t>(id.size());
  for (std::size_t halo = 0; halo < length.size(); ++halo) {
    if (length[halo] < 0 || offset[halo] < 0 || offset[halo] > particles ||
        length[halo] > particles - offset[halo])
      fail(ErrorCode::io,
           "{}: subhalo {} has {} particles from {} on, and {} has {}; do they belong together?",
           members.path, halo, length[halo], offset[halo], members.snapshot, particles);
    const std::int64_t first = std::max(offset[halo], begin);
    const std::int64_t last = std::min(offset[halo] + length[halo], end);
    if (first >= last) continue;
    members.id.insert(members.id.end(), id.begin() + (first - begin), id.begin() + (last - begin));
    members.label.insert(members.label.end(), static_cast<std::size_t>(last - first),
                         static_cast<std::int32_t>(halo));
    if (members.id.size() > 2 * id.size() + length.size())
      fail(ErrorCode::io, "{}: subhalos overlap; they claim more particles than there are",
           members.path);
  }
}

void read_ids(const Runs& runs, const HaloMembersOptions& options, const Execution& execution,
              HaloMembers& members) {
  const Snapshot snapshot(members.snapshot, {}, execution);
  add_facts(snapshot.info(), members);
  if (members.halos == 0) return;
  const int type = static_cast<int>(type_of(runs, options, members.path));
  if (!snapshot.has(Field::id, {&type, 1}))
    refuse("{}: its particles of type {} have no IDs, which matching needs", members.snapshot,
           type);
  members.types = {type};
  const std::uint64_t particles = snapshot.size({&type, 1});
  const PartOfRows part(particles, options);
  std::vector<std::uint64_t> id(part.count);
  snapshot.read_id(part.begin, id, {&type, 1}, execution);
  take_runs(runs.offset[static_cast<std::size_t>(type)],
            runs.length[static_cast<std::size_t>(type)], static_cast<std::int64_t>(particles),
            static_cast<std::int64_t>(part.begin), id, members);
}

}  // namespace

bool is_gadget_catalogue(const std::string& path) {
  if (!hdf5::is_hdf5(path)) return false;
  const hdf5::InputFile file(path);
  return file.contains("Group") && file.contains("Subhalo") && file.contains("Header") &&
         (file.group("Header").has("Nsubhalos_Total") ||
          file.group("Header").has("Nsubgroups_Total"));
}

std::string gadget_catalogue_of(const std::string& snapshot) {
  for (const char* name : kSnapshots)
    if (std::string found = beside(snapshot, name, kCatalogue, "snapdir_", "groups_");
        !found.empty())
      return found;
  return "";
}

std::string gadget_snapshot_of(const std::string& catalogue) {
  for (const char* name : kSnapshots)
    if (std::string found = beside(catalogue, kCatalogue, name, "groups_", "snapdir_");
        !found.empty())
      return found;
  return "";
}

std::vector<std::string> gadget_catalogue_files(const std::string& path) {
  const hdf5::InputFile file(path);
  const auto files = file.group("Header").counts("NumFiles");
  const std::uint64_t count = files && !files->empty() ? files->front() : 1;
  if (count <= 1) return {path};
  if (count > kMostFiles) fail(ErrorCode::io, "{}: claims to be one of {} files", path, count);
  const NumberedName name = numbered_name(path, count);
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(name.with(i));
  return all;
}

HaloMembers gadget_members(const std::string& path, const HaloMembersOptions& options,
                           const Execution& execution) {
  HaloMembers members{.path = path, .is_in_order_of_binding = true};
  members.snapshot = gadget_snapshot_of(path);
  if (members.snapshot.empty())
    fail(ErrorCode::io,
         "{}: its snapshot, which has the IDs of the members, is not beside it; put "
         "snapshot_NNN.hdf5 into the same folder as fof_subhalo_tab_NNN.hdf5",
         path);
  Runs runs;
  const std::vector<std::string> files = gadget_catalogue_files(path);
  for (const std::string& name : files) {
    const hdf5::InputFile file(name);
    add_group_lengths(file, runs);
    const std::uint64_t rows =
        file.contains("Subhalo/SubhaloLen") ? row_count(file, "Subhalo/SubhaloLen") : 0;
    if (rows == 0) continue;
    append(members.size, read_signed(file, "Subhalo/SubhaloLen", rows));
    add_columns(file, rows, members.columns);
    add_runs(file, rows, runs);
  }
  members.halos = members.size.size();
  add_offsets(members.columns.group, runs, path);
  if (files.size() == 1) add_group_masses(hdf5::InputFile(path), members.halos, members.columns);
  read_ids(runs, options, execution, members);
  return members;
}

}  // namespace kith::io
