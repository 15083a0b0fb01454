// Times derivatives and the functions that are differentiated, on a sample universe: neighbors (k =
// 16) in input order and in tree order, halos with frozen membership. Best of several, in one
// process.
//
//   build/release/bench/bench_gradients [N = 100] [THREADS = 0] [ROUNDS = 5]
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

void report(const char* name, double gradient, const char* of, double value) {
  std::printf("%-28s %8.1f ms, %5.2f of the %.1f ms of %s\n", name, gradient * 1e3,
              gradient / value, value * 1e3, of);
}

/// The neighbors of all points and the product with the derivative of their distances.
void measure_neighbors(const char* name, const std::vector<float>& x, const kith::Box& box,
                       int rounds, const kith::Execution& execution) {
  constexpr std::size_t k = 16;
  const std::size_t n = x.size() / 3;
  const kith::PointsView points = kith::view(x.data(), n, 3);
  const kith::AnyTree tree(points, {.box = box}, execution);
  kith::Neighbors<float> near;
  const double search =
      best_of(rounds, [&] { near = kith::knn<float>(tree, {.k = k}, execution); });
  const std::vector<float> cotangent(n * k, 1);
  std::vector<float> gradient(3 * n);
  const kith::PairsOf pairs{points, {}, box, kith::lists_view(near.indices(), n, k)};
  const double product = best_of(rounds, [&] {
    kith::distances_vjp<float>(pairs, cotangent.data(), {gradient.data()}, execution);
  });
  report(name, product, "knn", search);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  const auto universe = kith::sample::cosmology({.n = n});
  const kith::Workspace workspace;
  const kith::Execution execution{.threads = argc > 2 ? std::atoi(argv[2]) : 0,
                                  .workspace = &workspace};
  const kith::Box box = universe.box();
  std::vector<float> x(universe.position.begin(), universe.position.end()), sorted;
  for (const double value : kith::Tree(universe.view(), {.box = box}).coordinates())
    sorted.push_back(static_cast<float>(value));
  measure_neighbors("distances_vjp", x, box, rounds, execution);
  measure_neighbors("distances_vjp, tree order", sorted, box, rounds, execution);

  const kith::PointsView velocity = kith::view(universe.velocity.data(), universe.size(), 3);
  const kith::Groups groups =
      kith::fof(universe.view(), {.box = box, .b = 0.2, .min_size = 20}, execution);
  const kith::Members members = kith::members(groups, execution);
  const double rows = best_of(rounds, [&] {
    kith::catalogue(universe.view(), members, {.box = box, .velocity = velocity}, execution);
  });
  kith::GroupValues cotangent;
  cotangent.center.assign(3 * groups.count(), 1);
  std::vector<double> gradient(3 * universe.size());
  const auto product = [&] {
    kith::halos_vjp(universe.view(), members, {.box = box}, cotangent, {gradient.data()},
                    execution);
  };
  report("halos_vjp, centers", best_of(rounds, product), "the catalogue", rows);
  cotangent.inertia_radius.assign(groups.count(), 1);
  report("halos_vjp, centers and radii", best_of(rounds, product), "the catalogue", rows);
}
