// Times a catalogue and its labels, on a sample universe at b = 0.2: labels (tree
// included), catalogue (members included), overdensities of all halos. Best of several, in one
// process.
//
//   build/release/bench/bench_catalogue [N = 128] [THREADS = 0] [ROUNDS = 5]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include <kith/kith.hpp>
#include <kith/sample.hpp>

namespace {

double best_of(int rounds, const std::function<void()>& run) {
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    run();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 128;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  const auto universe = kith::sample::cosmology({.n = n});
  const kith::Workspace workspace;
  const kith::Execution execution{.threads = argc > 2 ? std::atoi(argv[2]) : 0,
                                  .workspace = &workspace};
  const kith::FofOptions link{.box = universe.box(), .b = 0.2, .min_size = 20};
  const kith::ValuesView mass = kith::same_value(universe.particle_mass);
  const kith::CatalogueOptions options{
      .box = universe.box(),
      .mass = mass,
      .velocity = kith::view(universe.velocity.data(), universe.size(), 3)};

  const double labels = best_of(rounds, [&] { kith::fof(universe.view(), link, execution); });
  const kith::Tree tree(universe.view(), {.box = universe.box()}, execution);
  const kith::Groups groups = kith::fof(tree, link, execution);
  const double sorted = best_of(rounds, [&] { kith::members(groups, execution); });
  const double rows =
      best_of(rounds, [&] { kith::catalogue(universe.view(), groups, options, execution); });
  const kith::Catalogue halos = kith::catalogue(universe.view(), groups, options, execution);
  kith::OverdensityOptions edges{
      .mass = mass, .within = kith::values(halos.radius), .mass_guess = kith::values(halos.mass)};
  const kith::Cosmology cosmology{.omega_m = universe.options.omega_m,
                                  .omega_lambda = 1 - universe.options.omega_m};
  for (const kith::Edge edge :
       {kith::Edge::critical200, kith::Edge::critical500, kith::Edge::mean200, kith::Edge::virial})
    edges.density.push_back(kith::edge_density(edge, cosmology));
  const double spheres =
      best_of(rounds, [&] { kith::overdensities(tree, halos.center, edges, execution); });

  std::printf("%zu particles, %zu halos of at least 20\n", universe.size(), halos.count());
  std::printf("labels         %7.1f ms\n", labels * 1e3);
  std::printf("members        %7.1f ms\n", sorted * 1e3);
  std::printf("catalogue      %7.1f ms, %.2f of the labels, members included\n", rows * 1e3,
              rows / labels);
  std::printf("overdensities  %7.1f ms, %.2f of the labels\n", spheres * 1e3, spheres / labels);
}
