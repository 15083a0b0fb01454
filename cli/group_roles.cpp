// Which particles make groups, which join them, and how far apart they are on average.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include <kith/error.hpp>

#include "groups.hpp"

namespace kith::cli {
namespace {

constexpr double kSameSeparation = 0.01;    // what constants and rounded masses may make
constexpr double kGuessedSeparation = 0.1;  // without Omega_b
constexpr double kBaryonFraction = 0.157;   // Planck 2018; for files that have gas but no Omega_b
constexpr double kHeavier = 1.5;            // low-resolution particles are at least 8 times heavier

bool contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// "none", or numbers.
std::vector<int> parsed_types(const char* option, const std::vector<std::string>& words) {
  std::vector<int> types;
  if (words.size() == 1 && words[0] == "none") return types;
  for (const std::string& word : words) {
    int type = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), type);
    if (error != std::errc() || end != word.data() + word.size())
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: {} is no type; give numbers, or none", option, printable(word)));
    types.push_back(type);
  }
  return types;
}

/// Read piece by piece: there may be more particles than memory has room for.
double mean_mass_of(const Snapshot& snapshot, std::span<const int> types,
                    const Execution& execution) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  const std::uint64_t size = snapshot.size(types);
  std::vector<double> mass;
  double sum = 0;
  for (std::uint64_t begin = 0; begin < size; begin += kPiece) {
    mass.resize(std::min(kPiece, size - begin));
    snapshot.read(Field::mass, begin, mass, types, execution);
    for (const double each : mass) sum += each;
  }
  return size == 0 ? 0 : sum / static_cast<double>(size);
}

}  // namespace

/// As in other codes: dark matter makes the groups, gas, stars and black holes join them.
void GroupRun::choose_roles() {
  std::vector<int> present;
  for (const SnapshotType& type : input_.info().type) present.push_back(type.type);
  link_types_ = request_.link_types;
  attach_types_ = parsed_types("--attach-types", request_.attach_types);
  if (link_types_.empty() && request_.attach_types.empty() && contains(present, 1)) {
    link_types_ = {1};
    for (const int type : {0, 4, 5})
      if (contains(present, type)) attach_types_.push_back(type);
  } else if (link_types_.empty()) {
    std::copy_if(present.begin(), present.end(), std::back_inserter(link_types_),
                 [&](int type) { return !contains(attach_types_, type); });
  }
  for (const int type : attach_types_)
    if (contains(link_types_, type))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("type {} is to be linked and attached; choose one", type));
  choose_contaminating(present);
  std::vector<int> all = link_types_;
  all.insert(all.end(), attach_types_.begin(), attach_types_.end());
  input_.choose(std::move(all));
}

bool GroupRun::is_linked(int type) const { return contains(link_types_, type); }

double GroupRun::mean_mass(int type) const {
  for (const SnapshotType& each : input_.info().type)
    if (each.type == type && each.mass > 0) return each.mass;
  if (!input_.snapshot().has(Field::mass, std::span(&type, 1))) return 0;
  return mean_mass_of(input_.snapshot(), {&type, 1}, session_.execution());
}

/// In a zoom run types 2 and 3 are the heavy particles around the region of interest: they are
/// matter of the groups that they join, and a sign that those groups are not to be trusted. Lighter
/// particles of these types are disks and bulges of galaxies.
void GroupRun::choose_contaminating(const std::vector<int>& present) {
  contaminating_types_ = parsed_types("--contaminating-types", request_.contaminating_types);
  for (const int type : contaminating_types_)
    if (!contains(present, type))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--contaminating-types: the file has no particles of type {}", type));
  const bool is_default = request_.contaminating_types.empty() && request_.link_types.empty() &&
                          request_.attach_types.empty() && link_types_ == std::vector<int>{1};
  for (const int type : {2, 3})
    if (is_default && contains(present, type) && mean_mass(type) > kHeavier * mean_mass(1))
      contaminating_types_.push_back(type);
  for (const int type : contaminating_types_)
    if (!contains(link_types_, type) && !contains(attach_types_, type))
      attach_types_.push_back(type);
  std::sort(attach_types_.begin(), attach_types_.end());
}

/// Gas, stars or black holes that are not linked.
bool GroupRun::has_other_baryons() const {
  return std::any_of(input_.info().type.begin(), input_.info().type.end(),
                     [&](const SnapshotType& type) {
                       return !contains(link_types_, type.type) && contains({0, 4, 5}, type.type);
                     });
}

bool GroupRun::is_baryon_fraction_known() const {
  return !has_other_baryons() || input_.info().background.omega_b > 0;
}

/// (m / rho)^(1/3) of the linked particles, with rho the mean density of what they stand for: dark
/// matter where the file has other matter too. 0 if the file does not say enough.
double GroupRun::separation_by_mass() const {
  const SnapshotInfo& info = input_.info();
  const Background& background = info.background;
  const Units& units = info.units;
  if (!background.is_known || !(units.length > 0) || !(units.mass > 0) || !(units.velocity > 0) ||
      input_.dimension() != 3 || !input_.snapshot().has(Field::mass, link_types_))
    return 0;
  const bool has_baryons = has_other_baryons();
  const double baryons =
      background.omega_b > 0 ? background.omega_b : kBaryonFraction * background.omega_m;
  const double omega = background.omega_m - (has_baryons ? baryons : 0);
  const Cosmology cosmology = cosmology_of(info);
  const double critical =
      3 * cosmology.hubble * cosmology.hubble / (8 * std::numbers::pi * cosmology.gravity);
  const double physical = units.is_comoving ? 1 : std::pow(1 + background.redshift, 3);
  const double mean = mean_mass_of(input_.snapshot(), link_types_, session_.execution());
  return std::cbrt(mean / (omega * critical * physical));
}

/// Particles of a zoom run fill a part of the box alone: their number says nothing about how far
/// apart they are there, but their mass does, as in Gadget-4 and SWIFT.
void GroupRun::choose_separation(FofOptions& options) {
  if (!(options.b > 0) || options.mean_separation > 0 || options.volume > 0) return;
  double volume = 1;
  for (int axis = 0; axis < input_.dimension(); ++axis) volume *= input_.box().side(axis);
  std::uint64_t count = 0;
  for (const int type : link_types_) count += input_.size_of(type);
  const double by_mass = separation_by_mass();
  if (!(volume > 0) && !(by_mass > 0))
    throw Error(ErrorCode::invalid_argument,
                "-b needs the mean separation of the points: give --box, --volume or "
                "--mean-separation, or use --linking-length");
  if (count == 0 || !(by_mass > 0)) return;
  const double by_number = std::cbrt(volume / static_cast<double>(count));  // 0 in an open box
  const double tolerance = is_baryon_fraction_known() ? kSameSeparation : kGuessedSeparation;
  if (std::abs(by_mass / by_number - 1) <= tolerance) return;
  options.mean_separation = by_mass;
  session_.say(fmt::format("mean separation {} from the mass of the linked particles{}{}",
                           with_unit(by_mass, units(), {.length = 1}),
                           is_baryon_fraction_known() ? "" : ", with Omega_b = 0.157 Omega_m",
                           volume > 0 ? fmt::format(": they do not fill the box, over which it "
                                                    "would be {:.6g}",
                                                    by_number)
                                      : ""));
  session_.report().add("mean_separation", by_mass);
}

}  // namespace kith::cli
