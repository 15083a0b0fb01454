// Points whose distances span many orders of magnitude, fractals, curves and surfaces: neighbors
// equal their definition there too, whichever way the search takes.
#include "support/shapes.hpp"

#include <gtest/gtest.h>
#include <limits>

#include <kith/kith.hpp>

#include "neighbors/knn_cases.hpp"
#include "support/sanitizers.hpp"

namespace kith {
namespace {

using test::are_equal;
using test::rows_of;

template <class T>
struct Shape {
  std::string name;
  std::vector<T> x;

  Shape(const std::string& of, std::size_t n) : name(of) {
    const auto made = test::Shapes(n).make(of);
    x.assign(made.begin(), made.end());
  }
  std::size_t size() const { return x.size() / 3; }
  View<T> view() const { return kith::view(x.data(), size(), 3); }
  /// Every seventh point, a little aside.
  std::vector<T> aside() const {
    std::vector<T> rows;
    for (std::size_t i = 0; i + 2 < x.size(); i += 21)
      for (std::size_t axis = 0; axis < 3; ++axis) rows.push_back(x[i + axis] * T(1.0625));
    return rows;
  }
};

template <class T>
void check(const std::string& name, const TreeOptions& options) {
  const Shape<T> shape(name, 300);
  const auto others = shape.aside();
  const auto queries = kith::view(others.data(), others.size() / 3, 3);
  const Tree tree(shape.view(), options);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const KnnOptions& asked :
       {KnnOptions{.k = 1}, KnnOptions{.k = 1, .exclude_self = true}, KnnOptions{.k = 16},
        KnnOptions{.k = 64}, KnnOptions{.k = 500}, KnnOptions{.k = 9, .max_radius = 1e-7},
        KnnOptions{.k = 12, .p = 1}, KnnOptions{.k = 12, .p = kInfinity}}) {
    SCOPED_TRACE(name + ", k = " + std::to_string(asked.k) + ", p = " + std::to_string(asked.p));
    ASSERT_TRUE(
        are_equal(rows_of(knn<T>(tree, asked)), brute_knn<T>(shape.view(), options, asked)));
    if (asked.exclude_self) continue;
    ASSERT_TRUE(are_equal(rows_of(knn<T>(tree, queries, asked)),
                          brute_knn<T>(shape.view(), options, queries, asked)));
  }
  for (const double radius : {0.0, 1e-21, 1e-6, 0.03}) {
    SCOPED_TRACE(name + ", radius = " + std::to_string(radius));
    const RadiusOptions asked{.radius = radius};
    ASSERT_TRUE(are_equal(rows_of(kith::radius<T>(tree, asked)),
                          brute_radius<T>(shape.view(), options, asked)));
  }
}

TEST(Shapes, NeighborsEqualTheirDefinition) {
  for (const std::string& name : test::Shapes::names()) {
    check<float>(name, {});
    check<double>(name, {});
    if (HasFatalFailure()) return;
  }
}

/// So many points that lists of blocks become too long; some rows are checked.
template <class T>
void check_many(const std::string& name, std::size_t k) {
  const Shape<T> shape(name, test::kIsSanitized ? 3000 : 9000);
  std::vector<T> asked;
  std::vector<BruteRow<T>> rows;
  const auto near = knn<T>(Tree(shape.view()), {.k = k});
  for (std::size_t i = 0; i < shape.size(); i += 400) {
    for (std::size_t axis = 0; axis < 3; ++axis) asked.push_back(shape.x[3 * i + axis]);
    rows.push_back({{near.index(i).begin(), near.index(i).end()},
                    {near.distance(i).begin(), near.distance(i).end()}});
  }
  SCOPED_TRACE(name + ", k = " + std::to_string(k));
  ASSERT_TRUE(are_equal(
      rows,
      brute_knn<T>(shape.view(), {}, kith::view(asked.data(), asked.size() / 3, 3), {.k = k})));
}

TEST(Shapes, AlsoWithManyPoints) {
  for (const std::string& name : test::Shapes::names())
    for (const std::size_t k : {1, 16, 64}) {
      check_many<float>(name, k);
      check_many<double>(name, k);
      if (HasFatalFailure()) return;
    }
}

/// Nearest neighbors and numbers of points have special code for a tree's own points; other
/// searches for the same use the general code.
template <class T>
void check_own_ways(const std::string& name, const Box& box) {
  const Shape<T> shape(name, test::kIsSanitized ? 3000 : 9000);
  const Tree tree(shape.view(), {.box = box});
  SCOPED_TRACE(name);
  const auto first = knn<T>(tree, {.k = 1}), other = knn<T>(tree, {.k = 1, .exclude_self = true});
  const auto both = knn<T>(tree, {.k = 2});
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t at = both.index(i)[0] == static_cast<std::int64_t>(i) ? 1 : 0;
    ASSERT_EQ(first.index(i)[0], both.index(i)[0]) << i;
    ASSERT_EQ(first.distance(i)[0], both.distance(i)[0]) << i;
    ASSERT_EQ(other.index(i)[0], both.index(i)[at]) << i;
    ASSERT_EQ(other.distance(i)[0], both.distance(i)[at]) << i;
  }
  for (const double radius : {0.0, 1e-24, 1e-6, 0.1}) {
    auto expected = radius_count(tree, shape.view(), {.radius = radius});
    ASSERT_EQ(radius_count(tree, {.radius = radius}), expected) << radius;
    for (auto& count : expected) --count;
    ASSERT_EQ(radius_count(tree, {.radius = radius, .exclude_self = true}), expected) << radius;
  }
}

TEST(Shapes, OwnPointsHaveOwnWays) {
  for (const char* name : {"uniform", "scales-6", "scales-30", "axes", "exponential", "sheets"}) {
    check_own_ways<float>(name, Box::open());
    check_own_ways<double>(name, Box::open());
    if (HasFatalFailure()) return;
  }
  check_own_ways<float>("cluster", Box::periodic(1.0));
  check_own_ways<double>("uniform", Box::periodic(1.0));
}

TEST(Shapes, AlsoInAPeriodicBox) {
  for (const char* name : {"scales-15", "tiny-cube", "cantor", "cluster"}) {
    check<float>(name, {.box = Box::periodic(1.0)});
    check<double>(name, {.box = Box::periodic(1.0)});
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace kith
