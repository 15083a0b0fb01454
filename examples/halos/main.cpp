// A small universe, its halos, their table and their mass function.
//
//        .  * .         friends of friends link particles closer than 0.2 of the mean separation;
//      . *@@* .  ..     every chain of such links is a group, and the groups of at least 20
//       .*@*.  .@.      particles are halos. Mass and radius within 200 times the mean density
//         .     .       count all particles, not only members.
#include <cmath>
#include <cstdio>

#include <kith/kith.hpp>
#include <kith/sample.hpp>

namespace {

void print_table(const kith::Catalogue& halos, const kith::Overdensities& edges) {
  std::printf(
      "halo  particles  mass [Msun/h]       center [Mpc/h]     dispersion [km/s]  M200m "
      "[Msun/h]\n");
  for (std::size_t i = 0; i < halos.count() && i < 8; ++i)
    std::printf("%4zu  %9lld  %13.2e  %6.2f %6.2f %6.2f  %17.0f  %14.2e\n", i,
                static_cast<long long>(halos.size[i]), halos.mass[i], halos.center[3 * i],
                halos.center[3 * i + 1], halos.center[3 * i + 2], halos.velocity_dispersion[i],
                edges.mass[i]);
}

/// Halos per volume and factor of two in mass, with the error of counting.
void print_mass_function(const kith::Catalogue& halos, double lightest, double volume) {
  std::printf("mass [Msun/h]            halos   per (Mpc/h)^3\n");
  for (double low = lightest; low < halos.mass.front(); low *= 2) {
    int count = 0;
    for (const double mass : halos.mass) count += mass >= low && mass < 2 * low;
    std::printf("%8.2e to %8.2e  %6d   %.2e +- %.1e\n", low, 2 * low, count, count / volume,
                std::sqrt(count) / volume);
  }
}

}  // namespace

int main() {
  const auto universe = kith::sample::cosmology({.n = 32, .seed = 3});
  const kith::Tree tree(universe.view(), {.box = universe.box()});
  const kith::Groups groups = kith::fof(tree, {.b = 0.2, .min_size = 20});
  const kith::ValuesView mass = kith::same_value(universe.particle_mass);
  const kith::Catalogue halos =
      kith::catalogue(universe.view(), groups,
                      {.box = universe.box(),
                       .mass = mass,
                       .velocity = kith::view(universe.velocity.data(), universe.size(), 3)});
  const double density = kith::edge_density(
      kith::Edge::mean200,
      {.omega_m = universe.options.omega_m, .omega_lambda = 1 - universe.options.omega_m});
  const kith::Overdensities edges = kith::overdensities(tree, halos.center,
                                                        {.density = {density},
                                                         .mass = mass,
                                                         .within = kith::values(halos.radius),
                                                         .mass_guess = kith::values(halos.mass)});
  std::printf("%zu particles, %zu halos\n\n", universe.size(), halos.count());
  print_table(halos, edges);
  std::printf("\n");
  print_mass_function(halos, 20 * universe.particle_mass, std::pow(universe.options.side, 3));
}
