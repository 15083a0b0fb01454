// The spanning tree against Kruskal over all pairs, with exact equality: indices and squared
// lengths.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include <kith/spanning_tree.hpp>

#include "clusters/brute.hpp"
#include "clusters/spanning_tree_impl.hpp"
#include "support/expect_error.hpp"
#include "support/property.hpp"
#include "support/tree_kinds.hpp"

namespace kith {
namespace {

using test::Draw;
using test::expect_error;

std::vector<BruteEdge> edges_of(const SpanningTree& tree) {
  std::vector<BruteEdge> edges;
  impl_of(tree).visit([&](const auto& length2) {
    for (std::size_t i = 0; i < tree.size(); ++i)
      edges.push_back(
          {static_cast<double>(length2[i]), tree.index()[2 * i], tree.index()[2 * i + 1]});
  });
  return edges;
}

void expect_exact(const PointsView& points, const SpanningTreeOptions& options, int threads) {
  const Execution execution{.threads = threads};
  const std::vector<BruteEdge> brute = brute_spanning_tree(points, options);
  ASSERT_TRUE(edges_of(spanning_tree(points, options, execution)) == brute);
  for (const TreeOptions& kind : test::tree_kinds(options.box, options.non_finite))
    ASSERT_TRUE(edges_of(spanning_tree(AnyTree(points, kind, execution), options, execution)) ==
                brute)
        << "builder " << int(kind.builder) << ", curve " << int(kind.curve);
  test::ExactCases::count();
}

template <class T>
void check_spanning_tree(Draw& draw) {
  const int dimension = draw.one_of({3, 2, 3, 1, 3, 2, 4, 7});
  const auto points = draw.point_set<T>(dimension, 1 + draw.size(700));
  SpanningTreeOptions options{.box = draw.box(dimension)};
  options.core_k = std::min<std::size_t>(std::max<std::size_t>(1, points.size()),
                                         draw.one_of({1, 1, 1, 2, 3, 5, 9, 40}));
  SCOPED_TRACE(testing::Message() << draw.target() << ", core_k " << options.core_k);
  expect_exact(points.view(), options, static_cast<int>(1 + draw.below(3)));
}

TEST(SpanningTreeProperty, FloatsEqualKruskal) {
  test::for_cases(1200, check_spanning_tree<float>);
}
TEST(SpanningTreeProperty, DoublesEqualKruskal) {
  test::for_cases(1200, check_spanning_tree<double>);
}

template <class T>
void check_degenerate_spanning_tree() {
  for (const int dimension : {1, 2, 3, 5})
    for (const test::PointSet<T>& set : test::degenerate_sets<T>(dimension))
      for (const std::size_t core_k : {1u, 4u})
        for (const double side : {0.0, 4.0}) {
          if (core_k > std::max<std::size_t>(1, set.size())) continue;
          SCOPED_TRACE(set.name + ", core_k " + std::to_string(core_k));
          expect_exact(set.view(), {.box = Box::periodic(side), .core_k = core_k}, 2);
        }
}
TEST(SpanningTreeDegenerate, Float) { check_degenerate_spanning_tree<float>(); }
TEST(SpanningTreeDegenerate, Double) { check_degenerate_spanning_tree<double>(); }

/// Clumps in which squared distances vanish, all of them or some: near their size, rounding
/// decides.
template <class T>
void check_vanishing(Draw& draw) {
  const int dimension = draw.one_of({1, 2, 3, 4});
  const double least = std::sqrt(static_cast<double>(std::numeric_limits<T>::denorm_min()));
  const double clump = least * draw.one_of({0.1, 0.6, 2.0, 10.0, 100.0});
  std::vector<T> x;
  const std::size_t points = 30 + draw.size(400);
  const bool is_single = draw.below(2) == 0;
  for (std::size_t i = 0; i < points; ++i) {
    const bool is_outside = i == 0 || draw.below(50) == 0;
    const double at = is_outside || is_single ? 0 : static_cast<double>(draw.below(3)) * least * 40;
    for (int axis = 0; axis < dimension; ++axis)
      x.push_back(static_cast<T>(is_outside ? draw.uniform() : at + clump * draw.uniform()));
  }
  const std::size_t core_k = draw.one_of<std::size_t>({1, 1, 2, 5});
  SCOPED_TRACE(testing::Message() << draw.target() << ", core_k " << core_k);
  expect_exact(view(x.data(), points, dimension),
               {.box = draw.below(2) ? Box::periodic(2.0) : Box::open(), .core_k = core_k}, 2);
}
TEST(SpanningTreeProperty, VanishingDistancesOfFloats) {
  test::for_cases(150, check_vanishing<float>);
}
TEST(SpanningTreeProperty, VanishingDistancesOfDoubles) {
  test::for_cases(150, check_vanishing<double>);
}

/// Large enough for several tasks, several rounds and all planes.
TEST(SpanningTree, TheSameForAnyNumberOfThreads) {
  for (const auto& set : test::random_sets<float>(3, 9000, 11)) {
    const SpanningTreeOptions options{.box = Box::periodic({0.0, 2.0, 0.0})};
    const auto one = edges_of(spanning_tree(set.view(), options, {.threads = 1}));
    ASSERT_EQ(one.size(), set.size() - 1);
    ASSERT_TRUE(edges_of(spanning_tree(set.view(), options, {.threads = 4})) == one) << set.name;
  }
}

TEST(SpanningTree, LengthsAreInTheUnitsOfThePoints) {
  const std::vector<std::array<float, 2>> points = {{0, 0}, {3e20f, 4e20f}, {0, 1e20f}};
  const SpanningTree tree = spanning_tree(view(points));
  ASSERT_EQ(tree.size(), 2u);
  EXPECT_EQ(tree.length()[0], double{1e20f});
  EXPECT_EQ(std::vector(tree.index().begin(), tree.index().end()),
            (std::vector<std::uint32_t>{0, 2, 1, 2}));
}

TEST(SpanningTree, DroppedPointsHaveNoEdges) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::array<float, 2>> points = {{0, 0}, {nan, 0}, {0, 1}, {0, 3}};
  const SpanningTree tree = spanning_tree(view(points), {.non_finite = NonFinite::drop});
  EXPECT_EQ(std::vector(tree.index().begin(), tree.index().end()),
            (std::vector<std::uint32_t>{0, 2, 2, 3}));
}

TEST(SpanningTree, OptionsAreChecked) {
  const std::vector<std::array<float, 2>> points = {{0, 0}, {1, 0}};
  expect_error(ErrorCode::invalid_argument, "core_k = 0",
               [&] { spanning_tree(view(points), {.core_k = 0}); });
  expect_error(ErrorCode::invalid_argument, "core_k = 3 of 2 points",
               [&] { spanning_tree(view(points), {.core_k = 3}); });
  const Tree tree(view(points), {.box = Box::periodic(4)});
  expect_error(ErrorCode::invalid_argument, "not that of the tree",
               [&] { spanning_tree(tree, {.box = Box::periodic(5)}); });
}

/// Bytes have everything; damaged ones are refused.
template <class T>
void check_spanning_bytes(Draw& draw) {
  const int dimension = draw.one_of({1, 2, 3});
  auto points = draw.point_set<T>(dimension, 1 + draw.size(200));
  if (points.x.size() > 5 && draw.below(3) == 0) points.x[4] = std::numeric_limits<T>::quiet_NaN();
  const SpanningTree tree =
      spanning_tree(points.view(), {.box = draw.box(dimension), .non_finite = NonFinite::drop});
  std::vector<std::byte> bytes = tree.bytes();
  const SpanningTree again = SpanningTree::from_bytes(bytes);
  EXPECT_TRUE(edges_of(again) == edges_of(tree));
  EXPECT_EQ(again.length(), tree.length());
  EXPECT_EQ(again.input_size(), tree.input_size());
  EXPECT_EQ(again.bytes(), bytes);
  bytes[draw.below(bytes.size())] ^= std::byte{4};
  expect_error(ErrorCode::io, "spanning_tree", [&] { SpanningTree::from_bytes(bytes); });
  bytes.pop_back();
  expect_error(ErrorCode::io, "spanning_tree", [&] { SpanningTree::from_bytes(bytes); });
}
TEST(SpanningTreeBytes, Floats) { test::for_cases(100, check_spanning_bytes<float>); }
TEST(SpanningTreeBytes, Doubles) { test::for_cases(100, check_spanning_bytes<double>); }

}  // namespace
}  // namespace kith
