// Halos of Rockstar with its tables of particles, halos_12.0.particles: a table of the halos of one
// chunk in comments, then their particles. A particle is listed by its halo and by all hosts; here
// it belongs to the halo that it is assigned to.
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "base/fail.hpp"
#include "merger_files/history_columns.hpp"
#include "merger_files/text_members.hpp"

namespace kith::io {
namespace {

constexpr const char* kTables = ".particles";
constexpr const char* kHalos = ".ascii";

/// The halos of all chunks.
struct Halos {
  std::vector<std::int64_t> id, size;
  HaloColumns columns;

  void add(const NamedColumns& line) {
    if (line.whole("id") < 0) return;  // not printed in the catalogue
    id.push_back(line.whole("id"));
    size.push_back(line.whole("num_p"));
    for (const char* axis : {"x", "y", "z"}) columns.position.push_back(line.number(axis));
    for (const char* axis : {"vx", "vy", "vz"}) columns.velocity.push_back(line.number(axis));
    columns.velocity_dispersion.push_back(line.number("vrms"));
    columns.vmax.push_back(line.number("vmax"));
    columns.vmax_radius.push_back(line.number("rvmax") / 1000);  // kpc/h
  }
};

/// The comments at the beginning of a chunk.
class ChunkHead {
 public:
  ChunkHead(const InputBytes& file, RockstarHeader& header, Halos& halos) : where_(file.path()) {
    Lines lines(file);
    std::optional<NamedColumns> table;
    bool is_in_table = false;
    for (std::string_view line; lines.next(line);) {
      if (!line.starts_with('#')) fail_kind();
      if (line.starts_with("#Particle table begins here")) {
        begin = lines.offset();
        return;
      }
      if (is_in_table) {
        take_halo(*table, line.substr(1), halos);
      } else if (line.starts_with("#id internal_id")) {
        table.emplace(line.substr(1), where_);
        mass_ = mass_column(line);
      } else if (line.starts_with("#x y z")) {
        names = line.substr(1);
      } else if (line.starts_with("#Halo table begins here")) {
        if (!table || names.empty()) fail_kind();
        is_in_table = true;
      } else {
        header.parse(line);
      }
    }
    fail_kind();
  }

  std::string names;        ///< of the columns of particles
  std::uint64_t begin = 0;  ///< of their lines

 private:
  /// The mass is in the column behind the number of particles: m200b, mvir, ...
  static std::string mass_column(std::string_view line) {
    std::vector<std::string_view> words;
    split(line.substr(1), Separator::space, words);
    return words.size() > 3 ? std::string(words[3]) : "";
  }

  void take_halo(NamedColumns& table, std::string_view line, Halos& halos) const {
    table.take(line);
    const std::size_t before = halos.id.size();
    halos.add(table);
    if (halos.id.size() > before) halos.columns.mass.push_back(table.number(mass_));
  }

  [[noreturn]] void fail_kind() const {
    fail(ErrorCode::io, "{}: is not a complete table of particles of Rockstar", where_);
  }

  std::string where_, mass_;
};

/// Halos in the order of their IDs.
std::vector<std::int64_t> order_of(const Halos& halos, const std::string& where) {
  std::vector<std::int64_t> order(halos.id.size());
  std::iota(order.begin(), order.end(), 0);
  const auto id = [&](std::int64_t row) { return halos.id[static_cast<std::size_t>(row)]; };
  std::sort(order.begin(), order.end(),
            [&](std::int64_t a, std::int64_t b) { return id(a) < id(b); });
  const auto twice = std::adjacent_find(
      order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return id(a) == id(b); });
  if (twice != order.end()) fail(ErrorCode::io, "{}: halo {} is there twice", where, id(*twice));
  return order;
}

void read_particles(const InputBytes& file, const ChunkHead& head,
                    const std::unordered_map<std::int64_t, std::int32_t>& label_of,
                    const HaloMembersOptions& options, HaloMembers& members) {
  NamedColumns columns(head.names, file.path());
  for (const char* name :
       {"particle_id", "assigned_internal_haloid", "internal_haloid", "external_haloid"})
    columns.one_of({name});
  const bool has_types = columns.has("type");
  PartOfLines lines(file, head.begin, options);
  for (std::string_view line; lines.next(line);) {
    columns.take(line);
    if (columns.whole("assigned_internal_haloid") != columns.whole("internal_haloid")) continue;
    const auto found = label_of.find(columns.whole("external_haloid"));
    if (found == label_of.end()) continue;
    // Types of Rockstar-Galaxies: 0 is dark matter, and 1 gas.
    const int type = options.type < 0 || options.type == 1 ? 0
                     : options.type == 0                   ? 1
                                                           : options.type;
    if (has_types && columns.whole("type") != type) continue;
    members.id.push_back(static_cast<std::uint64_t>(columns.whole("particle_id")));
    members.label.push_back(found->second);
  }
}

/// The tables of particles beside a catalogue, or the file itself.
std::string tables_of(const std::string& path) {
  if (!path.ends_with(kHalos)) return path;
  return path.substr(0, path.size() - std::string_view(kHalos).size()) + kTables;
}

}  // namespace

bool is_rockstar_catalogue(const std::string& path) {
  std::error_code error;
  if (path.ends_with(kHalos)) return std::filesystem::is_regular_file(tables_of(path), error);
  if (!path.ends_with(kTables) || !std::filesystem::is_regular_file(path, error)) return false;
  return InputBytes(path).text(0, 64).starts_with("#Halo table:");
}

HaloMembers rockstar_members(const std::string& path, const HaloMembersOptions& options,
                             const Execution&) {
  const std::vector<std::string> files = numbered_files(tables_of(path), kTables);
  RockstarHeader header{.is_found = true};
  Halos halos;
  std::vector<ChunkHead> heads;
  heads.reserve(files.size());
  for (const std::string& name : files) heads.emplace_back(InputBytes(name), header, halos);
  const std::vector<std::int64_t> order = order_of(halos, path);
  HaloMembers members{.path = path, .halos = order.size()};
  SnapshotInfo info{.dimension = 3};
  header.apply(info);
  add_facts(info, members);
  members.time = header.scale_factor;
  members.redshift = 1 / header.scale_factor - 1;
  std::unordered_map<std::int64_t, std::int32_t> label_of;
  for (const std::int64_t row : order) {
    const std::int64_t id = halos.id[static_cast<std::size_t>(row)];
    label_of.emplace(id, static_cast<std::int32_t>(label_of.size()));
    members.size.push_back(halos.size[static_cast<std::size_t>(row)]);
  }
  halos.columns.halo_id.assign(halos.id.begin(), halos.id.end());
  members.columns = rows_of(halos.columns, order);
  for (std::size_t f = 0; f < files.size(); ++f)
    read_particles(InputBytes(files[f]), heads[f], label_of, options, members);
  return members;
}

}  // namespace kith::io
