// Memberships and DBCV equal their definitions, for any threads and SIMD target.
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include <kith/membership.hpp>
#include <kith/validity.hpp>

#include "clusters/brute.hpp"
#include "support/property.hpp"
#include "support/tree_kinds.hpp"

namespace kith {
namespace {

using test::Draw;

/// Clumps of different widths, on a grid in a third of the cases, and places far from all.
template <class T>
std::vector<T> clumps(Draw& draw, int dimension, std::size_t n) {
  const bool is_grid = draw.below(3) == 0;
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t clump = draw.below(5);
    for (int axis = 0; axis < dimension; ++axis) {
      double place = clump == 4 ? draw.uniform()
                                : 0.1 + 0.25 * static_cast<double>(clump) +
                                      0.02 * static_cast<double>(clump + 1) * draw.normal();
      if (is_grid) place = std::round(24 * place) / 24;
      x.push_back(static_cast<T>(place));
    }
  }
  return x;
}

void expect_same_rows(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], expected[i]) << "number " << i;
}

template <class T>
void check_memberships(Draw& draw) {
  const int dimension = draw.one_of({2, 3, 1, 5});
  const std::size_t n = 12 + draw.size(90), m = draw.below(20);
  std::vector<T> x = clumps<T>(draw, dimension, n);
  const std::vector<T> y = clumps<T>(draw, dimension, m);
  HdbscanOptions options{.box = draw.box(dimension)};
  options.min_samples = draw.one_of<std::size_t>({1, 2, 4, 7});
  options.condense.min_cluster_size = draw.one_of<std::size_t>({2, 3, 5});
  if (draw.below(3) == 0) options.condense.selection = ClusterSelection::leaf;
  if (draw.below(4) == 0) options.condense.selection_epsilon = 0.05;
  options.condense.allow_single_cluster = draw.below(3) == 0;
  std::vector<double> weight;
  if (draw.below(3) == 0) {
    for (std::size_t i = 0; i < n; ++i)
      weight.push_back(0.5 * static_cast<double>(1 + draw.below(6)));
  } else if (draw.below(3) == 0) {
    options.non_finite = NonFinite::drop;
    x[draw.below(x.size())] = std::numeric_limits<T>::quiet_NaN();
  }
  options.sample_weight = weight;
  SCOPED_TRACE(testing::Message() << draw.target());
  const PointsView points = view(x.data(), n, dimension), queries = view(y.data(), m, dimension);
  const Execution execution{.threads = static_cast<int>(1 + draw.below(3))};
  for (const TreeOptions& kind : test::tree_kinds(options.box, options.non_finite)) {
    const AnyTree tree(points, kind, execution);
    SpanningTreeOptions spanning{.core_k = options.min_samples, .sample_weight = weight};
    const Hierarchy all = hierarchy(tree, spanning, execution);
    const HdbscanClusters clusters = condense(all, options.condense, execution);
    expect_same_rows(memberships(tree, all, clusters, execution),
                     brute_memberships(points, options, clusters));
    expect_same_rows(memberships(tree, all, clusters, queries, execution),
                     brute_memberships(points, options, clusters, queries));
  }
  test::ExactCases::count();
}

TEST(MembershipsProperty, EqualTheDefinitionInFloat) {
  test::for_cases(150, check_memberships<float>);
}
TEST(MembershipsProperty, EqualTheDefinitionInDouble) {
  test::for_cases(150, check_memberships<double>);
}

template <class T>
void check_dbcv(Draw& draw) {
  const int dimension = draw.one_of({2, 3, 1, 5});
  const std::size_t n = 1 + draw.size(60), clusters = 1 + draw.below(5);
  const std::vector<T> x = clumps<T>(draw, dimension, n);
  std::vector<std::int32_t> label;
  for (std::size_t i = 0; i < n; ++i)
    label.push_back(static_cast<std::int32_t>(std::min(draw.below(clusters + 1), n)) - 1);
  label[draw.below(n)] = 0;
  SCOPED_TRACE(testing::Message() << draw.target());
  const PointsView points = view(x.data(), n, dimension);
  const Dbcv expected = brute_dbcv(points, label);
  const Dbcv found = dbcv(points, label, {.threads = static_cast<int>(1 + draw.below(3))});
  const auto are_same = [](double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
  };
  ASSERT_TRUE(are_same(found.index, expected.index)) << found.index << " for " << expected.index;
  ASSERT_EQ(found.cluster.size(), expected.cluster.size());
  for (std::size_t c = 0; c < found.cluster.size(); ++c)
    ASSERT_TRUE(are_same(found.cluster[c], expected.cluster[c])) << "cluster " << c;
  test::ExactCases::count();
}

TEST(DbcvProperty, EqualsTheDefinitionInFloat) { test::for_cases(300, check_dbcv<float>); }
TEST(DbcvProperty, EqualsTheDefinitionInDouble) { test::for_cases(300, check_dbcv<double>); }

}  // namespace
}  // namespace kith
