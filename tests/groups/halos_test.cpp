// Overdensities against a sort of all distances; subhalos that only phase space separates.
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

#include <kith/kith.hpp>

#include "support/tree_kinds.hpp"

namespace kith {
namespace {

struct Cloud {
  double side;
  std::vector<std::array<float, 3>> x;
  std::vector<double> mass, centers;

  Cloud(double box, std::size_t clumps, unsigned seed) : side(box) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::normal_distribution<double> normal;
    for (std::size_t clump = 0; clump < clumps; ++clump) {
      double at[3];
      for (double& c : at) centers.push_back(c = clump == 0 ? 0.01 : side * uniform(random));
      for (int i = 0; i < 400; ++i) {
        x.emplace_back();
        const double size = 0.02 * side * uniform(random);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const double c = at[axis] + size * normal(random);
          x.back()[axis] = static_cast<float>(c - side * std::floor(c / side));
        }
      }
    }
    for (int i = 0; i < 1000; ++i)
      x.push_back({static_cast<float>(side * uniform(random)),
                   static_cast<float>(side * uniform(random)),
                   static_cast<float>(side * uniform(random))});
    for (std::size_t i = 0; i < x.size(); ++i) mass.push_back(0.5 + uniform(random));
  }
};

/// The definition, on all distances.
std::pair<double, double> edge_by_sorting(const Cloud& cloud, const double* center, double density,
                                          double within, double limit) {
  std::vector<std::pair<float, std::size_t>> all;
  const float side = static_cast<float>(cloud.side);
  for (std::size_t i = 0; i < cloud.x.size(); ++i) {
    float d2 = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      float dx = std::abs(static_cast<float>(center[axis]) - cloud.x[i][axis]);
      dx = std::min(dx, side - dx);
      d2 += dx * dx;
    }
    all.emplace_back(d2, i);
  }
  std::sort(all.begin(), all.end());
  // Every step of the staircase with the density inside it; the last that is above and begins
  // inside `within`, or continues what does.
  double mass = 0, edge_mass = 0, edge_radius = 0;
  bool is_above = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    mass += cloud.mass[all[i].second];
    if (i + 1 < all.size() && all[i + 1].first == all[i].first) continue;
    const double here = std::sqrt(static_cast<double>(all[i].first));
    if (here > limit || (here > within && !is_above)) break;
    const double radius = std::cbrt(mass / (4 * std::numbers::pi / 3 * density));
    const double next =
        i + 1 < all.size() ? std::sqrt(static_cast<double>(all[i + 1].first)) : limit;
    is_above = radius >= here && radius >= std::min(next, limit);
    if (radius < here || is_above) continue;
    edge_mass = mass;
    edge_radius = radius;
  }
  if (is_above) return {NAN, NAN};
  return {edge_mass, edge_radius};
}

void check_overdensities(const Cloud& cloud, double within) {
  const std::vector<double> densities{3e4 / std::pow(cloud.side, 3), 3e5 / std::pow(cloud.side, 3),
                                      3e9 / std::pow(cloud.side, 3)};
  for (const TreeOptions& kind : test::tree_kinds(Box::periodic(cloud.side), NonFinite::error)) {
    const Tree tree(view(cloud.x), kind);
    for (const int threads : {1, 3}) {
      const Overdensities found = overdensities(
          tree, cloud.centers,
          {.density = densities, .mass = values(cloud.mass), .within = same_value(within)},
          {.threads = threads});
      for (std::size_t i = 0; i < cloud.centers.size() / 3; ++i)
        for (std::size_t e = 0; e < densities.size(); ++e) {
          const auto [mass, radius] = edge_by_sorting(cloud, cloud.centers.data() + 3 * i,
                                                      densities[e], within, cloud.side / 2);
          const std::size_t at = i * densities.size() + e;
          if (std::isnan(mass)) {
            EXPECT_TRUE(std::isnan(found.mass[at]) && std::isnan(found.radius[at]))
                << i << " " << e;
            continue;
          }
          EXPECT_EQ(found.mass[at], mass) << i << " " << e;  // the same sum in the same order
          EXPECT_NEAR(found.radius[at], radius, 1e-12 * cloud.side);
        }
    }
  }
}

TEST(Overdensities, EqualASortOfAllDistances) {
  const Cloud cloud(10, 12, 1);
  check_overdensities(cloud, 0.5);
  check_overdensities(cloud, std::numeric_limits<double>::infinity());
}

