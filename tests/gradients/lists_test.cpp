// Products over lists of neighbors against finite differences, and where no derivative exists.
#include <algorithm>

#include "gradients/support.hpp"
#include "support/expect_error.hpp"

namespace kith {
namespace {

using test::dot;
using test::Numbers;
using test::random_numbers;

/// A box that is periodic on every second axis, with points on both sides of its edges.
struct Scene {
  int d;
  std::size_t n;
  Box box;
  Numbers x;

  explicit Scene(int dimension, std::size_t points = 60)
      : d(dimension), n(points), x(random_numbers(points * std::size_t(dimension), 7, -0.2, 1.2)) {
    Numbers side;
    for (int axis = 0; axis < d; ++axis) side.push_back(axis % 2 == 0 ? 1.0 : 0.0);
    box = Box::periodic(side);
  }
  PointsView view(const Numbers& at) const { return kith::view(at.data(), n, d); }
  Neighbors<double> neighbors(std::size_t k) const {
    return knn<double>(AnyTree(view(x), {.box = box}), {.k = k});
  }
};

PairsOf pairs_of(const Scene& scene, const Numbers& x, const ListsView& lists) {
  return {.points = scene.view(x), .box = scene.box, .lists = lists};
}

TEST(Lists, DistancesHaveTheBitsOfKnn) {
  for (int d = 1; d <= 4; ++d)
    for (const double scale : {1.0, 1e-300, 1e300}) {
      Scene scene(d, 300);
      for (double& x : scene.x) x *= scale;
      if (scale != 1) scene.box = Box::open();
      const auto near = scene.neighbors(9);
      Numbers found(300 * 9);
      distances(pairs_of(scene, scene.x, lists_view(near.indices(), 300, 9)), found.data());
      EXPECT_TRUE(std::equal(found.begin(), found.end(), near.distances())) << d << " " << scale;
    }
}

TEST(Lists, DistancesAgainstFiniteDifferences) {
  for (int d = 1; d <= 4; ++d) {
    const Scene scene(d);
    const auto near = scene.neighbors(5);
    const ListsView lists = lists_view(near.indices(), scene.n, 5);
    const Numbers cotangent = random_numbers(scene.n * 5, 2);
    Numbers gradient(scene.x.size());
    distances_vjp<double>(pairs_of(scene, scene.x, lists), cotangent.data(), {gradient.data()});
    test::expect_gradient(
        [&](const Numbers& x) {
          Numbers r(scene.n * 5);
          distances(pairs_of(scene, x, lists), r.data());
          return dot(r, cotangent);
        },
        scene.x, gradient, 1e-6);
    const Numbers tangent = random_numbers(scene.x.size(), 3);
    Numbers moved(scene.n * 5);
    distances_jvp<double>(pairs_of(scene, scene.x, lists), {tangent.data()}, moved.data());
    EXPECT_NEAR(dot(moved, cotangent), dot(tangent, gradient), 1e-12);
  }
}

TEST(Lists, SeparateQueries) {
  const Scene scene(3), asked(3, 11);
  const Numbers queries(asked.x.begin(), asked.x.end());
  const AnyTree tree(scene.view(scene.x), {.box = scene.box});
  const auto near = knn<double>(tree, asked.view(queries), {.k = 4});
  const auto pairs = [&](const Numbers& x, const Numbers& q) {
    return PairsOf{scene.view(x), asked.view(q), scene.box, lists_view(near.indices(), 11, 4)};
  };
  const Numbers cotangent = random_numbers(44, 5);
  Numbers by_points(scene.x.size()), by_queries(queries.size());
  distances_vjp<double>(pairs(scene.x, queries), cotangent.data(),
                        {by_points.data(), by_queries.data()});
  const auto value = [&](const Numbers& x, const Numbers& q) {
    Numbers r(44);
    distances(pairs(x, q), r.data());
    return dot(r, cotangent);
  };
  test::expect_gradient([&](const Numbers& x) { return value(x, queries); }, scene.x, by_points,
                        1e-6);
  test::expect_gradient([&](const Numbers& q) { return value(scene.x, q); }, queries, by_queries,
                        1e-6);
  const Numbers tangent = random_numbers(queries.size(), 6);
  Numbers moved(44);
  distances_jvp<double>(pairs(scene.x, queries), {nullptr, tangent.data()}, moved.data());
  EXPECT_NEAR(dot(moved, cotangent), dot(tangent, by_queries), 1e-12);
}

TEST(Lists, DisplacementsAcrossTheEdges) {
  const Numbers x{0.1, 0.9, 0.6};
  const std::int32_t index[] = {1, 2, 0, -1, 1, 0};  // 0.1 and 0.6 are half a side apart
  const PairsOf pairs{view(x.data(), 3, 1), {}, Box::periodic(1), lists_view(index, 3, 2)};
  Numbers found(6);
  displacements(pairs, found.data());
  EXPECT_NEAR(found[0], -0.2, 1e-15);
  EXPECT_EQ(found[1], 0.6 - 0.1);
  EXPECT_NEAR(found[2], 0.2, 1e-15);
  EXPECT_TRUE(std::isnan(found[3]));
  EXPECT_EQ(found[5], 0.1 - 0.6);
  const Numbers cotangent{1, 10, 100, NAN, 1000, 10000};
  Numbers gradient(3), moved(6);
  displacements_vjp<double>(pairs, cotangent.data(), {gradient.data()});
  EXPECT_EQ(gradient, (Numbers{100 + 10000 - 11, 1 + 1000 - 100, 10 - 11000}));
  const Numbers tangent{1, 2, 4};
  displacements_jvp<double>(pairs, {tangent.data()}, moved.data());
  EXPECT_EQ(moved, (Numbers{1, 3, -1, 0, -2, -3}));
}

TEST(Lists, SumsOverAPairFunction) {
  for (int d = 1; d <= 4; ++d) {
    const Scene scene(d);
    const auto near = radius<double>(AnyTree(scene.view(scene.x), {.box = scene.box}),
                                     {.radius = 0.3, .exclude_self = true});
    const ListsView lists = lists_view(near.indices(), near.offsets());
    const auto value = [&](const Numbers& x, const Numbers& cotangent) {
      Numbers r(near.total());
      distances(pairs_of(scene, x, lists), r.data());
      double sum = 0;
      for (std::size_t i = 0; i < scene.n; ++i)
        for (std::size_t pair = lists.begin(i); pair < lists.begin(i + 1); ++pair)
          sum += cotangent[i] * std::exp(-3 * r[pair] * r[pair]);
      return sum;
    };
    Numbers slope(near.total());
    for (std::size_t pair = 0; pair < slope.size(); ++pair)
      slope[pair] = -6 * near.distances()[pair] *
                    std::exp(-3 * near.distances()[pair] * near.distances()[pair]);
    const Numbers cotangent = random_numbers(scene.n, 2);
    Numbers gradient(scene.x.size()), moved(scene.n);
    pair_sums_vjp<double>(pairs_of(scene, scene.x, lists), slope.data(), cotangent.data(),
                          {gradient.data()});
    test::expect_gradient([&](const Numbers& x) { return value(x, cotangent); }, scene.x, gradient,
                          1e-5);
    const Numbers tangent = random_numbers(scene.x.size(), 3);
    pair_sums_jvp<double>(pairs_of(scene, scene.x, lists), slope.data(), {tangent.data()},
                          moved.data());
    EXPECT_NEAR(dot(moved, cotangent), dot(tangent, gradient), 1e-11);
  }
}

TEST(Lists, DensityThroughDistancesAndThroughH) {
  for (int d = 1; d <= 3; ++d)
    for (const SphKernel kernel : {SphKernel::cubic_spline, SphKernel::wendland_c2}) {
      const Scene scene(d);
      const auto near = scene.neighbors(8);
      const ListsView lists = lists_view(near.indices(), scene.n, 8);
      const Numbers mass = random_numbers(scene.n, 4, 0.5, 2),
                    cotangent = random_numbers(scene.n, 5);
      const auto density = [&](const Numbers& x, const Numbers& m) {
        return list_density(pairs_of(scene, x, lists), {kernel, values(m)});
      };
      EXPECT_EQ(density(scene.x, mass),
                sph_density(AnyTree(scene.view(scene.x), {.box = scene.box}),
                            {.k = 8, .kernel = kernel, .mass = mass}));
      Numbers by_place(scene.x.size()), by_mass(scene.n);
      list_density_vjp<double>(pairs_of(scene, scene.x, lists), {kernel, values(mass)},
                               cotangent.data(), {by_place.data(), by_mass.data()});
      test::expect_gradient([&](const Numbers& x) { return dot(density(x, mass), cotangent); },
                            scene.x, by_place, 1e-7, 2e-6);
      test::expect_gradient([&](const Numbers& m) { return dot(density(scene.x, m), cotangent); },
                            mass, by_mass);
      const Numbers dx = random_numbers(scene.x.size(), 6), dm = random_numbers(scene.n, 7);
      const Numbers moved = list_density_jvp(pairs_of(scene, scene.x, lists),
                                             {kernel, values(mass)}, dx.data(), dm.data());
      const double expected = dot(dx, by_place) + dot(dm, by_mass);
      EXPECT_NEAR(dot(moved, cotangent), expected, 1e-11 * std::max(1.0, std::abs(expected)));
    }
}

TEST(Lists, CoincidentPointsTiesAndMissingNeighbors) {
  // Points 0 and 1 coincide; 2 and 3 are equally far from them; k is larger than the set.
  const Numbers x{0, 0, 0, 0, 1, 0, -1, 0};
  const PointsView points = view(x.data(), 4, 2);
  const auto near = knn<double>(AnyTree(points), {.k = 6});
  EXPECT_EQ(near.index(0)[2], 2);  // the tie goes to the lower index
  EXPECT_EQ(near.index(0)[4], -1);
  const PairsOf pairs{points, {}, {}, lists_view(near.indices(), 4, 6)};
  const Numbers cotangent(24, 1);
  Numbers gradient(8);
  distances_vjp<double>(pairs, cotangent.data(), {gradient.data()});
  for (const double g : gradient) EXPECT_TRUE(std::isfinite(g));
  EXPECT_EQ(gradient[0], 0);  // pulled to both sides alike
  EXPECT_EQ(gradient[4], 2 * (1 + 1 + 1));
  // Twice the same place as the whole list: no distance, no density, no derivative.
  const auto twins = knn<double>(AnyTree(points), {.k = 2});
  const PairsOf close{points, {}, {}, lists_view(twins.indices(), 4, 2)};
  const Numbers one(4, 1);
  list_density_vjp<double>(close, {}, one.data(), {gradient.data()});
  EXPECT_EQ(gradient[0], -gradient[4] - gradient[6] - gradient[2]);
  for (const double g : gradient) EXPECT_TRUE(std::isfinite(g));
}

TEST(Lists, DroppedPointsHaveNoGradient) {
  Numbers x = random_numbers(40, 9);
  x[6] = NAN;
  const PointsView points = view(x.data(), 20, 2);
  const auto near = knn<double>(AnyTree(points, {.non_finite = NonFinite::drop}), {.k = 3});
  const Numbers cotangent(60, 1);
  Numbers gradient(40);
  distances_vjp<double>({points, {}, {}, lists_view(near.indices(), 20, 3)}, cotangent.data(),
                        {gradient.data()});
  for (std::size_t i = 0; i < 40; ++i) EXPECT_TRUE(std::isfinite(gradient[i])) << i;
  EXPECT_EQ(gradient[6], 0);
}

TEST(Lists, SameBitsForAnyNumberOfThreads) {
  const std::size_t n = 40000;
  const Numbers wide = random_numbers(3 * n, 1, 0, 1);
  const std::vector<float> x(wide.begin(), wide.end());
  const View<float> points = view(x.data(), n, 3);
  const auto near = knn(Tree(points, {.box = Box::periodic(1)}), {.k = 12});
  const PairsOf pairs{points, {}, Box::periodic(1), lists_view(near.indices(), n, 12)};
  const Numbers cotangent = random_numbers(n, 2);
  const std::vector<float> weight(12 * n, 0.7f);
  std::vector<std::vector<float>> found;
  for (const int threads : {1, 2, 5}) {
    found.emplace_back(3 * n);
    distances_vjp<float>(pairs, weight.data(), {found.back().data()}, {.threads = threads});
    std::vector<float> density(3 * n);
    list_density_vjp<float>(pairs, {}, cotangent.data(), {density.data()}, {.threads = threads});
    found.back().insert(found.back().end(), density.begin(), density.end());
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST(Lists, Errors) {
  const Numbers x(6, 0.5);
  const std::int64_t index[] = {0, 1, 3};
  Numbers out(6);
  test::expect_error(ErrorCode::invalid_argument, "index 3 in a list, but there are 3 points", [&] {
    distances_vjp<double>({view(x.data(), 3, 2), {}, {}, lists_view(index, 3, 1)}, x.data(),
                          {out.data()});
  });
  test::expect_error(ErrorCode::invalid_argument, "2 lists for 3 queries", [&] {
    distances<double>({view(x.data(), 3, 2), {}, {}, lists_view(index, 2, 1)}, out.data());
  });
  test::expect_error(ErrorCode::invalid_argument, "of the type of the result", [&] {
    std::vector<float> narrow(6);
    distances<float>({view(x.data(), 3, 2), {}, {}, lists_view(index, 3, 1)}, narrow.data());
  });
}

}  // namespace
}  // namespace kith
