// Reductions over neighborhoods, and searches for one point at a time.
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <mutex>
#include <random>

#include <kith/kith.hpp>

#include "neighbors/brute.hpp"
#include "support/expect_error.hpp"
#include "support/point_sets.hpp"

namespace kith {
namespace {

std::vector<std::array<float, 3>> points_to_reduce(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<std::array<float, 3>> points(n);
  for (auto& p : points) p = {uniform(random), uniform(random), uniform(random)};
  return points;
}

TEST(Reductions, NeighborhoodsAreTheRowsOfKnn) {
  const auto points = points_to_reduce(2000, 1);
  const Tree tree(view(points));
  const auto rows = knn(tree, {.k = 9});
  std::vector<int> visits(points.size());
  std::mutex mutex;
  for_each_neighborhood<float>(tree, {.k = 9}, [&](const Neighborhood<float>& near) {
    const std::lock_guard lock(mutex);
    ++visits[near.i];
    EXPECT_TRUE(std::equal(near.index.begin(), near.index.end(), rows.index(near.i).begin()));
    EXPECT_TRUE(
        std::equal(near.distance.begin(), near.distance.end(), rows.distance(near.i).begin()));
  });
  EXPECT_EQ(visits, std::vector<int>(points.size(), 1));
}

TEST(Reductions, DistancesFollowFromRows) {
  const auto points = points_to_reduce(500, 2);
  const Tree tree(view(points));
  const auto rows = knn(tree, {.k = 5, .exclude_self = true});
  const auto last = kth_distance(tree, {.k = 5, .exclude_self = true});
  const auto mean = mean_distance(tree, {.k = 5, .exclude_self = true});
  for (std::size_t i = 0; i < points.size(); ++i) {
    double sum = 0;
    for (const float r : rows.distance(i)) sum += double{r};
    EXPECT_EQ(last[i], double{rows.distance(i)[4]});
    EXPECT_EQ(mean[i], sum / 5);
  }
  EXPECT_TRUE(std::isinf(kth_distance(tree, {.k = 501})[0]));
}

/// Of a lattice with one point per unit of volume, the density is near one; both kernels are
/// normalized.
TEST(Reductions, DensityOfALattice) {
  for (int dimension : {1, 2, 3})
    for (const SphKernel kernel : {SphKernel::cubic_spline, SphKernel::wendland_c2}) {
      const std::size_t side = dimension == 1 ? 4096 : dimension == 2 ? 64 : 16;
      const std::size_t n = static_cast<std::size_t>(std::pow(side, dimension) + 0.5);
      const auto set =
          test::make_set<double>("lattice", dimension, n, [&](std::size_t i, int axis) {
            return double(i / static_cast<std::size_t>(std::pow(side, axis) + 0.5) % side);
          });
      const Tree tree(set.view(), {.box = Box::periodic(double(side))});
      const auto density = sph_density(tree, {.k = 200, .kernel = kernel});
      for (const double rho : density) ASSERT_NEAR(rho, 1, 0.02) << dimension << " " << int(kernel);
      const std::vector<double> mass(n, 3);
      ASSERT_NEAR(sph_density(tree, {.k = 200, .kernel = kernel, .mass = mass})[5], 3 * density[5],
                  1e-12);
    }
}

TEST(Reductions, DensityIsTheSameForAnyThreads) {
  const auto points = points_to_reduce(3000, 4);
  const Tree tree(view(points));
  EXPECT_EQ(sph_density(tree, {.k = 24}, {.threads = 1}),
            sph_density(tree, {.k = 24}, {.threads = 3}));
}

TEST(Reductions, Errors) {
  const auto points = points_to_reduce(10, 5);
  const Tree tree(view(points));
  const std::vector<double> mass(3, 1);
  test::expect_error(ErrorCode::invalid_argument, "3 masses for 10",
                     [&] { sph_density(tree, {.mass = mass}); });
  test::expect_error(ErrorCode::invalid_argument, "k = 0", [&] { kth_distance(tree, {.k = 0}); });
}

TEST(KnnSearcher, GivesTheRowsOfKnn) {
  const auto points = points_to_reduce(3000, 6), queries = points_to_reduce(300, 7);
  const Tree tree(view(points), {.box = Box::periodic(1)});
  const auto rows = knn(tree, view(queries), {.k = 12});
  KnnSearcher first(tree, {.k = 12});
  KnnSearcher searcher = std::move(first);
  std::array<std::int32_t, 12> index;
  std::array<float, 12> distance;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    searcher(queries[i].data(), index.data(), distance.data());
    EXPECT_TRUE(std::equal(index.begin(), index.end(), rows.index(i).begin()));
    EXPECT_TRUE(std::equal(distance.begin(), distance.end(), rows.distance(i).begin()));
  }
  const float bad[3] = {0, NAN, 0};
  test::expect_error(ErrorCode::non_finite, "coordinate 1",
                     [&] { searcher(bad, index.data(), distance.data()); });
}

}  // namespace
}  // namespace kith