TEST(Overdensities, BeyondHalfTheBoxAreNotANumber) {
  const Cloud cloud(10, 5, 2);
  const Tree tree(view(cloud.x), {.box = Box::periodic(10)});
  const Overdensities found = overdensities(tree, cloud.centers, {.density = {1e-6}});
  for (const double mass : found.mass) EXPECT_TRUE(std::isnan(mass));
}

TEST(Overdensities, DoNotEndInAHoleAroundTheCenter) {
  // One point in the middle, a hole, and a shell that holds nearly everything.
  std::vector<std::array<double, 3>> points{{0, 0, 0}};
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1000; ++i) {
    const double x = normal(random), y = normal(random), z = normal(random);
    const double r = std::sqrt(x * x + y * y + z * z);
    points.push_back({x / r, y / r, z / r});
  }
  const Tree tree(view(points));
  const std::vector<double> center{0, 0, 0};
  for (const double within : {1.5, std::numeric_limits<double>::infinity()}) {
    const Overdensities found =
        overdensities(tree, center, {.density = {100}, .within = same_value(within)});
    EXPECT_EQ(found.mass[0], 1001);
    EXPECT_NEAR(found.radius[0], std::cbrt(1001 / (4 * std::numbers::pi / 3 * 100)), 1e-12);
  }
  // The shell does not begin inside 0.5: there the sphere is that of the one point.
  EXPECT_EQ(overdensities(tree, center, {.density = {100}, .within = same_value(0.5)}).mass[0], 1);
}

TEST(Overdensities, InOpenSpaceAnEdgeIsAlwaysFound) {
  const std::vector<std::array<double, 3>> points{{0, 0, 0}, {0.1, 0, 0}, {5, 5, 5}};
  const Tree tree(view(points));
  const std::vector<double> center{0, 0, 0};
  const Overdensities found = overdensities(tree, center, {.density = {1e-9, 1}});
  EXPECT_EQ(found.mass[0], 3);
  EXPECT_NEAR(found.radius[0], std::cbrt(3 / (4 * std::numbers::pi / 3 * 1e-9)), 1e-6);
  EXPECT_EQ(found.mass[1], 2);
}

TEST(Overdensities, RefuseWhatHasNoSense) {
  const std::vector<std::array<float, 3>> points{{0, 0, 0}};
  const Tree tree(view(points));
  const std::vector<double> center{0, 0, 0}, short_row{0, 0};
  EXPECT_THROW(overdensities(tree, center, {}), Error);
  EXPECT_THROW(overdensities(tree, center, {.density = {-1}}), Error);
  EXPECT_THROW(overdensities(tree, short_row, {.density = {1}}), Error);
  EXPECT_THROW(edge_density(Edge::virial, {.omega_m = 0}), Error);
}

TEST(EdgeDensity, HasItsTextbookValues) {
  const Cosmology today{.omega_m = 0.3, .omega_lambda = 0.7};
  const double critical = edge_density(Edge::critical200, today) / 200;
  EXPECT_NEAR(critical, 2.7753662e11, 1e6);  // h^2 Msun / Mpc^3
  EXPECT_DOUBLE_EQ(edge_density(Edge::critical500, today), 500 * critical);
  EXPECT_DOUBLE_EQ(edge_density(Edge::mean200, today), 200 * 0.3 * critical);
  EXPECT_NEAR(edge_density(Edge::virial, today) / critical, 101,
              1);  // Bryan & Norman for Omega = 0.3
  EXPECT_NEAR(edge_density(Edge::virial, {.omega_m = 1, .omega_lambda = 0}) / critical,
              18 * std::numbers::pi * std::numbers::pi, 1e-6);
  // Mean density per comoving volume does not change; matter rules early on.
  EXPECT_DOUBLE_EQ(
      edge_density(Edge::mean200, {.omega_m = 0.3, .omega_lambda = 0.7, .redshift = 3}),
      edge_density(Edge::mean200, today));
}

