#include "snapshots/given.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/fail.hpp"
#include "files/known_units.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

std::string_view trimmed(std::string_view word) {
  while (word.starts_with(' ')) word.remove_prefix(1);
  while (word.ends_with(' ')) word.remove_suffix(1);
  return word;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return words;
}

std::optional<double> known(std::span<const io::KnownUnit> units, std::string_view name) {
  for (const io::KnownUnit& unit : units)
    if (name == unit.name) return unit.cgs;
  return std::nullopt;
}

/// One unit as it was written.
struct Unit {
  double cgs = 0;
  bool is_per_h = false;
  bool is_physical = false;
};

[[noreturn]] void refuse_unit(std::string_view word, const char* kind) {
  refuse(
      "units: {} is not a unit of {}; write the units of length, mass and velocity as "
      "kpc/h,1e10 Msun/h,km/s",
      word, kind);
}

Unit parse_unit(std::string_view word, std::span<const io::KnownUnit> units, const char* kind) {
  Unit unit{.cgs = 1};
  std::string_view name = word;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), unit.cgs);
  if (error == std::errc())
    name = trimmed(word.substr(static_cast<std::size_t>(end - word.data())));
  else
    unit.cgs = 1;
  if (!(unit.cgs > 0) || !std::isfinite(unit.cgs)) refuse_unit(word, kind);
  if (name.ends_with("/h")) {
    unit.is_per_h = true;
    name.remove_suffix(2);
  }
  if (name.empty() && error == std::errc()) return unit;
  std::optional<double> cgs = known(units, name);
  if (!cgs && (name.starts_with('c') || name.starts_with('p'))) {  // "ckpc" and "pkpc"
    cgs = known(units, name.substr(1));
    unit.is_physical = name.starts_with('p');
  }
  if (!cgs) refuse_unit(word, kind);
  unit.cgs *= *cgs;
  return unit;
}

Units units_of(std::string_view text) {
  const auto words = words_of(text);
  if (words.size() != 3)
    refuse(
        "units: {} names {} units; give those of length, mass and velocity, such as "
        "kpc/h,1e10 Msun/h,km/s",
        text, words.size());
  const Unit length = parse_unit(words[0], io::kLengths, "length");
  const Unit mass = parse_unit(words[1], io::kMasses, "mass");
  const Unit velocity = parse_unit(words[2], io::kVelocities, "velocity");
  if (velocity.is_per_h || mass.is_physical || velocity.is_physical)
    refuse_unit(mass.is_physical ? words[1] : words[2], mass.is_physical ? "mass" : "velocity");
  if (length.is_per_h != mass.is_per_h)
    refuse("units: {} and {}: a factor 1/h goes with both lengths and masses, or with none",
           words[0], words[1]);
  return {.length = length.cgs,
          .mass = mass.cgs,
          .velocity = velocity.cgs,
          .is_per_h = length.is_per_h,
          .is_comoving = !length.is_physical};
}

double* parameter(Background& universe, std::string_view name) {
  if (name == "omega_m") return &universe.omega_m;
  if (name == "omega_lambda") return &universe.omega_lambda;
  if (name == "omega_b") return &universe.omega_b;
  if (name == "h") return &universe.h;
  return nullptr;
}

Background universe_of(std::string_view text) {
  Background universe{.is_known = true, .omega_lambda = -1};
  for (const std::string_view word : words_of(text)) {
    const std::size_t equals = std::min(word.find('='), word.size());
    double* value = parameter(universe, trimmed(word.substr(0, equals)));
    const std::string_view number = trimmed(word.substr(std::min(equals + 1, word.size())));
    const char* stop = number.data() + number.size();
    if (!value || number.empty() || std::from_chars(number.data(), stop, *value).ptr != stop ||
        !(*value >= 0) || !std::isfinite(*value))
      refuse(
          "cosmology: {} is not understood; write omega_m=0.31,omega_lambda=0.69,h=0.68, also "
          "omega_b",
          word);
  }
  if (!(universe.omega_m > 0)) refuse("cosmology: {} has no omega_m", text);
  if (universe.omega_lambda < 0) universe.omega_lambda = 1 - universe.omega_m;
  return universe;
}

void set_background(Background& background, const SnapshotOptions& options) {
  if (options.cosmology) {
    const Background found = background;
    background = *options.cosmology;
    background.is_known = true;
    background.redshift = found.redshift;
    background.scale_factor = found.scale_factor;
  }
  if (!options.redshift) return;
  const double redshift = *options.redshift;
  if (!(redshift > -1) || !std::isfinite(redshift))
    refuse("redshift = {}; give a number above -1", redshift);
  background.redshift = redshift;
  background.scale_factor = 1 / (1 + redshift);
  background.is_known = background.omega_m > 0;
}

void set_mass(SnapshotInfo& info, double mass, const std::string& path) {
  if (mass == 0) return;
  if (!(mass > 0) || !std::isfinite(mass)) refuse("mass = {}; give a positive number", mass);
  bool is_used = false;
  for (SnapshotType& type : info.type) {
    if (type.has_mass) continue;
    type.mass = mass;
    type.has_mass = is_used = true;
  }
  if (!is_used && !info.type.empty())
    refuse("{}: states the masses of its particles; leave the given mass out", path);
}

}  // namespace

Units parse_units(const std::string& text) {
  return public_call("parse_units", [&] { return units_of(text); });
}

Background parse_cosmology(const std::string& text) {
  return public_call("parse_cosmology", [&] { return universe_of(text); });
}

void io::apply_given(SnapshotInfo& info, const SnapshotOptions& options, const std::string& path) {
  set_background(info.background, options);
  if (options.units) {
    info.units = *options.units;
    info.units.is_comoving = info.units.is_comoving && info.background.is_known;
  }
  set_mass(info, options.mass, path);
}

}  // namespace kith
