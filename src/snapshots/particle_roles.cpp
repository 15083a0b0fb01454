// The rules of particle_roles.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <kith/io/particle_roles.hpp>

#include "files/known_units.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

constexpr int kDarkMatter = 1;
constexpr int kBaryons[] = {0, 4, 5};
constexpr int kPerhapsHeavy[] = {2, 3};
constexpr double kHeavier = 1.5;            // low-resolution particles are at least 8 times heavier
constexpr double kSameSeparation = 0.01;    // for rounded constants and masses
constexpr double kGuessedSeparation = 0.1;  // without Omega_b
constexpr double kBaryonFraction = 0.157;   // Planck 2018; for files that have gas but no Omega_b
constexpr std::uint64_t kFewest = 100;      // at least one particle in 100 is fine
constexpr std::uint64_t kRowsAtOnce = std::uint64_t{1} << 20;

bool contains(std::span<const int> list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::vector<int> present_types(const SnapshotInfo& info, std::span<const int> wanted) {
  std::vector<int> present;
  for (const SnapshotType& type : info.type)
    if (wanted.empty() || contains(wanted, type.type)) present.push_back(type.type);
  return present;
}

/// Calls take(mass, how many particles have it) for the particles of these types.
template <class Take>
void for_masses(const Snapshot& snapshot, std::span<const int> types, const Execution& execution,
                Take take) {
  std::vector<double> mass;
  for (const SnapshotType& type : snapshot.info().type) {
    if (!contains(types, type.type)) continue;
    if (type.mass > 0) {
      take(type.mass, type.count);
      continue;
    }
    for (std::uint64_t begin = 0; begin < type.count; begin += kRowsAtOnce) {
      mass.resize(std::min(kRowsAtOnce, type.count - begin));
      snapshot.read(Field::mass, begin, mass, std::span(&type.type, 1), execution);
      for (const double each : mass) take(each, std::uint64_t{1});
    }
  }
}

/// Particles up to a mass.
struct MassSum {
  double sum = 0, lightest = std::numeric_limits<double>::infinity(), heaviest = 0;
  std::uint64_t count = 0;
  double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
};

/// All zero if some particles have no mass.
MassSum sum_masses(const Snapshot& snapshot, std::span<const int> types, const Execution& execution,
                   double most = std::numeric_limits<double>::infinity()) {
  MassSum all;
  if (!snapshot.has(Field::mass, types)) return all;
  for_masses(snapshot, types, execution, [&](double mass, std::uint64_t count) {
    if (mass > most) return;
    all.sum += mass * static_cast<double>(count);
    all.count += count;
    if (mass > 0) all.lightest = std::min(all.lightest, mass);
    all.heaviest = std::max(all.heaviest, mass);
  });
  return all;
}

double mean_mass(const Snapshot& snapshot, std::span<const int> types, const Execution& execution) {
  return sum_masses(snapshot, types, execution).mean();
}

/// The mass that the mean separation of linked particles follows from. Stars and gas have many
/// masses; only among dark matter do different ones mean different resolutions.
double linked_mass(const Snapshot& snapshot, std::span<const int> linked,
                   const Execution& execution, bool& has_several) {
  const MassSum all = sum_masses(snapshot, linked, execution);
  const bool is_dark =
      contains(linked, kDarkMatter) &&
      std::none_of(linked.begin(), linked.end(), [](int type) { return contains(kBaryons, type); });
  if (!is_dark || !(all.heaviest > kHeavier * all.lightest)) return all.mean();
  const MassSum fine = sum_masses(snapshot, linked, execution, kHeavier * all.lightest);
  has_several = fine.count >= all.count / kFewest;
  return has_several ? fine.mean() : all.mean();
}

bool has_units(const Units& units) {
  return units.length > 0 && units.mass > 0 && units.velocity > 0;
}

/// Newton's constant in these units.
double newton(const Units& units) {
  return io::kGravity * units.mass / (units.length * units.velocity * units.velocity);
}

/// Gas, stars or black holes that are not linked.
bool has_other_baryons(const SnapshotInfo& info, std::span<const int> linked) {
  return std::any_of(info.type.begin(), info.type.end(), [&](const SnapshotType& type) {
    return !contains(linked, type.type) && contains(kBaryons, type.type);
  });
}

/// Of the matter that the linked particles represent, in the snapshot's units.
double mean_density(const SnapshotInfo& info, const Cosmology& cosmology, bool has_baryons) {
  const Background& background = info.background;
  const double baryons =
      background.omega_b > 0 ? background.omega_b : kBaryonFraction * background.omega_m;
  const double omega = background.omega_m - (has_baryons ? baryons : 0);
  const double critical =
      3 * cosmology.hubble * cosmology.hubble / (8 * std::numbers::pi * cosmology.gravity);
  const double physical = info.units.is_comoving ? 1 : std::pow(1 + background.redshift, 3);
  return omega * critical * physical;
}

double separation_by_number(const Snapshot& snapshot, std::span<const int> linked, const Box& box) {
  double volume = 1;
  for (int axis = 0; axis < snapshot.info().dimension; ++axis) volume *= box.side(axis);
  const auto count = static_cast<double>(snapshot.size(linked));
  return volume > 0 && count > 0 ? std::pow(volume / count, 1.0 / snapshot.info().dimension) : 0;
}

}  // namespace

