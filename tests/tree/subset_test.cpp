// A subset of a tree: the points of the mask in the order of the whole, under valid planes.
#include "tree/subset.hpp"

#include <gtest/gtest.h>

#include <kith/tree.hpp>

#include "support/point_sets.hpp"
#include "tree/invariants.hpp"
#include "tree/tree_impl.hpp"

namespace kith {
namespace {

template <class T>
void expect_subset(const TreeData<T>& tree, std::size_t input_size, unsigned one_in) {
  const Execution execution{.threads = 2};
  Workers workers(execution);
  const Planes<T>& whole = tree.planes;
  unsigned seed = 7 + one_in;
  Array<std::uint8_t> mask(whole.points);
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < whole.points; ++i) {
    seed = seed * 1664525u + 1013904223u;
    mask[i] = (seed >> 8) % one_in == 0;
    if (mask[i]) kept.push_back(static_cast<std::uint32_t>(i));
  }
  Subset<T> part = subset(whole, mask, workers);
  ASSERT_EQ(std::vector(part.position.begin(), part.position.end()), kept);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    ASSERT_EQ(part.planes.index(i), whole.index(kept[i]));
    for (int axis = 0; axis < whole.dimension; ++axis)
      ASSERT_EQ(part.planes.coordinate(i, axis), whole.coordinate(kept[i], axis));
  }
  const TreeData<T> data{std::move(part.planes), tree.frame};
  verify_planes(data, input_size, "subset", workers);
}

template <class T>
void check_degenerate(int dimension) {
  for (const test::PointSet<T>& set : test::degenerate_sets<T>(dimension))
    for (const Builder builder : {Builder::packed, Builder::cells}) {
      SCOPED_TRACE(set.name + " in " + std::to_string(dimension) + "-D");
      const Tree tree(set.view(), {.builder = builder});
      for (const unsigned one_in : {1u, 2u, 9u, 1u << 20})
        expect_subset(impl_of(tree).template as<T>(), set.size(), one_in);
    }
}

TEST(Subset, KeepsOrderAndIndices) {
  for (const int dimension : {1, 2, 3, 5}) {
    check_degenerate<float>(dimension);
    check_degenerate<double>(dimension);
  }
}

}  // namespace
}  // namespace kith
