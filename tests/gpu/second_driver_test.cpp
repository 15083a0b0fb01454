// All calls with one set: second_driver_test.py runs them on another driver.
#include <algorithm>
#include <cstdlib>

#include <kith/catalogue.hpp>
#include <kith/groups.hpp>
#include <kith/neighbors.hpp>
#include <kith/radius.hpp>

#include "gpu/support.hpp"
#include "neighbors/knn_cases.hpp"
#include "support/catalogues.hpp"
#include "support/point_sets.hpp"

namespace kith {
namespace {

class GpuSecondDriver : public test::OnDevice {};

TEST_F(GpuSecondDriver, CallsHaveTheBitsOfTheCpu) {
  const char* wanted = std::getenv("KITH_PLATFORM");
  if (!wanted) GTEST_SKIP() << "for second_driver_test.py";
  ASSERT_NE(gpu::devices().front().platform.find(wanted), std::string::npos);
  const Execution there = test::on_device(), here{.threads = 1};
  const auto set = test::random_sets<float>(3, 3000, 5)[1];
  const TreeOptions options{.box = Box::periodic(2.0)};
  const Tree tree(set.view(), options, there), expected(set.view(), options, here);
  EXPECT_EQ(tree.order(), expected.order());
  for (const std::size_t k : {11, 40})
    EXPECT_TRUE(test::are_equal(test::rows_of(knn<float>(tree, {.k = k}, there)),
                                test::rows_of(knn<float>(expected, {.k = k}, here))));
  EXPECT_TRUE(test::are_equal(test::rows_of(radius<float>(tree, {.radius = 0.05}, there)),
                              test::rows_of(radius<float>(expected, {.radius = 0.05}, here))));
  const FofOptions linking{.linking_length = 0.02, .min_size = 2};
  const Groups groups = fof(tree, linking, there), same = fof(expected, linking, here);
  EXPECT_EQ(groups.sizes(), same.sizes());
  EXPECT_TRUE(std::equal(groups.label().begin(), groups.label().end(), same.label().begin()));
  const CatalogueOptions columns{.box = options.box, .velocity = set.view()};
  test::expect_rows(catalogue(set.view(), groups, columns, there),
                    catalogue(set.view(), same, columns, here), 0);
}

}  // namespace
}  // namespace kith
