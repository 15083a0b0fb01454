// Every field of the catalogue against a slow reference in long double, its bits for any number of
// threads, and groups that are awkward: across the edge, tiny, collinear, without mass.
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include <kith/kith.hpp>

#include "support/expect_error.hpp"

namespace kith {
namespace {

using Real = long double;

/// Clumps in a periodic box, some of them across its edge, with masses, velocities and types.
struct Scene {
  int dimension;
  double side = 8;
  std::vector<float> x, v;
  std::vector<double> mass;
  std::vector<std::uint8_t> type;

  Scene(int d, std::size_t clumps, std::size_t members, unsigned seed) : dimension(d) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::normal_distribution<double> normal;
    for (std::size_t clump = 0; clump < clumps; ++clump) {
      std::vector<double> center;
      for (int axis = 0; axis < d; ++axis)
        center.push_back(clump % 3 == 0 ? 0.0 : side * uniform(random));
      for (std::size_t i = 0; i < members / (clump + 1) + 3; ++i) {
        for (int axis = 0; axis < d; ++axis) {
          double at = center[static_cast<std::size_t>(axis)] + 0.03 * (axis + 1) * normal(random);
          at -= side * std::floor(at / side);
          x.push_back(
              std::min(static_cast<float>(at), std::nextafter(static_cast<float>(side), 0.f)));
          v.push_back(static_cast<float>(100 * static_cast<double>(clump) + 30 * normal(random)));
        }
        mass.push_back(0.1 + uniform(random));
        type.push_back(static_cast<std::uint8_t>(random() % 3));
      }
    }
  }
  std::size_t size() const { return mass.size(); }
  PointsView points() const { return view(x.data(), size(), dimension); }
  CatalogueOptions options() const {
    return {.box = Box::periodic(side),
            .mass = values(mass),
            .velocity = view(v.data(), size(), dimension),
            .type = type,
            .types = 4,
            .contaminating_types = {1, 2}};
  }
  Groups groups(double length = 0.1) const {
    return fof(points(), {.box = Box::periodic(side), .linking_length = length, .min_size = 2});
  }
};

/// The members of a group and their sums, written down as the page of definitions has them.
struct Reference {
  std::vector<std::size_t> members;
  Real mass = 0;
  std::vector<Real> center, velocity, lower, upper;  // positions relative to the first member
  std::vector<std::vector<Real>> dx;

