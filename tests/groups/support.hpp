// Groups of small sets against their definition.
#pragma once

#include <gtest/gtest.h>
#include <vector>

#include <kith/groups.hpp>

#include "groups/brute.hpp"
#include "support/exact_cases.hpp"
#include "support/tree_kinds.hpp"

namespace kith::test {

template <class T>
std::vector<T> to_vector(std::span<const T> values) {
  return {values.begin(), values.end()};
}

/// Everything that a result holds.
inline void expect_equal(const Groups& groups, const BruteGroups& brute) {
  ExactCases::count();
  EXPECT_EQ(to_vector(groups.label()), brute.label);
  EXPECT_EQ(groups.sizes(), brute.size);
  EXPECT_EQ(groups.lowest_members(), brute.lowest);
  if (!groups.root().empty()) {
    EXPECT_EQ(to_vector(groups.root()), brute.root);
  }
}

/// Points, options and threads as given; trees of every kind.
inline void expect_exact(const PointsView& points, FofOptions options, int threads = 1) {
  options.keep_roots = true;
  const BruteGroups brute = brute_fof(points, options);
  const Execution execution{.threads = threads};
  expect_equal(fof(points, options, execution), brute);
  for (const TreeOptions& kind : test::tree_kinds(options.box, options.non_finite))
    expect_equal(fof(AnyTree(points, kind, execution), options, execution), brute);
}

}  // namespace kith::test
