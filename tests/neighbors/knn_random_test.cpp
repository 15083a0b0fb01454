// kNN equals its definition, for random dimension, scalar, box, size, k, builder, threads and SIMD
// target.
#include <gtest/gtest.h>

#include "neighbors/knn_cases.hpp"
#include "support/property.hpp"
#include "support/tree_kinds.hpp"

namespace kith {
namespace {

using test::are_equal;
using test::Draw;
using test::rows_of;

template <class T>
void check_case(Draw& draw) {
  const int dimension = draw.one_of({1, 2, 2, 3, 3, 3, 4, 7});
  const auto set = draw.point_set<T>(dimension, draw.size(700));
  const TreeOptions options = test::any_tree(draw, draw.box(dimension));
  KnnOptions knn_options{.k = draw.size(draw.below(8) ? 70.0 : 900.0)};
  if (draw.below(4) == 0) knn_options.max_radius = draw.uniform() * 0.3;
  knn_options.strict = draw.below(4) == 0;
  if (draw.below(3) == 0) knn_options.method = KnnMethod::walk;
  const std::string target = draw.target();
  const Execution execution{.threads = static_cast<int>(1 + draw.below(3))};
  const auto trace = ::testing::Message()
                     << set.name << ", n = " << set.size() << ", d = " << dimension
                     << ", k = " << knn_options.k << ", max_radius = " << knn_options.max_radius
                     << ", builder " << int(options.builder) << ", method "
                     << int(knn_options.method) << ", " << target;
  const Tree tree(set.view(), options, execution);
  if (draw.below(3) == 0) {
    const auto queries = draw.point_set<T>(dimension, draw.size(150));
    const auto asked = queries.view();
    ASSERT_TRUE(are_equal(rows_of(knn<T>(tree, asked, knn_options, execution)),
                          brute_knn<T>(set.view(), options, asked, knn_options)))
        << trace << ", other queries";
  } else {
    knn_options.exclude_self = draw.below(3) == 0;
    ASSERT_TRUE(are_equal(rows_of(knn<T>(tree, knn_options, execution)),
                          brute_knn<T>(set.view(), options, knn_options)))
        << trace << ", exclude_self " << knn_options.exclude_self;
  }
}

TEST(KnnRandom, FloatsEqualBruteForce) { test::for_cases(3000, check_case<float>); }
TEST(KnnRandom, DoublesEqualBruteForce) { test::for_cases(2000, check_case<double>); }

}  // namespace
}  // namespace kith