  Reference(const Scene& scene, const Groups& groups, std::size_t group) {
    const std::size_t d = static_cast<std::size_t>(scene.dimension);
    for (std::size_t i = 0; i < scene.size(); ++i)
      if (groups.label()[i] == static_cast<std::int32_t>(group)) members.push_back(i);
    center.assign(d, 0), velocity.assign(d, 0), lower.assign(d, 1e9L), upper.assign(d, -1e9L);
    for (const std::size_t i : members) {
      mass += scene.mass[i];
      std::vector<Real> offset;
      for (std::size_t axis = 0; axis < d; ++axis) {
        Real o = Real{scene.x[i * d + axis]} - Real{scene.x[members[0] * d + axis]};
        if (o > scene.side / 2) o -= scene.side;
        if (o < -scene.side / 2) o += scene.side;
        center[axis] += scene.mass[i] * o;
        velocity[axis] += scene.mass[i] * Real{scene.v[i * d + axis]};
        lower[axis] = std::min(lower[axis], o);
        upper[axis] = std::max(upper[axis], o);
        offset.push_back(o);
      }
      dx.push_back(offset);
    }
    for (std::size_t axis = 0; axis < d; ++axis) center[axis] /= mass, velocity[axis] /= mass;
  }
};

void expect_near(double value, Real reference, Real scale) {
  EXPECT_NEAR(value, static_cast<double>(reference), static_cast<double>(1e-12L * scale));
}

void check_row(const Scene& scene, const Groups& groups, const Catalogue& catalogue,
               std::size_t group) {
  const Reference ref(scene, groups, group);
  const std::size_t d = static_cast<std::size_t>(scene.dimension);
  ASSERT_EQ(catalogue.size[group], static_cast<std::int64_t>(ref.members.size()));
  ASSERT_EQ(catalogue.lowest[group], static_cast<std::int64_t>(ref.members[0]));
  expect_near(catalogue.mass[group], ref.mass, ref.mass);
  Real radius2 = 0, inertia = 0, dispersion = 0, trace = 0;
  std::vector<Real> tensor(d * d, 0), momentum(3, 0);
  std::vector<std::int64_t> type_size(4, 0);
  std::vector<Real> type_mass(4, 0), speed;
  for (std::size_t k = 0; k < ref.members.size(); ++k) {
    const std::size_t i = ref.members[k];
    std::vector<Real> r, u;
    Real r2 = 0, u2 = 0;
    for (std::size_t axis = 0; axis < d; ++axis) {
      r.push_back(ref.dx[k][axis] - ref.center[axis]);
      u.push_back(Real{scene.v[i * d + axis]} - ref.velocity[axis]);
      r2 += r.back() * r.back();
      dispersion += scene.mass[i] * u.back() * u.back();
      u2 += u.back() * u.back();
    }
    speed.push_back(std::sqrt(u2));
    radius2 = std::max(radius2, r2);
    inertia += scene.mass[i] * r2;
    for (std::size_t a = 0; a < d; ++a)
      for (std::size_t b = 0; b < d; ++b)
        tensor[a * d + b] += scene.mass[i] * r[a] * r[b] / ref.mass;
    if (d == 3)
      for (std::size_t a = 0; a < 3; ++a)
        momentum[a] +=
            scene.mass[i] * (r[(a + 1) % 3] * u[(a + 2) % 3] - r[(a + 2) % 3] * u[(a + 1) % 3]);
    ++type_size[scene.type[i]];
    type_mass[scene.type[i]] += scene.mass[i];
  }
  expect_near(catalogue.radius[group], std::sqrt(radius2), scene.side);
  expect_near(catalogue.inertia_radius[group], std::sqrt(inertia / ref.mass), scene.side);
  expect_near(catalogue.velocity_dispersion[group], std::sqrt(dispersion / ref.mass), 1000);
  expect_near(catalogue.kinetic_energy[group], dispersion / 2, ref.mass * 1e6L);
  std::sort(speed.begin(), speed.end());
  expect_near(catalogue.median_speed[group], speed[(speed.size() - 1) / 2], 1000);
  for (std::size_t axis = 0; axis < d; ++axis) {
    const Real first = scene.x[ref.members[0] * d + axis];
    Real center = first + ref.center[axis];
    center -= scene.side * std::floor(center / scene.side);
    expect_near(catalogue.center[group * d + axis], center, scene.side);
    expect_near(catalogue.velocity[group * d + axis], ref.velocity[axis], 1000);
    expect_near(catalogue.lower[group * d + axis], first + ref.lower[axis], scene.side);
    expect_near(catalogue.upper[group * d + axis], first + ref.upper[axis], scene.side);
    trace += tensor[axis * d + axis];
  }
  // Eigenvectors: A e = lambda e, of unit length, lambda falling, the largest component positive.
  Real sum = 0;
  for (std::size_t e = 0; e < d; ++e) {
    const double* vector = catalogue.axes.data() + (group * d + e) * d;
    const Real lambda = catalogue.shape[group * d + e];
    Real norm = 0, largest = 0;
    for (std::size_t a = 0; a < d; ++a) {
      Real product = 0;
      for (std::size_t b = 0; b < d; ++b) product += tensor[a * d + b] * vector[b];
      EXPECT_NEAR(static_cast<double>(product), static_cast<double>(lambda * vector[a]), 1e-12);
      norm += Real{vector[a]} * vector[a];
      if (std::abs(vector[a]) > std::abs(largest)) largest = vector[a];
    }
    expect_near(static_cast<double>(norm), 1, 1);
    EXPECT_GT(largest, 0);
    if (e > 0) {
      EXPECT_LE(lambda, catalogue.shape[group * d + e - 1]);
    }
    sum += lambda;
  }
  EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(trace), 1e-12);
  if (d == 3)
    for (std::size_t a = 0; a < 3; ++a)
      expect_near(catalogue.angular_momentum[group * 3 + a], momentum[a], 1e4);
  for (std::size_t t = 0; t < 4; ++t) {
    EXPECT_EQ(catalogue.type_size[group * 4 + t], type_size[t]);
    expect_near(catalogue.type_mass[group * 4 + t], type_mass[t], ref.mass);
  }
  EXPECT_EQ(catalogue.contaminating_size[group], type_size[1] + type_size[2]);
  expect_near(catalogue.contaminating_mass[group], type_mass[1] + type_mass[2], ref.mass);
  EXPECT_EQ(catalogue.spans[group], 0);
}

