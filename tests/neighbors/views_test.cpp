// Users' own data in place, results in loops, and calls that deduce their types.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <span>
#include <type_traits>
#include <vector>

#include <kith/kith.hpp>

#include "support/expect_error.hpp"
#include "support/point_sets.hpp"

namespace kith {
namespace {

template <class T>
struct Particle {
  double mass = 1;
  std::array<T, 3> position;
  std::uint8_t type = 0;
  T velocity[3];
};

template <class T>
using Rows = std::vector<std::array<T, 3>>;

template <class T>
Rows<T> some_rows(std::size_t n) {
  const auto set = test::random_sets<T>(3, n, 11)[0];
  Rows<T> rows(set.size());
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(set.row(i), 3, rows[i].begin());
  return rows;
}

template <class T>
std::vector<Particle<T>> in_structs(const Rows<T>& rows) {
  std::vector<Particle<T>> particles(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    particles[i].position = rows[i];
    std::copy_n(rows[i].begin(), 3, particles[i].velocity);
  }
  return particles;
}

template <class T>
void expect_equal(const Neighbors<T>& a, const Neighbors<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_TRUE(std::equal(a.indices(), a.indices() + a.size() * a.k(), b.indices()));
  EXPECT_TRUE(std::equal(a.distances(), a.distances() + a.size() * a.k(), b.distances()));
}

template <class T>
class Views : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Views, Types);

TYPED_TEST(Views, OfStructsEqualPackedRows) {
  using T = TypeParam;
  const Rows<T> rows = some_rows<T>(700);
  const auto particles = in_structs(rows);
  const KnnOptions options{.k = 5};
  const auto expected = knn(Tree(rows), options);
  const View<T> position = view(particles, &Particle<T>::position);
  const View<T> velocity = view(particles, &Particle<T>::velocity);
  const View<T> found = view(
      particles, [](const auto& p) -> const auto& { return p.position; });
  for (const View<T>& points : {position, velocity, found}) {
    EXPECT_EQ(points.size, rows.size());
    expect_equal(knn(points, options), expected);
    expect_equal(knn(Tree(rows), points, options), expected);
    const RadiusOptions ball{.radius = 0.1};
    EXPECT_EQ(radius_count(Tree(points), ball), radius_count(Tree(rows), ball));
    EXPECT_EQ(radius_count(Tree(rows), points, ball), radius_count(Tree(rows), ball));
    const Groups groups = fof(points, {.linking_length = 0.1});
    const auto labels = fof(rows, {.linking_length = 0.1});
    EXPECT_TRUE(std::ranges::equal(groups.label(), labels.label()));
    EXPECT_EQ(catalogue(points, groups).center, catalogue(rows, labels).center);
  }
}

TYPED_TEST(Views, OfEveryKindOfArray) {
  using T = TypeParam;
  Rows<T> rows = some_rows<T>(40);
  std::span<std::array<T, 3>> some(rows);
  std::array<std::array<T, 3>, 40> fixed;
  std::copy_n(rows.begin(), 40, fixed.begin());
  T plain[40][3];
  for (std::size_t i = 0; i < 40; ++i) std::copy_n(rows[i].begin(), 3, plain[i]);
  const auto expected = knn(rows, {.k = 4});
  static_assert(std::is_same_v<decltype(expected), const Neighbors<T, std::int32_t>>);
  expect_equal(knn(some.first(40), {.k = 4}), knn(fixed, {.k = 4}));
  expect_equal(knn(plain, {.k = 4}), knn(fixed, {.k = 4}));
  expect_equal(knn(view(&plain[0][0], 40, 3), {.k = 4}), knn(fixed, {.k = 4}));
  EXPECT_EQ(View<T>(Rows<T>()).size, 0u);
}

/// As std::mdspan has it.
template <class T>
struct FewColumns {
  const T* data;
  std::size_t rows, row_stride, column_stride = 1;

  const T* data_handle() const { return data; }
  std::size_t extent(int r) const { return r == 0 ? rows : 3; }
  std::size_t stride(int r) const { return r == 0 ? row_stride : column_stride; }
};

TYPED_TEST(Views, OfMatrices) {
  using T = TypeParam;
  const Rows<T> rows = some_rows<T>(90);
  std::vector<T> wide(90 * 5, T(7));
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(rows[i].begin(), 3, &wide[5 * i]);
  expect_equal(knn(view(FewColumns<T>{wide.data(), 90, 5}), {.k = 3}), knn(rows, {.k = 3}));
  test::expect_error(ErrorCode::invalid_argument, "90 scalars apart", [&] {
    view(FewColumns<T>{wide.data(), 90, 1, 90});
  });
}

TYPED_TEST(Views, OfATypeKnownAtRunTime) {
  using T = TypeParam;
  using Other = std::conditional_t<std::is_same_v<T, float>, double, float>;
  const Rows<T> rows = some_rows<T>(60);
  const PointsView erased = view(rows);
  const AnyTree any(erased);
  expect_equal(knn<T>(any, erased, {.k = 3}), knn(rows, {.k = 3}));
  const auto size = any.visit([](const auto& tree) { return knn(tree, {.k = 2}).size(); });
  EXPECT_EQ(size, rows.size());
  test::expect_error(ErrorCode::invalid_argument, "are used as",
                     [&] { knn<Other>(any, {.k = 3}); });
  test::expect_error(ErrorCode::invalid_argument, "are used as",
                     [&] { View<Other> wrong(erased); });
}

TEST(Results, AreLoopedOver) {
  const Rows<float> rows = some_rows<float>(200);
  const Tree tree(rows);
  const auto near = knn<std::int64_t>(tree, {.k = 6});
  std::size_t expected = 0;
  for (auto [i, neighbors] : near) {
    ASSERT_EQ(i, expected++);
    std::size_t n = 0;
    for (auto [index, distance] : neighbors) {
      EXPECT_EQ(index, near.index(i)[n]);
      EXPECT_EQ(distance, near.distance(i)[n++]);
    }
    EXPECT_EQ(n, 6u);
  }
  EXPECT_EQ(expected, rows.size());
  const auto lists = radius(tree, {.radius = 0.2});
  std::size_t total = 0;
  for (auto [i, neighbors] : lists) {
    EXPECT_EQ(neighbors.size(), lists.index(i).size());
    for (auto [index, distance] : neighbors) total += distance <= 0.2f && index >= 0;
  }
  EXPECT_EQ(total, lists.total());
  const auto pairs = radius_pairs(tree, {.radius = 0.2});
  std::size_t count = 0;
  for (auto [i, j, distance] : pairs) {
    EXPECT_EQ(j, pairs.j[count]);
    EXPECT_EQ(i, pairs.i[count]);
    EXPECT_EQ(distance, pairs.distance[count++]);
  }
  EXPECT_EQ(count, pairs.size());
  for (auto [i, neighbors] : Neighbors<float>()) FAIL() << i << neighbors.size();
}

TEST(Results, GoToACallOfYours) {
  const Rows<double> rows = some_rows<double>(150);
  const Tree tree(rows);
  const auto near = knn(tree, {.k = 4});
  std::vector<double> farthest(rows.size());
  knn(tree, {.k = 4}, [&](const auto& found) {
    for (auto [index, distance] : found.neighbors()) farthest[found.i] = distance;
  });
  for (auto [i, neighbors] : near) EXPECT_EQ(farthest[i], neighbors[3].distance);
}

}  // namespace
}  // namespace kith
