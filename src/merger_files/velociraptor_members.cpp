// Structures of VELOCIraptor in HDF5: NAME.properties and NAME.catalog_groups have a row for each,
// NAME.catalog_particles the IDs of their bound particles, in order of binding. Every process of
// VELOCIraptor has written its own files, NAME.properties.0 and so on.
#include <cmath>
#include <filesystem>
#include <unordered_map>

#include "base/fail.hpp"
#include "files/known_units.hpp"
#include "merger_files/halo_columns.hpp"
#include "merger_files/members_reader.hpp"

namespace kith::io {
namespace {

/// NAME.part or NAME.part.3.
struct FileNames {
  std::string stem;
  bool is_numbered = false;

  std::string of(const char* part, std::uint64_t number) const {
    std::string name = stem + "." + part;
    if (is_numbered) name.append(".").append(std::to_string(number));
    return name;
  }
};

/// Empty for other names.
FileNames names_of(const std::string& path) {
  for (const char* part : {".properties", ".catalog_groups"}) {
    const std::size_t at = path.rfind(part);
    if (at == std::string::npos) continue;
    const std::string_view rest = std::string_view(path).substr(at + std::string_view(part).size());
    const bool is_number = rest.size() > 1 && rest[0] == '.' &&
                           rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (rest.empty() || is_number) return {path.substr(0, at), is_number};
  }
  return {};
}

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

/// Properties of the structures of one file.
void add_properties(const std::string& path, std::uint64_t rows, HaloMembers& members,
                    std::vector<std::int64_t>& host) {
  const hdf5::InputFile file(path);
  HaloColumns& columns = members.columns;
  const auto numbers = [&](const char* name) { return read_numbers(file, name, rows); };
  const auto vectors = [&](const char* x, const char* y, const char* z) {
    const auto a = numbers(x), b = numbers(y), c = numbers(z);
    std::vector<double> all;
    for (std::size_t k = 0; k < a.size() && b.size() == a.size() && c.size() == a.size(); ++k)
      all.insert(all.end(), {a[k], b[k], c[k]});
    return all;
  };
  append(columns.mass, numbers(file.contains("Mass_tot") ? "Mass_tot" : "Mvir"));
  append(columns.position, vectors("Xc", "Yc", "Zc"));
  append(columns.velocity, vectors("VXc", "VYc", "VZc"));
  append(columns.vmax, numbers("Vmax"));
  append(columns.vmax_radius, numbers("Rmax"));
  append(columns.velocity_dispersion, numbers("sigV"));
  append(columns.most_bound_id, read_whole(file, "ID_mbp", rows));
  append(columns.halo_id, read_whole(file, "ID", rows));
  append(host, read_signed(file, "hostHaloID", rows));
}

void set_facts(const std::string& path, HaloMembers& members) {
  const hdf5::InputFile file(path);
  const auto number = [&](const char* name, double otherwise) {
    return file.number(name).value_or(otherwise);
  };
  members.time = number("Time", 0);
  members.redshift = members.time > 0 ? 1 / members.time - 1 : 0;
  const bool is_comoving = number("Comoving_or_Physical", 0) != 0;  // then also per h
  members.units = {.length = number("Length_unit_to_kpc", 0) * kMegaparsec / 1000,
                   .mass = number("Mass_unit_to_solarmass", 0) * kMasses[0].cgs,
                   .velocity = number("Velocity_to_kms", 0) * kKmPerS,
                   .is_per_h = is_comoving,
                   .is_comoving = is_comoving};
  if (const double side = number("Period", 0); side > 0) members.box = Box::periodic(side);
}

/// The group of a structure is its host, or the structure itself.
void set_groups(const std::vector<std::int64_t>& host, HaloMembers& members) {
  const auto& id = members.columns.halo_id;
  if (host.size() != members.halos || id.size() != members.halos) return;
  std::unordered_map<std::uint64_t, std::int64_t> row;
  for (std::size_t k = 0; k < id.size(); ++k) row.emplace(id[k], static_cast<std::int64_t>(k));
  for (std::size_t k = 0; k < id.size(); ++k) {
    const auto found = row.find(static_cast<std::uint64_t>(host[k]));
    members.columns.group.push_back(found == row.end() ? static_cast<std::int64_t>(k)
                                                       : found->second);
  }
}

/// Bound particles of one file.
class Particles {
 public:
  Particles(const FileNames& names, std::uint64_t number, const HaloMembersOptions& options)
      : types_(names.of("catalog_parttypes", number)),
        options_(options),
        file_(names.of("catalog_particles", number)),
        rows_(row_count(file_, "Particle_IDs")) {}

  /// `offset`: where the particles of each structure begin; the first one has the number `first`.
  void give(const std::vector<std::int64_t>& offset, std::size_t first, int type,
            HaloMembers& members) const {
    const PartOfRows part(rows_, options_);
    const auto id = read_whole_rows(file_, "Particle_IDs", part.begin, part.count);
    const auto types = type < 0 ? std::vector<std::uint64_t>()
                                : read_whole_rows(hdf5::InputFile(types_), "Particle_types",
                                                  part.begin, part.count);
    for (std::size_t k = 0; k < offset.size(); ++k) {
      const auto begin = static_cast<std::uint64_t>(offset[k]);
      const std::uint64_t end =
          k + 1 < offset.size() ? static_cast<std::uint64_t>(offset[k + 1]) : rows_;
      if (begin > end || end > rows_)
        fail(ErrorCode::io, "{}: structure {} has the particles from {} to {} of {}", file_.where(),
             first + k, begin, end, rows_);
      for (std::uint64_t i = std::max(begin, part.begin);
           i < std::min(end, part.begin + part.count); ++i) {
        if (type >= 0 && types[i - part.begin] != static_cast<std::uint64_t>(type)) continue;
        members.id.push_back(id[i - part.begin]);
        members.label.push_back(static_cast<std::int32_t>(first + k));
      }
    }
  }

  /// The type to match: dark matter, unless types are not known.
  int type() const {
    if (options_.type >= 0 && !is_file(types_))
      refuse("{}: the types of its particles are unknown; leave out the type", file_.where());
    return options_.type >= 0 ? options_.type : is_file(types_) ? 1 : -1;
  }

 private:
  std::string types_;
  const HaloMembersOptions& options_;
  hdf5::InputFile file_;
  std::uint64_t rows_;
};

}  // namespace

bool is_velociraptor_catalogue(const std::string& path) {
  const FileNames names = names_of(path);
  if (names.stem.empty()) return false;
  const std::string groups = names.of("catalog_groups", 0);
  return is_file(groups) && hdf5::is_hdf5(groups) && hdf5::InputFile(groups).contains("Group_Size");
}

HaloMembers velociraptor_members(const std::string& path, const HaloMembersOptions& options,
                                 const Execution&) {
  const FileNames names = names_of(path);
  HaloMembers members{.path = path, .is_in_order_of_binding = true};
  set_facts(names.of("properties", 0), members);
  std::vector<std::int64_t> host;
  for (std::uint64_t f = 0; is_file(names.of("catalog_groups", f)); ++f) {
    const hdf5::InputFile groups(names.of("catalog_groups", f));
    const std::uint64_t rows = row_count(groups, "Group_Size");
    const std::size_t first = members.size.size();
    append(members.size, read_signed(groups, "Group_Size", rows));
    add_properties(names.of("properties", f), rows, members, host);
    const Particles particles(names, f, options);
    particles.give(read_signed(groups, "Offset", rows), first, particles.type(), members);
    if (!names.is_numbered) break;
  }
  members.halos = members.size.size();
  set_groups(host, members);
  return members;
}

}  // namespace kith::io
