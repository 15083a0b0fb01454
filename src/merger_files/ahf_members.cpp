// Halos of AHF: NAME.AHF_halos has a line for each, NAME.AHF_particles the lists of their
// particles. A list of a halo has those of its subhalos as well; here a particle belongs to the
// smallest halo that lists it.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "base/fail.hpp"
#include "files/known_units.hpp"
#include "merger_files/text_members.hpp"

namespace kith::io {
namespace {

constexpr const char* kHalos = ".AHF_halos";
constexpr const char* kParticles = ".AHF_particles";

std::string with_ending(const std::string& path, const char* to) {
  return path.substr(0, path.rfind(".AHF_")) + to;
}

/// "snapshot_054.z0.300.AHF_halos" is at redshift 0.3.
double redshift_in(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  const std::size_t end = name.rfind(".AHF_"), at = name.rfind(".z", end);
  double redshift = 0;
  if (at == std::string::npos || !parse_number(name.substr(at + 2, end - at - 2), redshift))
    fail(ErrorCode::io, "{}: has no redshift in its name, as in snapshot_054.z0.300.AHF_halos",
         path);
  return redshift;
}

/// The files of all processes of AHF, or one: snapshot_054.0000.z0.300.AHF_halos.
std::vector<std::string> files_of(const std::string& halos) {
  return numbered_files(halos, halos.substr(halos.rfind(".z", halos.rfind(".AHF_"))));
}

class AhfHalos {
 public:
  explicit AhfHalos(HaloMembers& members) : members_(members) {}

  std::size_t count() const { return id_.size(); }

  void read(const std::string& path) {
    const InputBytes file(path);
    Lines lines(file);
    std::optional<NamedColumns> columns;
    for (std::string_view line; lines.next(line);) {
      if (line.starts_with('#') && !columns) {
        columns.emplace(line.substr(1), path);
        mass_ = columns->one_of({"Mhalo", "Mvir"});
        for (const char* name : {"ID", "npart", "Xc", "Yc", "Zc", "VXc", "VYc", "VZc"})
          columns->one_of({name});
      }
      if (is_comment(line)) continue;
      if (!columns) fail(ErrorCode::io, "{}: its first line does not name columns", path);
      columns->take(line);
      add(*columns);
    }
  }

  /// The first halo of each group: the host of hosts.
  void set_groups() {
    std::unordered_map<std::int64_t, std::size_t> row;
    for (std::size_t k = 0; k < id_.size(); ++k)
      if (!row.emplace(id_[k], k).second)
        fail(ErrorCode::io, "{}: halo {} is there twice", members_.path, id_[k]);
    for (std::size_t k = 0; k < id_.size(); ++k) {
      std::size_t top = k;
      for (std::size_t steps = 0; steps < id_.size(); ++steps) {
        const auto above = row.find(host_[top]);
        if (above == row.end() || above->second == top) break;
        top = above->second;
      }
      members_.columns.group.push_back(static_cast<std::int64_t>(top));
    }
  }

 private:
  void add(const NamedColumns& line) {
    HaloColumns& columns = members_.columns;
    id_.push_back(line.whole("ID"));
    host_.push_back(line.has("hostHalo") ? line.whole("hostHalo") : -1);
    members_.size.push_back(line.whole("npart"));
    columns.halo_id.push_back(static_cast<std::uint64_t>(id_.back()));
    columns.mass.push_back(line.number(mass_));
    for (const char* axis : {"Xc", "Yc", "Zc"}) columns.position.push_back(line.number(axis));
    for (const char* axis : {"VXc", "VYc", "VZc"}) columns.velocity.push_back(line.number(axis));
    if (line.has("Vmax")) columns.vmax.push_back(line.number("Vmax"));
    if (line.has("Rmax")) columns.vmax_radius.push_back(line.number("Rmax"));
    if (line.has("sigV")) columns.velocity_dispersion.push_back(line.number("sigV"));
  }

  HaloMembers& members_;
  std::vector<std::int64_t> id_, host_;
  std::string mass_;
};

/// The lists of all halos.
class Lists {
 public:
  Lists(const HaloMembersOptions& options, const HaloMembers& members)
      : options_(options), members_(members) {}