TEST(Catalogue, AgreesWithAPlainReference) {
  for (const int dimension : {1, 2, 3, 5}) {
    const Scene scene(dimension, 8, 400, 1);
    const Groups groups = scene.groups(dimension == 5 ? 0.5 : 0.1);
    const Catalogue catalogue = kith::catalogue(scene.points(), groups, scene.options());
    ASSERT_GT(catalogue.count(), 2u);
    for (std::size_t group = 0; group < catalogue.count(); ++group) {
      SCOPED_TRACE(std::to_string(dimension) + "-D group " + std::to_string(group));
      check_row(scene, groups, catalogue, group);
    }
  }
}

/// Counts of bits, and at the end a list, find the same speed as sorting all of them. The mean
/// velocity is 0: each member has an opposite.
TEST(Catalogue, MediansOfLargeGroupsAreExact) {
  std::mt19937 random(5);
  for (const bool has_equal_speeds : {false, true}) {
    const std::size_t n = 20000;
    std::vector<double> x(3 * n), v(3 * n), speed2(n);
    for (std::size_t i = 0; i < n; i += 2)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double u = has_equal_speeds ? 1.0 : std::ldexp(static_cast<double>(random()), -40);
        v[3 * i + axis] = u;
        v[3 * (i + 1) + axis] = -u;
        for (const std::size_t k : {i, i + 1}) speed2[k] += u * u;
      }
    const Groups groups = fof(view(x.data(), n, 3), {.linking_length = 1});
    const Catalogue found = kith::catalogue(view(x.data(), n, 3), groups,
                                            {.velocity = view(v.data(), n, 3)}, {.threads = 3});
    ASSERT_EQ(found.velocity, std::vector<double>(3, 0.0));
    std::sort(speed2.begin(), speed2.end());
    EXPECT_EQ(found.median_speed, std::vector<double>{std::sqrt(speed2[(n - 1) / 2])});
  }
}

TEST(Catalogue, HasTheSameBitsForAnyNumberOfThreads) {
  const Scene scene(3, 12, 100000, 2);  // one group beyond a block, one shared by all threads
  const Groups groups = scene.groups();
  ASSERT_GT(groups.size(0), 70000u);
  const Catalogue reference =
      kith::catalogue(scene.points(), groups, scene.options(), {.threads = 1});
  for (const int threads : {2, 3, 7, 16}) {
    const Catalogue other =
        kith::catalogue(scene.points(), groups, scene.options(), {.threads = threads});
    EXPECT_EQ(other.mass, reference.mass);
    EXPECT_EQ(other.center, reference.center);
    EXPECT_EQ(other.velocity, reference.velocity);
    EXPECT_EQ(other.radius, reference.radius);
    EXPECT_EQ(other.inertia_radius, reference.inertia_radius);
    EXPECT_EQ(other.velocity_dispersion, reference.velocity_dispersion);
    EXPECT_EQ(other.median_speed, reference.median_speed);
    EXPECT_EQ(other.kinetic_energy, reference.kinetic_energy);
    EXPECT_EQ(other.angular_momentum, reference.angular_momentum);
    EXPECT_EQ(other.shape, reference.shape);
    EXPECT_EQ(other.axes, reference.axes);
    EXPECT_EQ(other.type_mass, reference.type_mass);
  }
}

TEST(Catalogue, AGroupAcrossTheEdgeEqualsTheSameGroupInTheMiddle) {
  // Multiples of 2^-10: shifting them is exact.
  std::mt19937 random(3);
  std::vector<std::array<double, 3>> middle(200), edge;
  for (auto& point : middle)
    for (double& x : point) x = 4 + static_cast<double>(random() % 512) / 1024;
  for (const auto& point : middle) {
    edge.push_back(point);
    for (double& x : edge.back()) x = std::fmod(x + 3.75, 8);
  }
  const FofOptions link{.box = Box::periodic(8), .linking_length = 0.2};
  const CatalogueOptions options{.box = Box::periodic(8)};
  const Catalogue a = catalogue(view(middle), fof(view(middle), link), options);
  const Catalogue b = catalogue(view(edge), fof(view(edge), link), options);
  ASSERT_EQ(a.count(), b.count());
  EXPECT_EQ(a.radius, b.radius);
  EXPECT_EQ(a.shape, b.shape);
  EXPECT_EQ(a.axes, b.axes);
  EXPECT_EQ(a.inertia_radius, b.inertia_radius);
  for (std::size_t i = 0; i < a.center.size(); ++i)
    EXPECT_NEAR(std::fmod(a.center[i] + 3.75, 8), b.center[i], 1e-14);
}