/// Two clumps on top of each other that move apart: one place, two velocities; and a smooth
/// background.
struct Collision {
  std::vector<std::array<double, 3>> x, v;
  std::vector<int> truth;
  explicit Collision(double center) {
    std::mt19937 random(4);
    std::normal_distribution<double> normal;
    for (int i = 0; i < 600; ++i) {
      const int clump = i % 3;  // 0, 1: streams; 2: a hot background in the same place
      truth.push_back(clump);
      x.emplace_back();
      v.emplace_back();
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double at = center + 0.05 * normal(random);
        at -= 4 * std::floor(at / 4);
        x.back()[axis] = at;
        const double stream = axis == 0 ? (clump == 0 ? 500 : clump == 1 ? -500 : 0) : 0;
        v.back()[axis] = stream + (clump == 2 ? 3000 : 15) * normal(random);
      }
    }
  }
};

void check_collision(double center) {
  const Collision halo(center);
  const Box box = Box::periodic(4);
  const Groups groups = fof(view(halo.x), {.box = box, .linking_length = 0.2});
  const Members of = members(groups);
  ASSERT_GE(of.of(0).size(), 590u);
  const Subhalos found = subhalos(view(halo.x), of,
                                  {.box = box,
                                   .velocity = view(halo.v),
                                   .linking_length = 0.6,
                                   .position_scale = 0.05,
                                   .velocity_scale = 200,
                                   .min_size = 50});
  ASSERT_EQ(found.parent.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found.parent[i], 0);
    EXPECT_GT(found.members.of(i).size(), 100u);
    const int stream = halo.truth[found.members.of(i).front()];
    for (const std::uint32_t member : found.members.of(i)) EXPECT_EQ(halo.truth[member], stream);
    EXPECT_NEAR(found.catalogue.velocity[3 * i], stream == 0 ? 500 : -500, 20);
  }
  // No linking length in space alone separates the streams.
  for (const double length : {0.01, 0.02, 0.03, 0.05, 0.1}) {
    const Groups flat = fof(view(halo.x), {.box = box, .linking_length = length, .min_size = 50});
    for (std::size_t group = 0; group < flat.count(); ++group) {
      int streams[3] = {};
      for (std::size_t i = 0; i < halo.truth.size(); ++i)
        if (flat.label()[i] == static_cast<std::int32_t>(group)) ++streams[halo.truth[i]];
      EXPECT_LT(std::max(streams[0], streams[1]), 0.75 * (streams[0] + streams[1])) << length;
    }
  }
}

TEST(Subhalos, PartStreamsThatShareTheirPlace) {
  check_collision(2);
  check_collision(0);  // across the edge
}

TEST(Subhalos, TakeTheScalesOfTheHalo) {
  const Collision halo(2);
  const Members of = members(fof(view(halo.x), {.linking_length = 0.2}));
  double x2 = 0, v2 = 0;
  double mean_x[3] = {}, mean_v[3] = {};
  const auto halo_members = of.of(0);
  const double n = static_cast<double>(halo_members.size());
  for (const std::uint32_t i : halo_members)
    for (std::size_t axis = 0; axis < 3; ++axis)
      mean_x[axis] += halo.x[i][axis] / n, mean_v[axis] += halo.v[i][axis] / n;
  for (const std::uint32_t i : halo_members)
    for (std::size_t axis = 0; axis < 3; ++axis)
      x2 += std::pow(halo.x[i][axis] - mean_x[axis], 2) / n,
          v2 += std::pow(halo.v[i][axis] - mean_v[axis], 2) / n;
  const SubhaloOptions own{.velocity = view(halo.v), .linking_length = 0.2, .min_size = 5};
  SubhaloOptions given = own;
  given.position_scale = std::sqrt(x2);
  given.velocity_scale = std::sqrt(v2);
  const Subhalos a = subhalos(view(halo.x), of, own),
                 b = subhalos(view(halo.x), of, given, {.threads = 3});
  EXPECT_GT(a.parent.size(), 0u);
  EXPECT_EQ(a.members.order, b.members.order);
  EXPECT_EQ(a.members.offset, b.members.offset);
}

TEST(Subhalos, RefuseWhatHasNoSense) {
  const Collision halo(2);
  const Members of = members(fof(view(halo.x), {.linking_length = 0.2}));
  EXPECT_THROW(subhalos(view(halo.x), of, {.velocity = view(halo.v)}), Error);
  EXPECT_THROW(subhalos(view(halo.x), of, {.linking_length = 1}), Error);
  EXPECT_THROW(subhalos(view(halo.x), of,
                        {.velocity = view(halo.v), .linking_length = 1, .velocity_scale = -1}),
               Error);
}

}  // namespace
}  // namespace kith
