// All linking lengths at once against fof at each of them, bit for bit; branches and counts against
// what fof counts.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include <kith/hierarchy.hpp>

#include "clusters/spanning_tree_impl.hpp"
#include "groups/support.hpp"
#include "support/expect_error.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::Draw;
using test::expect_error;
using test::to_vector;

void expect_equal(const Groups& a, const Groups& b) {
  EXPECT_EQ(to_vector(a.label()), to_vector(b.label()));
  EXPECT_EQ(a.sizes(), b.sizes());
  EXPECT_EQ(a.lowest_members(), b.lowest_members());
  EXPECT_EQ(to_vector(a.root()), to_vector(b.root()));
  EXPECT_EQ(a.linking_length(), b.linking_length());
}

template <class T>
void check_hierarchy(Draw& draw) {
  const int dimension = draw.one_of({3, 2, 3, 1, 3, 2, 4});
  const auto points = draw.point_set<T>(dimension, 1 + draw.size(1500));
  const Box box = draw.box(dimension);
  const Execution execution{.threads = static_cast<int>(1 + draw.below(3))};
  const Tree tree(points.view(), {.box = box}, execution);
  const Hierarchy all = hierarchy(tree, {}, execution);
  std::vector<double> lengths = {1e-30, 1.0, std::pow(10, -3 + 3 * draw.uniform())};
  if (all.size() > 0) lengths.push_back(all.spanning_tree().length()[draw.below(all.size())]);
  const std::size_t min_size = std::size_t{1} << draw.below(6);
  const std::vector<GroupCount> counts = all.count(lengths, min_size);
  const std::vector<Branch> branches = all.branches(min_size);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (!(lengths[i] > 0)) continue;
    SCOPED_TRACE(testing::Message() << "length " << lengths[i] << ", min_size " << min_size);
    FofOptions options{.linking_length = lengths[i], .min_size = min_size};
    const Groups groups = fof(tree, options, execution);
    EXPECT_EQ(counts[i].groups, groups.count());
    std::size_t grouped = 0;
    for (const std::int64_t size : groups.sizes()) grouped += static_cast<std::size_t>(size);
    EXPECT_EQ(counts[i].points, grouped);
    options.strict = draw.below(3) == 0;
    options.keep_roots = draw.below(2) == 0;
    expect_equal(all.groups(options, execution), fof(tree, options, execution));
  }
  for (const Branch& branch : branches) EXPECT_GE(branch.size, min_size);
  test::ExactCases::count();
}

TEST(HierarchyProperty, FloatsEqualFof) { test::for_cases(600, check_hierarchy<float>); }
TEST(HierarchyProperty, DoublesEqualFof) { test::for_cases(600, check_hierarchy<double>); }

/// The layout of scipy's linkage: four points on a line.
TEST(Hierarchy, Linkage) {
  const std::vector<std::array<double, 1>> points = {{0}, {10}, {1}, {13}};
  const Hierarchy all = hierarchy(view(points));
  EXPECT_EQ(all.linkage(), (std::vector<double>{0, 2, 1, 2, 1, 3, 3, 2, 4, 5, 9, 4}));
}

/// Parts that are done at once give the same dendrogram as one pass over all edges.
TEST(Hierarchy, TheSameForAnyNumberOfThreads) {
  for (const auto& set : test::random_sets<float>(2, 20000, 3)) {
    // Squares of tiny differences beside huge numbers vanish: all pairs would be ties.
    if (set.name == "huge range" || set.name == "one far outlier" ||
        set.name == "large equal axis" || set.name == "subnormal")
      continue;
    const SpanningTree tree = spanning_tree(set.view());
    EXPECT_TRUE(hierarchy(tree, {.threads = 1}).linkage() ==
                hierarchy(tree, {.threads = 4}).linkage())
        << set.name;
  }
}

/// Two clumps of three and a pair: the pair reaches no 3 points, the second clump joins the first.
TEST(Hierarchy, Branches) {
  const std::vector<std::array<double, 1>> points = {{0}, {1}, {2}, {10}, {12}, {14}, {30}, {31}};
  const std::vector<Branch> branches = hierarchy(view(points)).branches(3);
  ASSERT_EQ(branches.size(), 2u);
  EXPECT_EQ(branches[0].birth, 1);
  EXPECT_EQ(branches[0].death, std::numeric_limits<double>::infinity());
  EXPECT_EQ(branches[0].parent, -1);
  EXPECT_EQ(branches[0].size, 8u);
  EXPECT_EQ(branches[0].lowest, 0u);
  EXPECT_EQ(branches[1].birth, 2);
  EXPECT_EQ(branches[1].death, 8);
  EXPECT_EQ(branches[1].parent, 0);
  EXPECT_EQ(branches[1].size, 3u);
  EXPECT_EQ(branches[1].lowest, 3u);
  EXPECT_EQ(branches[1].persistence(), 6);
}

TEST(Hierarchy, DroppedPointsHaveNoGroup) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::array<float, 2>> points = {{0, 0}, {nan, 0}, {0, 1}, {0, 9}};
  const Tree tree(view(points), {.non_finite = NonFinite::drop});
  const FofOptions options{.linking_length = 1, .keep_roots = true};
  expect_equal(hierarchy(tree).groups(options), fof(tree, options));
}

TEST(Hierarchy, MutualReachabilityHasNoFriends) {
  const std::vector<std::array<float, 2>> points = {{0, 0}, {1, 0}, {0, 1}, {0, 9}};
  expect_error(ErrorCode::invalid_argument, "core_k = 2",
               [&] { hierarchy(view(points), {.core_k = 2}).groups({.linking_length = 1}); });
}

}  // namespace
}  // namespace kith