TEST(Catalogue, GroupsOfOneTwoAndOnALine) {
  const std::vector<std::array<float, 3>> points{{1, 1, 1}, {4, 4, 4},    {4, 4, 4.5f},
                                                 {7, 0, 0}, {7.5f, 0, 0}, {8, 0, 0}};
  const Groups groups = fof(view(points), {.linking_length = 0.5});
  ASSERT_EQ(groups.count(), 3u);
  const Catalogue rows = catalogue(view(points), groups);
  EXPECT_EQ(rows.size, (std::vector<std::int64_t>{3, 2, 1}));
  EXPECT_EQ(rows.center[0], 7.5);
  EXPECT_EQ(rows.shape[0], 0.5 / 3);  // along the line only
  EXPECT_EQ(rows.shape[1], 0);
  EXPECT_EQ(std::vector<double>(rows.axes.begin(), rows.axes.begin() + 3),
            (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(rows.radius[1], 0.25);
  EXPECT_EQ(rows.radius[2], 0);
  EXPECT_EQ(rows.inertia_radius[2], 0);
  EXPECT_TRUE(rows.velocity.empty());
}

TEST(Catalogue, MassesOfZeroCountMembersEqually) {
  const std::vector<std::array<double, 2>> points{{0, 0}, {1, 0}, {2, 0}};
  const Groups groups = fof(view(points), {.linking_length = 1});
  const std::vector<double> nothing(3, 0.0);
  const Catalogue rows =
      catalogue(view(points), groups, {.mass = values(nothing), .velocity = view(points)});
  EXPECT_EQ(rows.mass[0], 0);
  EXPECT_EQ(rows.center[0], 1);
  EXPECT_EQ(rows.velocity[0], 1);
  EXPECT_EQ(rows.inertia_radius[0], std::sqrt(2.0 / 3));
  EXPECT_EQ(rows.angular_momentum[0], 0);
}

TEST(Catalogue, FlagsGroupsWiderThanHalfTheBox) {
  std::vector<std::array<float, 2>> points;
  for (int i = 0; i < 16; ++i) points.push_back({static_cast<float>(i) / 2, 3.f});
  const Groups groups = fof(view(points), {.box = Box::periodic(8), .linking_length = 0.5});
  ASSERT_EQ(groups.count(), 1u);
  EXPECT_EQ(catalogue(view(points), groups, {.box = Box::periodic(8)}).spans[0], 1);
  EXPECT_EQ(catalogue(view(points), groups, {.box = Box::periodic({0, 8})}).spans[0], 0);
}

TEST(Catalogue, RefusesWhatDoesNotFit) {
  const Scene scene(3, 3, 20, 4);
  const Groups groups = scene.groups();
  const auto refused = [&](const CatalogueOptions& options) {
    EXPECT_THROW(kith::catalogue(scene.points(), groups, options), Error);
  };
  const std::vector<double> few(3, 1.0);
  std::vector<double> bad(scene.size(), 1.0);
  bad[5] = -1;
  refused({.mass = values(few)});
  refused({.mass = values(bad)});
  refused({.mass = same_value(NAN)});
  refused({.velocity = view(scene.v.data(), 3, 3)});
  refused({.type = std::span(scene.type).first(3)});
  refused({.type = scene.type, .types = 2});
  refused({.type = scene.type, .contaminating_types = {9}});
  refused({.box = Box::periodic({1, 1})});
  EXPECT_THROW(kith::catalogue(view(few.data(), 1, 3), groups), Error);
}

TEST(Catalogue, RefusesPeaksAndGravityWithoutSense) {
  const std::vector<std::array<float, 3>> points{{1, 2, 3}, {1, 2, 4}};
  const Groups groups = fof(view(points), {.linking_length = 2});
  const auto expect_refused = [&](const CatalogueOptions& options, const char* words) {
    test::expect_error(ErrorCode::invalid_argument, words,
                       [&] { catalogue(view(points), groups, options); });
  };
  expect_refused({.gravity = -1}, "gravity = -1");
  expect_refused({.gravity = NAN}, "gravity = nan");
  expect_refused({.gravity = 1, .peak = {1, 2}}, "2 coordinates of peaks for 1 groups");
  expect_refused({.gravity = 1, .peak = {1, 2, INFINITY}}, "a peak has the coordinate inf");
}

TEST(Catalogue, OfNoGroupsIsEmpty) {
  const std::vector<std::array<float, 3>> none, one{{1, 2, 3}};
  EXPECT_EQ(catalogue(view(none), fof(view(none), {.linking_length = 1})).count(), 0u);
  EXPECT_EQ(catalogue(view(one), fof(view(one), {.linking_length = 1, .min_size = 2})).count(), 0u);
}

/// Of points of mass 0.5.
struct HandmadeCurve {
  double velocity = 0, radius = 0, half_mass_radius = 0;
};

/// The definition, written down once more: sorted distances and sums of masses.
HandmadeCurve rotation_curve(const std::vector<std::array<double, 3>>& points,
                             const std::array<double, 3>& center, double side, double gravity) {
  std::vector<double> r;
  for (const auto& x : points) {
    double r2 = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double dx = std::abs(x[axis] - center[axis]);
      if (side > 0) dx = std::min(dx, side - dx);
      r2 += dx * dx;
    }
    r.push_back(std::sqrt(r2));
  }
  std::sort(r.begin(), r.end());
  HandmadeCurve curve;
  for (std::size_t k = 9; k < r.size(); ++k) {
    const double velocity = std::sqrt(gravity * 0.5 * static_cast<double>(k + 1) / r[k]);
    if (velocity > curve.velocity) curve = {velocity, r[k], 0};
  }
  curve.half_mass_radius = r[(r.size() + 1) / 2 - 1];
  return curve;
}

void expect_curve(const Catalogue& found, const HandmadeCurve& right) {
  EXPECT_NEAR(found.max_circular_velocity.at(0), right.velocity, 1e-12);
  EXPECT_NEAR(found.max_circular_radius.at(0), right.radius, 1e-12);
  EXPECT_NEAR(found.half_mass_radius.at(0), right.half_mass_radius, 1e-12);
}

TEST(Catalogue, CircularVelocitiesAreThoseOfTheDefinition) {
  std::mt19937 random(3);
  std::normal_distribution<double> near(0, 0.02);
  std::vector<std::array<double, 3>> points(200);
  for (auto& x : points)  // across a corner of the box
    for (double& each : x) each = std::fmod(near(random) + 1, 1.0);
  const Box box = Box::periodic(1.0);
  const Groups groups = fof(view(points), {.box = box, .linking_length = 0.2});
  ASSERT_EQ(groups.count(), 1U);
  CatalogueOptions options{.box = box, .mass = same_value(0.5)};
  EXPECT_TRUE(catalogue(view(points), groups, options).max_circular_velocity.empty());
  options.gravity = 3;
  const Catalogue about_center = catalogue(view(points), groups, options);
  const std::array<double, 3> center{about_center.center[0], about_center.center[1],
                                     about_center.center[2]};
  expect_curve(about_center, rotation_curve(points, center, 1, 3));
  options.peak = {0.99, 0.01, 0.995};
  expect_curve(catalogue(view(points), groups, options),
               rotation_curve(points, {0.99, 0.01, 0.995}, 1, 3));
}

TEST(Catalogue, RotationCurvesOfManyBlocksAreThoseOfTheDefinition) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  std::vector<std::array<double, 3>> points(9001);
  for (auto& x : points)
    for (double& each : x) each = normal(random);
  const Groups groups = fof(view(points), {.linking_length = 20});
  CatalogueOptions options{.mass = same_value(0.5), .gravity = 3, .peak = {0.1, 0, 0}};
  expect_curve(catalogue(view(points), groups, options), rotation_curve(points, {0.1, 0, 0}, 0, 3));
}

