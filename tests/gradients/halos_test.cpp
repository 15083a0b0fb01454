// Derivatives of halo fields with frozen membership, and of functions of masses.
#include "gradients/support.hpp"
#include "support/expect_error.hpp"

namespace kith {
namespace {

using test::dot;
using test::Numbers;
using test::random_numbers;

/// Three clumps, one of them across an edge of the box, and strays.
struct Halos {
  int d;
  std::size_t n = 90;
  Box box;
  Numbers x, v, m;
  Members members;

  explicit Halos(int dimension) : d(dimension), box(Box::periodic(1)) {
    const auto width = static_cast<std::size_t>(d);
    x = random_numbers(n * width, 1, -0.06, 0.06);
    v = random_numbers(n * width, 2);
    m = random_numbers(n, 3, 0.5, 2);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t axis = 0; axis < width; ++axis)
        x[i * width + axis] = (1 + 0.3 * double(axis)) * x[i * width + axis] + (i % 3 == 0   ? 0.0
                                                                                : i % 3 == 1 ? 0.3
                                                                                             : 0.6);
    std::vector<std::uint32_t> order;
    for (std::size_t group = 0; group < 3; ++group)
      for (std::size_t i = 0; i < n - 6; ++i)
        if (i % 3 == group) order.push_back(static_cast<std::uint32_t>(i));
    for (std::size_t i = n - 6; i < n; ++i) order.push_back(static_cast<std::uint32_t>(i));
    members = {order, {0, 28, 56, 84}};
  }
  PointsView view(const Numbers& rows) const { return kith::view(rows.data(), n, d); }
  HaloOptions options(const Numbers& velocity, const Numbers& mass) const {
    return {.box = box, .mass = values(mass), .velocity = view(velocity)};
  }

