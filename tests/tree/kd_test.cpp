// The kd order: equal to its definition, the same for any number of threads, and no input makes it
// slow.
#include "tree/kd.hpp"

#include <gtest/gtest.h>
#include <numeric>

#include <kith/error.hpp>
#include <kith/tree.hpp>

#include "support/point_sets.hpp"

namespace kith {
namespace {

using test::PointSet;
constexpr SplitAxis kRules[] = {SplitAxis::widest, SplitAxis::cyclic, SplitAxis::variance};

/// The definition, by sorting: kd.hpp says it in words.
template <class T>
class Definition {
 public:
  Definition(std::vector<T> x, int dimension, SplitAxis rule)
      : x_(std::move(x)), axes_(dimension), rule_(rule) {}

  std::vector<std::int64_t> order() const {
    std::vector<std::int64_t> order(x_.size() / static_cast<std::size_t>(axes_.count()));
    std::iota(order.begin(), order.end(), 0);
    split(order.data(), order.size(), 0);
    return order;
  }

 private:
  const T* row(std::int64_t i) const { return x_.data() + i * axes_.count(); }

  void split(std::int64_t* order, std::size_t n, int depth) const {
    if (n <= 8) return std::sort(order, order + n);
    const int axis = axis_of(order, n, depth);
    std::sort(order, order + n, [&](std::int64_t i, std::int64_t j) {
      return row(i)[axis] != row(j)[axis] ? row(i)[axis] < row(j)[axis] : i < j;
    });
    std::size_t child = 8;
    while (child * 8 < n) child *= 8;
    const std::size_t children = (n + child - 1) / child, lesser = (children + 1) / 2 * child;
    split(order, lesser, depth + 1);
    split(order + lesser, n - lesser, depth + 1);
  }

  int axis_of(const std::int64_t* order, std::size_t n, int depth) const {
    if (rule_ == SplitAxis::cyclic) return depth % axes_.count();
    auto bounds = Bounds<kAnyDimension, T>::empty();
    for (std::size_t i = 0; i < n; ++i) bounds.add(row(order[i]), axes_);
    if (rule_ == SplitAxis::widest) return widest_axis(bounds, axes_);
    VarianceSums<kAnyDimension, T> sums(bounds, axes_);
    for (std::size_t i = 0; i < n; ++i) sums.add(row(order[i]));
    return sums.axis();
  }

  std::vector<T> x_;
  Axes<kAnyDimension> axes_;
  SplitAxis rule_;
};

template <class T>
void check_definition(const PointSet<T>& set, int threads) {
  for (const SplitAxis rule : kRules) {
    const Tree tree(set.view(), {.curve = Curve::kd, .split_axis = rule}, {.threads = threads});
    std::vector<T> x(set.x);  // in the scale in which data of extreme size are stored
    for (T& value : x) value = std::ldexp(value, tree.scale_exponent()) + T(0);
    ASSERT_EQ(tree.order(), Definition<T>(x, set.dimension, rule).order())
        << set.name << ", " << set.dimension << "-D, rule " << static_cast<int>(rule);
  }
}

TEST(Kd, OrderEqualsItsDefinition) {
  for (const int dimension : {1, 2, 3, 4, 7}) {
    for (const auto& set : test::degenerate_sets<float>(dimension)) check_definition(set, 2);
    for (const auto& set : test::degenerate_sets<double>(dimension)) check_definition(set, 1);
  }
}

TEST(Kd, OrderEqualsItsDefinitionBeyondTheCache) {
  for (const auto& set : test::random_sets<float>(2, 40001, 7)) check_definition(set, 2);
  check_definition(test::random_sets<double>(5, 40001, 7)[0], 1);
}

TEST(Kd, SplitsPartThePoints) {
  for (const SplitAxis rule : kRules)
    for (const auto& set : test::random_sets<double>(3, 3001, 8)) {
      const Tree tree(set.view(), {.curve = Curve::kd, .split_axis = rule});
      const std::vector<double> x = tree.coordinates();
      for (int plane = 0; plane < tree.planes(); ++plane)
        for (std::size_t i = 0; i < tree.nodes(plane); ++i) {
          const Node node = tree.node(plane, i);
          const auto splits = tree.splits(plane, i);
          std::size_t count = 0;
          for (const Split& split : splits) count += split.axis >= 0 ? 1 : 0;
          ASSERT_EQ(count, plane == 0 ? 0 : node.last - node.first - 1) << set.name;
          if (plane == 0) continue;
          // The first split of a node: where it is follows from the number of its points.
          const std::size_t boundary = node.begin + kd_lesser_size(node.end - node.begin);
          if (node.last - node.first < 2) continue;
          for (std::size_t point = node.begin; point < node.end; ++point) {
            const double at = x[3 * point + static_cast<std::size_t>(splits[0].axis)];
            ASSERT_TRUE(point < boundary ? at <= splits[0].value : at >= splits[0].value)
                << set.name;
          }
        }
    }
}

TEST(Kd, SplitsAreRefusedWhereThereAreNone) {
  const auto set = test::random_sets<float>(2, 100, 1)[0];
  const auto code = [](const AnyTree& tree, int plane, std::size_t node) {
    try {
      tree.splits(plane, node);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(code(Tree(set.view()), 1, 0), ErrorCode::invalid_argument);
  EXPECT_EQ(code(Tree(set.view(), {.curve = Curve::kd}), 1, 2), ErrorCode::invalid_argument);
  EXPECT_EQ(code(Tree(set.view(), {.curve = Curve::kd}), 9, 0), ErrorCode::invalid_argument);
}

/// Items looked at in the build, per point.
double work(const PointSet<double>& set, SplitAxis rule) {
  Statistics statistics;
  const Tree tree(set.view(), {.curve = Curve::kd, .split_axis = rule},
                  {.threads = 2, .statistics = &statistics});
  return static_cast<double>(statistics.count("split work")) / static_cast<double>(set.size());
}

/// Musser's killer of the median of three.
double median_killer(std::size_t i, std::size_t n) {
  const std::size_t half = n / 2;
  if (i >= half) return 2.0 * static_cast<double>(i - half + 1);
  return static_cast<double>(i % 2 == 0 ? i + 1 : half + i + (half % 2 ? 0 : 1));
}

TEST(Kd, NoInputTakesThreeTimesTheWorkOfUniformPoints) {
  constexpr std::size_t kSize = 120000;
  const auto make = [](const char* name, auto f) {
    return test::make_set<double>(name, 2, kSize, [=](std::size_t i, int) { return f(i); });
  };
  std::vector<PointSet<double>> sets = test::random_sets<double>(2, kSize, 9);
  sets.push_back(make("sorted", [](std::size_t i) { return static_cast<double>(i); }));
  sets.push_back(make("reversed", [](std::size_t i) { return -static_cast<double>(i); }));
  sets.push_back(make("organ pipe",
                      [](std::size_t i) { return static_cast<double>(std::min(i, kSize - i)); }));
  sets.push_back(make("median killer", [](std::size_t i) { return median_killer(i, kSize); }));
  sets.push_back(make("two values", [](std::size_t i) { return static_cast<double>(i % 2); }));
  for (const SplitAxis rule : kRules) {
    const double uniform = work(sets[0], rule);
    for (const auto& set : sets) EXPECT_LT(work(set, rule), 3 * uniform) << set.name;
  }
}

}  // namespace
}  // namespace kith