TEST(Catalogue, CircularVelocitiesOfFewMembersAreZero) {
  for (const std::size_t n : {9, 10, 11}) {
    std::vector<std::array<double, 2>> points(n);
    for (std::size_t i = 0; i < n; ++i) points[i] = {0.1 * static_cast<double>(i), 0};
    const Groups groups = fof(view(points), {.linking_length = 0.11});
    const Catalogue rows = catalogue(view(points), groups, {.gravity = 1});
    EXPECT_EQ(rows.max_circular_velocity.at(0) > 0, n >= 10) << n;
    EXPECT_EQ(rows.max_circular_radius.at(0) > 0, n >= 10) << n;
    EXPECT_GT(rows.half_mass_radius.at(0), 0) << n;
  }
  std::vector<std::array<double, 2>> same(20, {1, 1});  // all at r = 0
  EXPECT_EQ(catalogue(view(same), fof(view(same), {.linking_length = 1}), {.gravity = 1})
                .max_circular_velocity.at(0),
            0);
}

TEST(Members, AreSlicesInTheOrderOfIndices) {
  const Scene scene(3, 40, 3000, 5);
  const Groups groups = scene.groups();
  for (const int threads : {1, 4}) {
    const Members of = members(groups, {.threads = threads});
    ASSERT_EQ(of.count(), groups.count());
    std::vector<bool> seen(scene.size(), false);
    for (std::size_t group = 0; group < of.count(); ++group) {
      ASSERT_EQ(of.of(group).size(), groups.size(group));
      std::int64_t before = -1;
      for (const std::uint32_t i : of.of(group)) {
        ASSERT_EQ(groups.label()[i], static_cast<std::int32_t>(group));
        ASSERT_GT(std::int64_t{i}, before);
        before = i;
        seen[i] = true;
      }
    }
    std::int64_t before = -1;
    for (std::size_t at = of.offset.back(); at < of.order.size(); ++at) {
      ASSERT_EQ(groups.label()[of.order[at]], -1);
      ASSERT_GT(std::int64_t{of.order[at]}, before);
      before = of.order[at];
      seen[of.order[at]] = true;
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<std::ptrdiff_t>(seen.size()));
  }
}