  /// The fields times their cotangents, from the catalogue.
  double value(const Numbers& position, const Numbers& velocity, const Numbers& mass,
               const GroupValues& c) const {
    const Catalogue found = catalogue(
        view(position), members, {.box = box, .mass = values(mass), .velocity = view(velocity)});
    const Numbers tensor = shape_tensors(view(position), members, options(velocity, mass));
    // A center may change sides of the box: its displacement from that of x is continuous.
    const Catalogue here = catalogue(view(x), members, {.box = box, .mass = values(m)});
    double sum = dot(found.mass, c.mass) + dot(found.velocity, c.velocity) +
                 dot(found.inertia_radius, c.inertia_radius) +
                 dot(found.velocity_dispersion, c.velocity_dispersion) +
                 dot(tensor, c.shape_tensor) + dot(found.shape, c.shape);
    for (std::size_t i = 0; i < c.center.size(); ++i) {
      const double moved = found.center[i] - here.center[i];
      sum += c.center[i] * (moved - std::round(moved));
    }
    return sum;
  }
};

GroupValues some_cotangents(const Halos& halos) {
  const auto d = static_cast<std::size_t>(halos.d);
  GroupValues c;
  c.mass = random_numbers(3, 11);
  c.center = random_numbers(3 * d, 12);
  c.velocity = random_numbers(3 * d, 13);
  c.inertia_radius = random_numbers(3, 14);
  c.velocity_dispersion = random_numbers(3, 15);
  c.shape_tensor = random_numbers(3 * d * d, 16, -9, 9);
  c.shape = random_numbers(3 * d, 17, -9, 9);
  return c;
}

TEST(Halos, FieldsAgainstFiniteDifferences) {
  for (int d = 1; d <= 4; ++d) {
    const Halos halos(d);
    const GroupValues c = some_cotangents(halos);
    Numbers by_place(halos.x.size()), by_velocity(halos.x.size()), by_mass(halos.n);
    halos_vjp(halos.view(halos.x), halos.members, halos.options(halos.v, halos.m), c,
              {by_place.data(), by_velocity.data(), by_mass.data()});
    test::expect_gradient([&](const Numbers& x) { return halos.value(x, halos.v, halos.m, c); },
                          halos.x, by_place, 1e-5);
    test::expect_gradient([&](const Numbers& v) { return halos.value(halos.x, v, halos.m, c); },
                          halos.v, by_velocity);
    test::expect_gradient([&](const Numbers& m) { return halos.value(halos.x, halos.v, m, c); },
                          halos.m, by_mass);
    for (std::size_t i = halos.n - 6; i < halos.n; ++i) EXPECT_EQ(by_mass[i], 0);  // strays
  }
}

TEST(Halos, ProductsOfBothSidesAgree) {
  for (int d = 1; d <= 4; ++d) {
    const Halos halos(d);
    GroupValues c = some_cotangents(halos);
    c.decorated_mass = random_numbers(3, 18);
    HaloOptions options = halos.options(halos.v, halos.m);
    options.alpha = 2.5;
    Numbers by_place(halos.x.size()), by_velocity(halos.x.size()), by_mass(halos.n);
    halos_vjp(halos.view(halos.x), halos.members, options, c,
              {by_place.data(), by_velocity.data(), by_mass.data()});
    const Numbers dx = random_numbers(halos.x.size(), 21), dv = random_numbers(halos.x.size(), 22),
                  dm = random_numbers(halos.n, 23);
    const GroupValues moved =
        halos_jvp(halos.view(halos.x), halos.members, options, {dx.data(), dv.data(), dm.data()});
    const double expected = dot(dx, by_place) + dot(dv, by_velocity) + dot(dm, by_mass);
    const double found = dot(moved.mass, c.mass) + dot(moved.center, c.center) +
                         dot(moved.velocity, c.velocity) +
                         dot(moved.inertia_radius, c.inertia_radius) +
                         dot(moved.velocity_dispersion, c.velocity_dispersion) +
                         dot(moved.shape_tensor, c.shape_tensor) + dot(moved.shape, c.shape) +
                         dot(moved.decorated_mass, c.decorated_mass);
    EXPECT_NEAR(found, expected, 1e-12 * std::abs(expected) + 1e-12);
  }
}

TEST(Halos, DecoratedMassIsThePapersSurrogate) {
  const Halos halos(3);
  const Numbers ones(halos.n, 1);
  GroupValues c;
  c.decorated_mass = {0, 1, 0};
  Numbers gradient(halos.x.size());
  halos_vjp(halos.view(halos.x), halos.members, {.box = halos.box, .alpha = 0.3}, c,
            {gradient.data()});
  const Catalogue found = catalogue(halos.view(halos.x), halos.members, {.box = halos.box});
  const double sigma = found.inertia_radius[1];
  for (const std::uint32_t i : halos.members.of(1))
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(gradient[i * 3 + axis],
                  -0.3 * (halos.x[i * 3 + axis] - found.center[3 + axis]) / (28 * sigma * sigma),
                  1e-13);
  for (const std::uint32_t i : halos.members.of(0)) EXPECT_EQ(gradient[i * 3], 0);
}

TEST(Halos, PointsInOnePlaceAndGroupsWithoutMass) {
  const Numbers x(12, 0.25), nothing(4, 0), velocity(12, 1);
  const Members members{{0, 1, 2, 3}, {0, 4}};
  GroupValues c;
  c.center = {1, 2, 3};
  c.inertia_radius = {5};
  c.decorated_mass = {1};
  c.velocity_dispersion = {1};
  c.mass = {7};
  c.shape = {1, 1, 1};
  Numbers by_place(12), by_velocity(12), by_mass(4);
  for (const ValuesView& mass : {same_value(1), values(nothing)}) {
    halos_vjp(view(x.data(), 4, 3), members,
              {.mass = mass, .velocity = view(velocity.data(), 4, 3), .alpha = 1}, c,
              {by_place.data(), by_velocity.data(), by_mass.data()});
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(by_place[i], double(i % 3 + 1) / 4);
    for (const double g : by_velocity) EXPECT_EQ(g, 0);
    for (const double g : by_mass) EXPECT_EQ(g, 8);
  }
}

/// Centers and radii alone are differentiated from one reading of the members; cotangents of 0 for
/// the shape make it the long way.
TEST(Halos, CentersAndRadiiAloneAreAsAmongAllFields) {
  for (const int d : {1, 2, 3, 4, 7}) {
    Halos halos(d);
    std::fill_n(halos.m.begin(), 6, 0.0);
    const GroupValues all = some_cotangents(halos);
    GroupValues few{.mass = all.mass, .center = all.center, .inertia_radius = all.inertia_radius};
    few.decorated_mass = random_numbers(3, 18);
    GroupValues more = few;
    more.shape.assign(all.shape.size(), 0.0);
    const std::vector<float> in_float(halos.x.begin(), halos.x.end());
    HaloOptions options = halos.options(halos.v, halos.m);
    options.alpha = 0.7;
    for (const PointsView& points : std::initializer_list<PointsView>{
             halos.view(halos.x), view(in_float.data(), halos.n, d)}) {
      Numbers found[2][2];
      for (const bool is_long : {false, true}) {
        found[is_long][0].resize(halos.x.size());
        found[is_long][1].resize(halos.n);
        halos_vjp(points, halos.members, options, is_long ? more : few,
                  {found[is_long][0].data(), nullptr, found[is_long][1].data()});
      }
      for (const int part : {0, 1})
        for (std::size_t i = 0; i < found[0][part].size(); ++i)
          ASSERT_NEAR(found[0][part][i], found[1][part][i],
                      1e-11 * (1 + std::abs(found[1][part][i])));
    }
  }
}

/// All mass in one place that is not the first member's: the radius is 0, and so is its derivative.
TEST(Halos, MassInOnePlace) {
  const Numbers x{0.1, 0.7, 0.7, 0.3}, m{0, 1.3, 2.1, 0};
  Numbers by_place(4), by_mass(4);
  halos_vjp(view(x.data(), 4, 1), {{0, 1, 2, 3}, {0, 4}}, {.mass = values(m), .alpha = 1},
            {.inertia_radius = {1}, .decorated_mass = {1}},
            {by_place.data(), nullptr, by_mass.data()});
  EXPECT_EQ(by_place, Numbers(4, 0.0));
  EXPECT_EQ(by_mass, Numbers(4, 1.0));
}

TEST(Halos, SameBitsForAnyNumberOfThreads) {
  const std::size_t n = 150000;  // one group so large that threads share it
  const Numbers x = random_numbers(3 * n, 1, 0, 0.2), m = random_numbers(n, 2, 0, 1);
  Members members;
  for (std::size_t i = 0; i < n; ++i) members.order.push_back(static_cast<std::uint32_t>(i));
  members.offset = {0, 100000, 149000, 149980, n};
  GroupValues c;
  c.center = random_numbers(12, 3);
  c.inertia_radius = random_numbers(4, 4);
  const GroupValues few = c;
  c.shape = random_numbers(12, 5);
  std::vector<Numbers> found;
  for (const int threads : {1, 2, 5}) {
    found.emplace_back(7 * n);
    halos_vjp(view(x.data(), n, 3), members, {.mass = values(m)}, few,
              {found.back().data() + 4 * n}, {.threads = threads});
    halos_vjp(view(x.data(), n, 3), members, {.mass = values(m)}, c,
              {found.back().data(), nullptr, found.back().data() + 3 * n}, {.threads = threads});
    const GroupValues moved = halos_jvp(view(x.data(), n, 3), members, {.mass = values(m)},
                                        {x.data()}, {.threads = threads});
    found.back().insert(found.back().end(), moved.shape.begin(), moved.shape.end());
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST(Halos, MeansOfAnyValues) {
  const Halos halos(2);
  const Numbers values_of = random_numbers(halos.n * 5, 4), c = random_numbers(15, 5);
  const auto mean = [&](const Numbers& a) {
    return group_means(halos.members, a, 5, values(halos.m));
  };
  const Numbers gradient = group_means_vjp(halos.members, c, 5, values(halos.m));
  test::expect_gradient([&](const Numbers& a) { return dot(mean(a), c); }, values_of, gradient);
  const Catalogue found = catalogue(halos.view(halos.x), halos.members,
                                    {.mass = values(halos.m), .velocity = halos.view(halos.v)});
  const Numbers velocity = group_means(halos.members, halos.v, 2, values(halos.m));
  for (std::size_t i = 0; i < velocity.size(); ++i)
    EXPECT_NEAR(velocity[i], found.velocity[i], 1e-14);
}

TEST(SoftMassFunction, TendsToTheHistogramAndHasItsDerivative) {
  const Numbers mass{1.5, 2.5, 3, 70, 0, -1, NAN}, edge{1, 2, 4, 100};
  const Numbers sharp = soft_mass_function(mass, {edge, 1e-3});
  EXPECT_NEAR(sharp[0], 1, 1e-9);
  EXPECT_NEAR(sharp[1], 2, 1e-9);
  EXPECT_NEAR(sharp[2], 1, 1e-9);
  const Numbers some = random_numbers(20, 1, 0.5, 120), c = random_numbers(3, 2);
  const SoftMassFunctionOptions options{edge, 0.3};
  const Numbers gradient = soft_mass_function_vjp(some, options, c);
  test::expect_gradient([&](const Numbers& m) { return dot(soft_mass_function(m, options), c); },
                        some, gradient);
  const Numbers tangent = random_numbers(20, 3);
  EXPECT_NEAR(dot(soft_mass_function_jvp(some, options, tangent), c), dot(gradient, tangent),
              1e-12);
  EXPECT_EQ(soft_mass_function_vjp(mass, options, c)[4], 0);
  const Numbers bad{2, 1};
  test::expect_error(ErrorCode::invalid_argument, "edge 1 is 1; edges are positive and rise", [&] {
    soft_mass_function(mass, {bad, 0.1});
  });
}

}  // namespace
}  // namespace kith
