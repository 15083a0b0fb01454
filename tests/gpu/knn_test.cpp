// Neighbors found on a device equal their definition, bit by bit.
#include "gpu/support.hpp"
#include "neighbors/brute.hpp"
#include "neighbors/knn_cases.hpp"
#include "support/property.hpp"
#include "support/tree_kinds.hpp"

namespace kith {
namespace {

using test::are_equal;
using test::Draw;
using test::on_device;
using test::rows_of;
class GpuKnn : public test::OnDevice {};

template <class T>
void check_device_knn(Draw& draw) {
  const int dimension = sizeof(T) == 4 ? draw.one_of({2, 3, 3, 3, 5}) : 3;
  const auto set = draw.point_set<T>(dimension, draw.size(700));
  const TreeOptions options = test::any_tree(draw, draw.box(dimension));
  KnnOptions knn_options{.k = draw.size(draw.below(8) ? 70.0 : 900.0)};
  if (draw.below(4) == 0) knn_options.max_radius = draw.uniform() * 0.3;
  knn_options.strict = draw.below(4) == 0;
  const auto trace = ::testing::Message()
                     << set.name << ", n = " << set.size() << ", d = " << dimension
                     << ", k = " << knn_options.k << ", max_radius = " << knn_options.max_radius
                     << ", curve " << int(options.curve);
  const bool is_built_there = options.builder == Builder::packed && options.curve != Curve::kd;
  const Tree tree(set.view(), options, is_built_there ? on_device() : Execution{.threads = 1});
  if (draw.below(3) == 0) {
    const auto queries = draw.point_set<T>(dimension, draw.size(300));
    ASSERT_TRUE(are_equal(rows_of(knn<T>(tree, queries.view(), knn_options, on_device())),
                          brute_knn<T>(set.view(), options, queries.view(), knn_options)))
        << trace << ", other queries";
  } else {
    knn_options.exclude_self = draw.below(3) == 0;
    ASSERT_TRUE(are_equal(rows_of(knn<T>(tree, knn_options, on_device())),
                          brute_knn<T>(set.view(), options, knn_options)))
        << trace << ", exclude_self " << knn_options.exclude_self;
  }
}

TEST_F(GpuKnn, FloatsEqualBruteForce) { test::for_cases(150, check_device_knn<float>); }
TEST_F(GpuKnn, DoublesEqualBruteForce) { test::for_cases(60, check_device_knn<double>); }

TEST_F(GpuKnn, DegenerateSetsEqualBruteForce) {
  for (const auto& set : test::degenerate_sets<float>(3)) {
    const Tree tree(set.view(), {}, on_device());
    for (const std::size_t k : {1, 17, 100}) {
      EXPECT_TRUE(are_equal(rows_of(knn<float>(tree, {.k = k}, on_device())),
                            brute_knn<float>(set.view(), {}, {.k = k})))
          << set.name << ", k = " << k;
    }
  }
}

template <class T>
bool same_rows(const Neighbors<T>& a, const Neighbors<T>& b) {
  const std::size_t n = a.size() * a.k();
  return a.size() == b.size() && std::equal(a.indices(), a.indices() + n, b.indices()) &&
         std::equal(a.distances(), a.distances() + n, b.distances());
}

/// Large enough for several planes and batches, in little memory too.
TEST_F(GpuKnn, EqualsTheCpuInBatches) {
  constexpr std::size_t kCount = 30000;
  const auto set = test::random_sets<float>(3, kCount, 9)[1];
  const Tree tree(set.view(), {.box = Box::periodic(2.0)}, on_device());
  const KnnOptions options{.k = 16, .order = RowOrder::tree};
  const auto expected = knn<float>(tree, options, {.threads = 2});
  EXPECT_TRUE(same_rows(knn<float>(tree, options, on_device()), expected));
  const std::uint64_t launches = gpu::traffic().launches;
  gpu::set_memory_limit(gpu::traffic().allocated + 2000000);
  EXPECT_TRUE(same_rows(knn<float>(tree, options, on_device()), expected));
  gpu::set_memory_limit(0);
  EXPECT_GT(gpu::traffic().launches - launches, 100u);  // that took many batches
}

/// Duplicates are cheap: lists stay short where all points are equal.
TEST_F(GpuKnn, EqualPointsAreCheap) {
  const auto set = test::make_set<float>("equal", 3, 20000, [](auto, int) { return 0.5; });
  const Tree tree(set.view(), {}, on_device());
  const auto near = knn<float>(tree, {.k = 5}, on_device());
  for (std::size_t i = 0; i < near.size(); i += 997)
    for (int n = 0; n < 5; ++n) ASSERT_EQ(near.index(i)[static_cast<std::size_t>(n)], n);
}

TEST_F(GpuKnn, OnlyResultsCrossTheBus) {
  constexpr std::size_t kCount = 20000, kNeighbors = 8;
  const auto set = test::random_sets<float>(3, kCount, 3)[0];
  const Tree tree(set.view(), {}, on_device());
  const gpu::Traffic before = gpu::traffic();
  knn<float>(tree, {.k = kNeighbors}, on_device());
  const gpu::Traffic after = gpu::traffic();
  EXPECT_LT(after.uploaded - before.uploaded, 65536u);
  // Rows, and the number of the row's point.
  EXPECT_LT(after.downloaded - before.downloaded, kCount * (8 * kNeighbors + 4) + 65536);
}

TEST_F(GpuKnn, OtherNormsAreRefused) {
  const auto set = test::random_sets<float>(3, 100, 3)[0];
  const Tree tree(set.view());
  try {
    knn<float>(tree, {.k = 3, .p = 1}, on_device());
    ADD_FAILURE() << "was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable) << error.what();
  }
}

}  // namespace
}  // namespace kith
