// z-order trees hold their points exactly as std::stable_sort with the comparator would.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include <kith/tree.hpp>

#include "geometry/z_order.hpp"
#include "support/point_sets.hpp"

namespace kith {
namespace {

using test::PointSet;

template <class T>
std::vector<std::int64_t> stably_sorted(const PointSet<T>& set, const AnyTree& tree) {
  // The tree's scale: the power of two by which data of extreme size are stored.
  std::vector<T> x(set.x);
  for (T& value : x) value = std::ldexp(value, tree.scale_exponent()) + T(0);
  const Axes<kAnyDimension> axes(set.dimension);
  const std::size_t d = static_cast<std::size_t>(set.dimension);
  std::vector<std::int64_t> order(set.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
    return z_less(x.data() + static_cast<std::size_t>(i) * d,
                  x.data() + static_cast<std::size_t>(j) * d, axes);
  });
  return order;
}

template <class T>
void check_sets(int dimension, std::size_t n) {
  for (const PointSet<T>& set :
       test::random_sets<T>(dimension, n, n + static_cast<std::size_t>(dimension))) {
    SCOPED_TRACE(set.name + " " + std::to_string(dimension) + "-D n " + std::to_string(n));
    for (const int threads : {1, 3}) {
      const Tree tree(set.view(), {.curve = Curve::z}, {.threads = threads});
      ASSERT_EQ(tree.order(), stably_sorted(set, tree));
    }
  }
}

TEST(Order, ZEqualsStableSortWithTheComparator) {
  for (const int dimension : {1, 2, 3, 4, 7, 32})
    for (const std::size_t n : {3, 100, 3000}) {
      check_sets<float>(dimension, n);
      check_sets<double>(dimension, n);
    }
}

TEST(Order, ZEqualsStableSortBeyondTheCache) {
  for (const int dimension : {1, 2, 3, 5}) check_sets<float>(dimension, 150000);
  check_sets<double>(3, 150000);
}

/// Sum over neighbors on the curve of their distance: a curve that jumps is long.
double path_length(const AnyTree& tree) {
  const std::vector<double> x = tree.coordinates();
  const std::size_t d = static_cast<std::size_t>(tree.dimension());
  double sum = 0;
  for (std::size_t i = d; i < x.size(); i += d) {
    double d2 = 0;
    for (std::size_t axis = 0; axis < d; ++axis)
      d2 += (x[i + axis] - x[i + axis - d]) * (x[i + axis] - x[i + axis - d]);
    sum += std::sqrt(d2);
  }
  return sum;
}

TEST(Order, HilbertPathIsShorterThanThatOfZ) {
  for (const int dimension : {2, 3, 4, 6}) {
    const auto set = test::random_sets<float>(dimension, 20000, 1).front();
    const double hilbert = path_length(Tree(set.view(), {.curve = Curve::hilbert}));
    const double z = path_length(Tree(set.view(), {.curve = Curve::z}));
    EXPECT_LT(hilbert, 0.95 * z) << dimension;
  }
}

TEST(Order, HilbertGoesAlongALineOnce) {
  const auto set = test::random_sets<float>(1, 20000, 1).front();
  const auto [lowest, highest] = std::minmax_element(set.x.begin(), set.x.end());
  EXPECT_LT(path_length(Tree(set.view(), {.curve = Curve::hilbert})), 1.01 * (*highest - *lowest));
}

TEST(Order, DoesNotDependOnThreads) {
  for (const int dimension : {2, 3, 4})
    for (const auto& set : test::random_sets<float>(dimension, 20000, 9))
      for (const Curve curve : {Curve::hilbert, Curve::z}) {
        const auto order = Tree(set.view(), {.curve = curve}, {.threads = 1}).order();
        for (const int threads : {2, 5, 16})
          ASSERT_EQ(Tree(set.view(), {.curve = curve}, {.threads = threads}).order(), order)
              << set.name << " " << dimension << " " << threads;
      }
}

}  // namespace
}  // namespace kith
