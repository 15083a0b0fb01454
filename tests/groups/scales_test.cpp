// Properties of groups at extreme scales: powers of two change the exponents of results and nothing
// else, from 1e-290 to 1e300, and no call runs for ever.
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include <kith/kith.hpp>

#include "support/scaled_clumps.hpp"

namespace kith {
namespace {

using test::any_exponent;
using test::Draw;
using test::draw_clumps;
using test::for_cases;
using test::Row;
using test::Scaled;

Groups groups_of(const Scaled& data) {
  return fof(view(data.x), {.box = data.box, .linking_length = data.long_as(0.2)});
}

Catalogue catalogue_of(const Scaled& data) {
  const int square = 2 * data.speed + data.length - data.mass;
  return catalogue(view(data.x), groups_of(data),
                   {.box = data.box,
                    .mass = values(data.m),
                    .velocity = view(data.v),
                    .gravity = std::abs(square) < 1000 ? std::ldexp(0.75, square) : 0});
}

void expect_times(const std::vector<double>& found, const std::vector<double>& expected, int scale,
                  const char* what) {
  if (found.empty()) return;
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (std::isnan(expected[i]))
      ASSERT_TRUE(std::isnan(found[i])) << what << ' ' << i;
    else
      ASSERT_EQ(found[i], std::ldexp(expected[i], scale)) << what << ' ' << i;
}

void expect_same_catalogue(const Scaled& data, const Catalogue& found, const Catalogue& plain) {
  const int x = data.length, v = data.speed, m = data.mass;
  EXPECT_EQ(found.size, plain.size);
  EXPECT_EQ(found.axes, plain.axes);
  expect_times(found.mass, plain.mass, m, "mass");
  expect_times(found.center, plain.center, x, "center");
  expect_times(found.lower, plain.lower, x, "lower");
  expect_times(found.upper, plain.upper, x, "upper");
  expect_times(found.radius, plain.radius, x, "radius");
  expect_times(found.inertia_radius, plain.inertia_radius, x, "inertia_radius");
  expect_times(found.shape, plain.shape, 2 * x, "shape");
  expect_times(found.velocity, plain.velocity, v, "velocity");
  expect_times(found.velocity_dispersion, plain.velocity_dispersion, v, "velocity_dispersion");
  expect_times(found.median_speed, plain.median_speed, v, "median_speed");
  expect_times(found.kinetic_energy, plain.kinetic_energy, 2 * v + m, "kinetic_energy");
  expect_times(found.angular_momentum, plain.angular_momentum, x + v + m, "angular_momentum");
  expect_times(found.max_circular_velocity, plain.max_circular_velocity, v, "circular_velocity");
  expect_times(found.max_circular_radius, plain.max_circular_radius, x, "max_circular_radius");
  expect_times(found.half_mass_radius, plain.half_mass_radius, x, "half_mass_radius");
  expect_times(found.spin, plain.spin, x + v, "spin");
}

std::vector<double> centers_of(const Scaled& data, CenterKind kind) {
  return centers(
      view(data.x), members(groups_of(data)),
      {.box = data.box, .mass = values(data.m), .kind = kind, .softening = data.long_as(0.125)});
}

Subhalos subhalos_of(const Scaled& data) {
  return subhalos(view(data.x), members(groups_of(data)),
                  {.box = data.box,
                   .velocity = view(data.v),
                   .mass = values(data.m),
                   .linking_length = 0.5,
                   .min_size = 4});
}

TEST(Scales, DoNotMatterToProperties) {
  for_cases(30, [](Draw& draw) {
    const Scaled plain = draw_clumps(draw, 64 + draw.below(1500));
    const Scaled data =
        plain.times(any_exponent(draw, 960), any_exponent(draw, 960), any_exponent(draw, 960));
    expect_same_catalogue(data, catalogue_of(data), catalogue_of(plain));
    for (const CenterKind kind : {CenterKind::mass, CenterKind::shrinking, CenterKind::potential})
      expect_times(centers_of(data, kind), centers_of(plain, kind), data.length, "center");
    const Subhalos found = subhalos_of(data), expected = subhalos_of(plain);
    EXPECT_EQ(found.parent, expected.parent);
    EXPECT_EQ(found.members.order, expected.members.order);
  });
}

/// In one dimension the root of a volume is exact.
TEST(Scales, DoNotMatterToOverdensities) {
  for_cases(30, [](Draw& draw) {
    const Scaled plain = draw_clumps(draw, 64 + draw.below(1500));
    const int length = any_exponent(draw, 900), mass = any_exponent(draw, 900);
    if (std::abs(mass - length) > 1000) return;  // such densities are no doubles
    const auto spheres = [&](const Scaled& data) {
      std::vector<std::array<double, 1>> line;
      for (const Row& row : data.x) line.push_back({row[0]});
      const Tree tree(view(line), {.box = data.box});
      return overdensities(
          tree, std::vector<double>{data.long_as(0.5), data.long_as(1.5)},
          {.density = {std::ldexp(200, data.mass - data.length)}, .mass = values(data.m)});
    };
    const Scaled data = plain.times(length, 0, mass);
    const Overdensities found = spheres(data), expected = spheres(plain);
    EXPECT_EQ(found.size, expected.size);
    expect_times(found.mass, expected.mass, mass, "mass");
    expect_times(found.radius, expected.radius, length, "radius");
  });
}

TEST(Scales, DoNotMatterToTheMeanSeparation) {
  std::vector<Row> points;
  for (int i = 0; i < 64; ++i)
    points.push_back({0.25 * (i % 4), 0.25 * (i / 4 % 4), 0.25 * (i / 16)});
  for (const int exponent : {-960, -400, 0, 400, 960}) {
    std::vector<Row> scaled = points;
    for (Row& row : scaled)
      for (double& each : row) each = std::ldexp(each, exponent);
    const Box box = Box::periodic(std::ldexp(1.0, exponent));
    EXPECT_EQ(fof(view(scaled), {.box = box, .b = 1.5}).count(), 1u) << exponent;
    EXPECT_EQ(fof(view(scaled), {.box = box, .b = 0.5}).count(), 64u) << exponent;
  }
}

/// Floats are read as doubles, where all their powers fit.
TEST(Scales, OfFloatsNeedNothing) {
  for (const int exponent : {-120, 120}) {
    std::vector<std::array<float, 2>> points;
    for (int i = 0; i < 100; ++i)
      points.push_back({std::ldexp(1.0f + 0.001f * static_cast<float>(i), exponent),
                        std::ldexp(0.01f * static_cast<float>(i % 7), exponent)});
    const Groups groups = fof(view(points), {.linking_length = std::ldexp(0.5, exponent)});
    const Catalogue found = catalogue(view(points), groups);
    EXPECT_EQ(found.count(), 1u);
    EXPECT_GT(std::ldexp(found.radius[0], -exponent), 0.04);
    for (const CenterKind kind : {CenterKind::shrinking, CenterKind::potential})
      EXPECT_TRUE(std::isfinite(centers(view(points), members(groups), {.kind = kind})[0]));
  }
}

/// A coordinate many sides away from its box means a place in the box, as it does to a tree.
TEST(Scales, PlacesFarOutsideTheBoxAreWrapped) {
  const std::vector<std::array<double, 1>> points{{0.25}, {0.5}, {0x1p60}, {-0x1p1000}};
  const Members all{{0, 1, 2, 3}, {0, 4}};
  const std::vector<std::array<double, 1>> wrapped{{0.25}, {0.5}, {0.0}, {0.0}};
  const Box box = Box::periodic(1.0);
  for (const CenterKind kind : {CenterKind::mass, CenterKind::shrinking, CenterKind::potential})
    EXPECT_EQ(centers(view(points), all, {.box = box, .kind = kind}),
              centers(view(wrapped), all, {.box = box, .kind = kind}));
  EXPECT_EQ(catalogue(view(points), all, {.box = box}).radius,
            catalogue(view(wrapped), all, {.box = box}).radius);
}

/// Differences beyond the largest number.
TEST(Scales, TheWholeRangeOfADouble) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const std::vector<std::array<double, 1>> points{{-kMost}, {kMost}, {0}, {kMost / 2}};
  const Members all{{0, 1, 2, 3}, {0, 4}};
  for (const CenterKind kind : {CenterKind::mass, CenterKind::shrinking, CenterKind::potential})
    EXPECT_TRUE(std::isfinite(centers(view(points), all, {.kind = kind})[0]));
  EXPECT_NEAR(catalogue(view(points), all).center[0], kMost / 8, kMost * 1e-15);
}

}  // namespace
}  // namespace kith
