#include "files/swift_groups.hpp"

#include <cmath>
#include <numbers>

#include <kith/version.hpp>

#include "base/format.hpp"
#include "files/known_units.hpp"

namespace kith::io {
namespace {

std::vector<double> single(double value) { return {value}; }

/// 1 where the file does not say it, as in SWIFT without units.
double or_one(double value) { return value > 0 ? value : 1; }

double unit_time(const Units& units) {
  return units.length > 0 && units.velocity > 0 ? units.length / units.velocity : 1;
}

void write_units(hdf5::Group group, const Units& units) {
  group.set("Unit length in cgs (U_L)", single(or_one(units.length)));
  group.set("Unit mass in cgs (U_M)", single(or_one(units.mass)));
  group.set("Unit time in cgs (U_t)", single(unit_time(units)));
  group.set("Unit current in cgs (U_I)", single(1));
  group.set("Unit temperature in cgs (U_T)", single(1));
}

/// The Hubble constant today, in 1 / unit of time.
double hubble(const SwiftFacts& facts) {
  return 1e7 * facts.background.h / kMegaparsec * unit_time(facts.units);
}

void write_cosmology(hdf5::Group group, const SwiftFacts& facts) {
  const Background& background = facts.background;
  group.set("Cosmological run", std::vector<std::int32_t>{background.is_known ? 1 : 0});
  group.set("Redshift", single(background.redshift));
  group.set("Scale-factor", single(background.scale_factor));
  if (!background.is_known) return;
  const double curvature = 1 - background.omega_m - background.omega_lambda;
  const double z1 = 1 / background.scale_factor, h0 = hubble(facts);
  const double h = h0 * std::sqrt(background.omega_m * z1 * z1 * z1 + curvature * z1 * z1 +
                                  background.omega_lambda);
  const double gravity = kGravity * or_one(facts.units.mass) * std::pow(unit_time(facts.units), 2) /
                         std::pow(or_one(facts.units.length), 3);
  group.set("h", single(background.h));
  group.set("H0 [internal units]", single(h0));
  group.set("H [internal units]", single(h));
  group.set("Critical density [internal units]",
            single(3 * h * h / (8 * std::numbers::pi * gravity)));
  group.set("Universe age [internal units]", single(swift_time(facts)));
  group.set("Omega_m", single(background.omega_m));
  group.set("Omega_lambda", single(background.omega_lambda));
  group.set("Omega_b", single(background.omega_b));
  group.set("Omega_cdm", single(background.omega_m - background.omega_b));
  group.set("Omega_k", single(curvature));
  for (const char* name : {"Omega_r", "Omega_nu", "Omega_nu_0", "Omega_g", "Omega_ur"})
    group.set(name, single(0));
  // No radiation: readers that derive neutrinos from these must get zero.
  for (const char* name : {"N_eff", "N_ur", "N_nu", "M_nu_eV", "deg_nu", "T_CMB_0 [K]",
                           "T_CMB_0 [internal units]", "T_nu_0 [internal units]", "w_a"})
    group.set(name, single(0));
  group.set("w_0", single(-1));
  group.set("w", single(-1));
}

void write_policy(hdf5::Group policy, const Background& background) {
  for (const char* name : {"hydro", "external gravity", "star formation", "feedback", "cooling"})
    policy.set(name, std::vector<std::int32_t>{0});
  policy.set("cosmological integration", std::vector<std::int32_t>{background.is_known ? 1 : 0});
  policy.set("self gravity", std::vector<std::int32_t>{1});
}

}  // namespace

Units swift_units(Units units, const Background& background) {
  if (!units.is_per_h || !(background.h > 0)) return units;
  units.length /= background.h;
  units.mass /= background.h;
  units.is_per_h = false;
  return units;
}

double swift_time(const SwiftFacts& facts) {
  const Background& b = facts.background;
  if (!b.is_known) return facts.time;
  const double h0 = hubble(facts);
  if (!(h0 > 0) || !(b.omega_m > 0)) return 0;
  const double a3 = std::pow(b.scale_factor, 1.5);
  if (!(b.omega_lambda > 0)) return 2 / (3 * h0) * a3 / std::sqrt(b.omega_m);
  return 2 / (3 * h0 * std::sqrt(b.omega_lambda)) *
         std::asinh(std::sqrt(b.omega_lambda / b.omega_m) * a3);
}

hdf5::Group write_swift_groups(hdf5::Group& root, const SwiftFacts& facts) {
  write_units(root.create_group("Units"), facts.units);
  write_units(root.create_group("InternalCodeUnits"), facts.units);
  write_cosmology(root.create_group("Cosmology"), facts);
  write_policy(root.create_group("Policy"), facts.background);
  root.create_group("Code").set("Code", "kith " KITH_VERSION);
  for (const char* name : {"HydroScheme", "GravityScheme", "SubgridScheme", "StarsScheme"})
    root.create_group(name);
  hdf5::Group parameters = root.create_group("Parameters");
  parameters.set("InitialConditions:periodic", facts.is_periodic ? "1" : "0");
  parameters.set("FOF:group_id_default", "2147483647");
  const Background& background = facts.background;
  if (!background.is_known) return parameters;
  parameters.set("Cosmology:h", formatted("{}", background.h));
  parameters.set("Cosmology:Omega_b", formatted("{}", background.omega_b));
  parameters.set("Cosmology:Omega_cdm", formatted("{}", background.omega_m - background.omega_b));
  parameters.set("Cosmology:Omega_lambda", formatted("{}", background.omega_lambda));
  return parameters;
}

}  // namespace kith::io