ParticleRoles particle_roles(const Snapshot& snapshot, std::span<const int> types,
                             const Execution& execution) {
  return public_call("particle_roles", [&] {
    const std::vector<int> present = present_types(snapshot.info(), types);
    if (!contains(present, kDarkMatter)) return ParticleRoles{.linked = present};
    ParticleRoles roles{.linked = {kDarkMatter}};
    const auto mean = [&](int type) { return mean_mass(snapshot, {&type, 1}, execution); };
    for (const int type : kPerhapsHeavy)
      if (contains(present, type) && mean(type) > kHeavier * mean(kDarkMatter))
        roles.contaminating.push_back(type);
    for (const int type : present)
      if (contains(kBaryons, type) || contains(roles.contaminating, type))
        roles.attached.push_back(type);
    std::sort(roles.attached.begin(), roles.attached.end());
    return roles;
  });
}

MeanSeparation mean_separation(const Snapshot& snapshot, std::span<const int> linked,
                               const Box& box, const Execution& execution) {
  return public_call("mean_separation", [&] {
    const SnapshotInfo& info = snapshot.info();
    MeanSeparation found{.by_number = separation_by_number(snapshot, linked, box)};
    const bool has_baryons = has_other_baryons(info, linked);
    found.is_baryon_fraction_known = !has_baryons || info.background.omega_b > 0;
    const std::optional<Cosmology> cosmology = snapshot_cosmology(info);
    if (!cosmology || info.dimension != 3) return found;
    found.by_mass = std::cbrt(linked_mass(snapshot, linked, execution, found.has_several_masses) /
                              mean_density(info, *cosmology, has_baryons));
    const double tolerance = found.is_baryon_fraction_known ? kSameSeparation : kGuessedSeparation;
    found.is_by_mass =
        found.by_mass > 0 && !(std::abs(found.by_mass / found.by_number - 1) <= tolerance);
    return found;
  });
}

double snapshot_gravity(const SnapshotInfo& info) {
  if (!has_units(info.units)) return 0;
  return newton(info.units) / (info.units.is_comoving ? info.background.scale_factor : 1);
}

double snapshot_hubble_flow(const SnapshotInfo& info) {
  const std::optional<Cosmology> c = snapshot_cosmology(info);
  if (!c) return 0;
  const double z1 = 1 + c->redshift, curvature = 1 - c->omega_m - c->omega_lambda;
  const double e2 = c->omega_m * z1 * z1 * z1 + curvature * z1 * z1 + c->omega_lambda;
  const double scale = info.units.is_comoving ? info.background.scale_factor : 1;
  return e2 > 0 ? c->hubble * std::sqrt(e2) * scale : 0;
}

std::optional<Cosmology> snapshot_cosmology(const SnapshotInfo& info) {
  const Units& units = info.units;
  const Background& background = info.background;
  if (!background.is_known || !has_units(units)) return std::nullopt;
  // 1/h in the unit of length cancels the h of the Hubble constant.
  const double h = units.is_per_h ? 1 : background.h;
  return Cosmology{
      .omega_m = background.omega_m,
      .omega_lambda = background.omega_lambda,
      .redshift = background.redshift,
      .hubble = 100 * h * (units.length / io::kMegaparsec) / (units.velocity / io::kKmPerS),
      .gravity = newton(units)};
}

}  // namespace kith
