// The left-balanced layout: all points once, and each side of a node where it belongs.
#include <cmath>
#include <gtest/gtest.h>

#include <kith/left_balanced.hpp>

#include "support/point_sets.hpp"

namespace kith {
namespace {

template <class T>
class Checker {
 public:
  Checker(const test::PointSet<T>& set, const LeftBalanced& layout, int exponent)
      : set_(set), layout_(layout), exponent_(exponent) {}

  /// Visits the nodes below a node; each must be on its side of all nodes above.
  void visit(std::size_t node) {
    if (node >= layout_.index.size()) return;
    ++visited_;
    for (std::size_t child = node; child > 0; child = (child - 1) / 2) {
      const std::size_t above = (child - 1) / 2;
      const int axis = layout_.axis[above];
      const auto key = [&](std::size_t i) {
        const std::int64_t index = layout_.index[i];
        // In the scale in which data of extreme size are stored.
        return std::pair(std::ldexp(set_.row(static_cast<std::size_t>(index))[axis], exponent_),
                         index);
      };
      ASSERT_EQ(key(node) < key(above), child == 2 * above + 1) << set_.name << " node " << node;
    }
    visit(2 * node + 1);
    visit(2 * node + 2);
  }
  std::size_t visited() const { return visited_; }

 private:
  const test::PointSet<T>& set_;
  const LeftBalanced& layout_;
  int exponent_;
  std::size_t visited_ = 0;
};

template <class T>
void check(const test::PointSet<T>& set) {
  for (const SplitAxis rule : {SplitAxis::widest, SplitAxis::cyclic, SplitAxis::variance}) {
    const Tree tree(set.view());
    const LeftBalanced layout = left_balanced(tree, rule, {.threads = 2});
    ASSERT_EQ(layout.index.size(), set.size());
    std::vector<std::int64_t> sorted = layout.index;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i)
      ASSERT_EQ(sorted[i], static_cast<std::int64_t>(i));
    Checker<T> checker(set, layout, tree.scale_exponent());
    checker.visit(0);
    EXPECT_EQ(checker.visited(), set.size());
    EXPECT_EQ(left_balanced(Tree(set.view(), {.curve = Curve::kd}), rule, {.threads = 1}).index,
              layout.index);
  }
}

TEST(LeftBalanced, EveryNodePartsWhatIsBelowIt) {
  for (const int dimension : {1, 2, 3, 5}) {
    for (const auto& set : test::degenerate_sets<float>(dimension)) check(set);
    for (const auto& set : test::random_sets<double>(dimension, 1000, 3)) check(set);
  }
}

}  // namespace
}  // namespace kith
