// The nearest neighbors of points on a ring and in its middle: rows, radius lists, densities.
//
//            . 3 .
//         .         .        points 0 to 11 on a circle of radius 1,
//        6    14     0       counterclockwise from the right;
//         .  12 13  .        12, 13, 14 around the center
//            . 9 .
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include <kith/kith.hpp>

namespace {

std::vector<std::array<double, 2>> ring_and_middle() {
  std::vector<std::array<double, 2>> points;
  for (int i = 0; i < 12; ++i) {
    const double angle = 2 * std::numbers::pi * i / 12;
    points.push_back(
        {std::round(1e6 * std::cos(angle)) / 1e6, std::round(1e6 * std::sin(angle)) / 1e6});
  }
  points.push_back({0.0, 0.0});
  points.push_back({0.05, 0.0});
  points.push_back({0.0, 0.05});
  return points;
}

void print_rows(const kith::Tree<double>& tree) {
  const auto near = kith::knn(tree, {.k = 3, .exclude_self = true});
  for (auto [i, neighbors] : near) {
    if (i < 10) continue;
    std::printf("nearest to %2zu:", i);
    for (auto [index, distance] : neighbors) std::printf("  %2d at %.4f", index, distance);
    std::printf("\n");
  }
}

void print_balls(const kith::Tree<double>& tree) {
  const std::vector<std::array<double, 2>> queries{{0.0, 0.0}, {1.0, 0.1}};
  const auto balls = kith::radius(tree, queries, {.radius = 0.6});
  for (std::size_t i = 0; i < balls.size(); ++i) {
    std::printf("within 0.6 of (%g, %g):", queries[i][0], queries[i][1]);
    for (const auto index : balls.index(i)) std::printf(" %d", index);
    std::printf("\n");
  }
  std::printf("pairs within 0.6: %zu\n", kith::radius_pairs(tree, {.radius = 0.6}).size());
}

void print_densities(const kith::Tree<double>& tree) {
  const auto density = kith::sph_density(tree, {.k = 4, .kernel = kith::SphKernel::wendland_c2});
  std::printf("density on the ring %.2f, in the middle %.2f\n", density[0], density[12]);
}

}  // namespace

int main() {
  try {
    const auto points = ring_and_middle();
    const kith::Tree tree(kith::view(points));
    print_rows(tree);
    print_balls(tree);
    print_densities(tree);
  } catch (const kith::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
