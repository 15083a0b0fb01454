// Friends of friends with a linking length for each point, beside one length for all, on one
// thread, in processor time. Usage: bench_linking_lengths [POINTS]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include <kith/kith.hpp>

namespace {

using Points = std::vector<std::array<float, 3>>;

template <class F>
double best_of_five(F f) {
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    const std::clock_t begin = std::clock();
    f();
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return best;
}

/// Uniform, or half of them in a thousand clumps.
Points points(std::size_t n, bool has_clumps) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  std::vector<std::array<double, 3>> center(1000);
  for (auto& place : center)
    for (double& x : place) x = uniform(random);
  Points made(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double x = has_clumps && i % 2 == 1 ? center[i % 1000][axis] + 0.01 * normal(random)
                                                : uniform(random);
      made[i][axis] = static_cast<float>(x - std::floor(x));
    }
  return made;
}

void compare(const char* name, const Points& x, double length) {
  const kith::Tree<float> tree(x, {.box = kith::Box::periodic(1)}, {.threads = 1});
  const kith::Execution execution{.threads = 1};
  const double one =
      best_of_five([&] { kith::fof(tree, {.linking_length = length, .min_size = 2}, execution); });
  std::printf("%s, length %.4f: one length %.3f s\n", name, length, one);
  for (const double spread : {0.0, 0.1, 0.5}) {
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> factor(1 - spread, 1 + spread);
    std::vector<double> lengths(x.size());
    for (double& each : lengths) each = length * factor(random);
    std::printf("  lengths that differ by %2.0f %%:", 100 * spread);
    for (const auto rule :
         {kith::LengthRule::mean, kith::LengthRule::least, kith::LengthRule::largest}) {
      const double each = best_of_five([&] {
        kith::fof(tree, {lengths, rule}, {.min_size = 2}, execution);
      });
      std::printf("  %s %.3f s (%.1f)", kith::name(rule), each, each / one);
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000000;
  const double separation = std::cbrt(1.0 / static_cast<double>(n));
  compare("uniform", points(n, false), 0.6 * separation);
  compare("clumps", points(n, true), 0.2 * separation);
}