TEST(Rows, AreFilteredAndOrderedAsPermutations) {
  const Scene scene(3, 10, 300, 6);
  const Catalogue all = kith::catalogue(scene.points(), scene.groups(), scene.options());
  const auto by_size = rows(all);
  for (std::size_t i = 0; i < by_size.size(); ++i)
    EXPECT_EQ(by_size[i], static_cast<std::int64_t>(i));
  const auto by_mass = rows(all, {.order = RowOptions::Order::mass});
  ASSERT_EQ(by_mass.size(), all.count());
  for (std::size_t i = 1; i < by_mass.size(); ++i)
    EXPECT_GE(all.mass[static_cast<std::size_t>(by_mass[i - 1])],
              all.mass[static_cast<std::size_t>(by_mass[i])]);
  const auto by_place = rows(all, {.order = RowOptions::Order::position});
  for (std::size_t i = 1; i < by_place.size(); ++i)
    EXPECT_LE(all.center[3 * static_cast<std::size_t>(by_place[i - 1])],
              all.center[3 * static_cast<std::size_t>(by_place[i])]);
  for (const std::int64_t row : rows(all, {.min_size = 50, .min_mass = 30})) {
    EXPECT_GE(all.size[static_cast<std::size_t>(row)], 50);
    EXPECT_GE(all.mass[static_cast<std::size_t>(row)], 30);
  }
  EXPECT_LT(rows(all, {.min_size = 50}).size(), all.count());
}

TEST(PeakMembers, HaveTheExtremeValueAndTheLowestIndex) {
  const std::vector<std::array<float, 1>> points{{0}, {0.1f}, {0.2f}, {5}, {5.1f}};
  const Members of = members(fof(view(points), {.linking_length = 0.15}));
  const std::vector<float> density{1, 3, 3, 2, 7};
  EXPECT_EQ(peak_members(of, values(density)), (std::vector<std::int64_t>{1, 4}));
  const std::vector<double> distance{5, 4, 4, 9, 9};
  EXPECT_EQ(peak_members(of, values(distance), Peak::smallest), (std::vector<std::int64_t>{1, 3}));
  EXPECT_THROW(peak_members(of, values(std::vector<double>(2))), Error);
}

}  // namespace
}  // namespace kith