  /// The lists of one file, whose first halo is `halo`; the number of lists.
  std::size_t read(const std::string& path, std::size_t halo) {
    const InputBytes file(path);
    Lines lines(file);
    const std::int64_t count = row(lines, path)[0];
    for (std::int64_t list = 0; list < count; ++list, ++halo) {
      const std::int64_t particles = row(lines, path)[0];
      if (halo >= members_.halos)
        fail(ErrorCode::io, "{}: has more lists than there are halos, {}", path, members_.halos);
      for (std::int64_t k = 0; k < particles; ++k) {
        const auto numbers = row(lines, path);
        listed_.push_back({static_cast<std::uint64_t>(numbers[0]), static_cast<std::int32_t>(halo),
                           static_cast<std::int32_t>(numbers[1])});
      }
    }
    return static_cast<std::size_t>(count);
  }

  /// Keeps one type, and of several halos with a particle the smallest.
  void give(HaloMembers& members) {
    choose_type();
    const auto key = [&](const Listed& each) {
      return std::tuple(each.id, members.size[static_cast<std::size_t>(each.halo)], -each.halo);
    };
    std::sort(listed_.begin(), listed_.end(),
              [&](const Listed& a, const Listed& b) { return key(a) < key(b); });
    const auto end = std::unique(listed_.begin(), listed_.end(),
                                 [](const Listed& a, const Listed& b) { return a.id == b.id; });
    listed_.erase(end, listed_.end());
    std::stable_sort(listed_.begin(), listed_.end(),
                     [](const Listed& a, const Listed& b) { return a.halo < b.halo; });
    const PartOfRows part(listed_.size(), options_);
    for (std::size_t k = part.begin; k < part.begin + part.count; ++k) {
      members.id.push_back(listed_[k].id);
      members.label.push_back(listed_[k].halo);
    }
  }

 private:
  struct Listed {
    std::uint64_t id;
    std::int32_t halo, type;
  };
  static constexpr std::int32_t kNoType = -1;

  /// The first two numbers of the next line.
  std::array<std::int64_t, 2> row(Lines& lines, const std::string& path) {
    std::string_view line;
    do {
      if (!lines.next(line)) fail(ErrorCode::io, "{}: ends within a list", path);
    } while (is_comment(line));
    split(line, Separator::space, words_);
    std::array<std::int64_t, 2> numbers{0, kNoType};
    for (std::size_t k = 0; k < std::min<std::size_t>(2, words_.size()); ++k)
      if (!parse_whole(words_[k], numbers[k]))
        fail(ErrorCode::io, "{}: line {} is not of whole numbers", path, lines.number());
    return numbers;
  }

  void choose_type() {
    const auto has = [&](std::int32_t type) {
      return std::any_of(listed_.begin(), listed_.end(),
                         [&](const Listed& each) { return each.type == type; });
    };
    const int type = options_.type >= 0 ? options_.type : has(1) ? 1 : kNoType;
    if (type == kNoType) return;
    std::erase_if(listed_,
                  [&](const Listed& each) { return each.type != type && each.type != kNoType; });
  }

  const HaloMembersOptions& options_;
  const HaloMembers& members_;
  std::vector<Listed> listed_;
  std::vector<std::string_view> words_;
};

}  // namespace

bool is_ahf_catalogue(const std::string& path) {
  return path.ends_with(kHalos) || path.ends_with(kParticles);
}

HaloMembers ahf_members(const std::string& path, const HaloMembersOptions& options,
                        const Execution&) {
  const std::string halos = with_ending(path, kHalos);
  HaloMembers members{.path = path};
  members.redshift = redshift_in(halos);
  members.time = 1 / (1 + members.redshift);
  members.units = {.length = kMegaparsec / 1000,
                   .mass = kMasses[0].cgs,
                   .velocity = kKmPerS,
                   .is_per_h = true,
                   .is_comoving = true};
  AhfHalos rows(members);
  std::vector<std::size_t> first;
  for (const std::string& file : files_of(halos)) {
    first.push_back(rows.count());
    rows.read(file);
  }
  first.push_back(rows.count());
  members.halos = rows.count();
  rows.set_groups();
  Lists lists(options, members);
  const std::vector<std::string> files = files_of(halos);
  for (std::size_t f = 0; f < files.size(); ++f)
    if (const std::size_t count = lists.read(with_ending(files[f], kParticles), first[f]);
        count != first[f + 1] - first[f])
      fail(ErrorCode::io, "{}: {} lists of particles for {} halos", files[f], count,
           first[f + 1] - first[f]);
  lists.give(members);
  return members;
}

}  // namespace kith::io
