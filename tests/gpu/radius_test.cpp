// Counts, lists and reductions of neighborhoods on a device equal the CPU's, bit by bit.
#include <bit>

#include <kith/density.hpp>

#include "gpu/support.hpp"
#include "neighbors/brute.hpp"
#include "neighbors/knn_cases.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::are_equal;
using test::Draw;
using test::on_device;
using test::rows_of;
class GpuRadius : public test::OnDevice {};

template <class T>
void check_device_radius(Draw& draw) {
  const int dimension = sizeof(T) == 4 ? draw.one_of({2, 3, 3}) : 3;
  const auto set = draw.point_set<T>(dimension, draw.size(500));
  const TreeOptions options{.box = draw.box(dimension)};
  RadiusOptions radius_options{.radius = draw.below(12) ? draw.uniform() * 0.3 : 3.0};
  radius_options.strict = draw.below(4) == 0;
  const Tree tree(set.view(), options, on_device());
  const auto queries = draw.point_set<T>(dimension, draw.size(200));
  const bool has_queries = draw.below(3) == 0;
  std::vector<double> radii(has_queries ? queries.size() : set.size());
  if (draw.below(3) == 0) {
    for (double& r : radii) r = draw.uniform() * 0.4;
    radius_options.radius = 0;
    radius_options.radii = radii;
  }
  const auto trace = ::testing::Message()
                     << set.name << ", n = " << set.size() << ", d = " << dimension << ", radius "
                     << radius_options.radius;
  if (has_queries) {
    const auto expected = brute_radius<T>(set.view(), options, queries.view(), radius_options);
    ASSERT_TRUE(
        are_equal(rows_of(radius<T>(tree, queries.view(), radius_options, on_device())), expected))
        << trace << ", other queries";
    return;
  }
  radius_options.exclude_self = draw.below(3) == 0;
  const auto expected = brute_radius<T>(set.view(), options, radius_options);
  ASSERT_TRUE(are_equal(rows_of(radius<T>(tree, radius_options, on_device())), expected)) << trace;
  const auto counts = radius_count(tree, radius_options, on_device());
  for (std::size_t i = 0; i < counts.size(); ++i)
    ASSERT_EQ(counts[i], static_cast<std::int64_t>(expected[i].index.size())) << trace;
}

TEST_F(GpuRadius, FloatsEqualBruteForce) { test::for_cases(80, check_device_radius<float>); }
TEST_F(GpuRadius, DoublesEqualBruteForce) { test::for_cases(30, check_device_radius<double>); }

TEST_F(GpuRadius, DegenerateSetsEqualBruteForce) {
  for (const auto& set : test::degenerate_sets<float>(3)) {
    if (set.size() > 1500) continue;  // lists of all pairs
    const Tree tree(set.view(), {}, on_device());
    for (const double r : {1e-30, 0.1})
      EXPECT_TRUE(are_equal(rows_of(radius<float>(tree, {.radius = r}, on_device())),
                            brute_radius<float>(set.view(), {}, {.radius = r})))
          << set.name << ", radius " << r;
  }
}

/// Rows longer than one group of work-items sorts, beside short ones and empty ones, with ties.
template <class T>
void check_long_rows() {
  const auto set = test::make_set<T>("grid and a clump", 3, 1500, [](std::size_t i, int axis) {
    if (i < 700)
      return 0.3 + 0.001 * static_cast<double>((i * (7 + static_cast<std::size_t>(axis))) % 11);
    return static_cast<double>((i * 131 + static_cast<std::size_t>(axis) * 17) % 1009);
  });
  const Tree tree(set.view(), {}, on_device());
  for (const double r : {0.02, 3.0, 300.0}) {
    const RadiusOptions options{.radius = r};
    EXPECT_TRUE(are_equal(rows_of(radius<T>(tree, options, on_device())),
                          brute_radius<T>(set.view(), {}, options)))
        << r;
  }
}
TEST_F(GpuRadius, LongRowsEqualBruteForce) {
  check_long_rows<float>();
  check_long_rows<double>();
}

/// Lists come back, with the number of the row's point and where its neighbors begin.
TEST_F(GpuRadius, OnlyResultsCrossTheBus) {
  constexpr std::size_t kCount = 20000;
  const auto set = test::random_sets<float>(3, kCount, 3)[0];
  const Tree tree(set.view(), {}, on_device());
  const gpu::Traffic before = gpu::traffic();
  const auto lists = radius<float>(tree, {.radius = 0.05}, on_device());
  const gpu::Traffic after = gpu::traffic();
  const std::size_t pairs = static_cast<std::size_t>(lists.offsets().back());
  EXPECT_LT(after.uploaded - before.uploaded, 65536u);
  EXPECT_LT(after.downloaded - before.downloaded, 8 * pairs + 2 * kCount * (4 + 8) + 65536);
}

TEST_F(GpuRadius, ListsAreCutAsOnTheCpu) {
  const auto set = test::random_sets<float>(3, 2000, 3)[0];
  const Tree tree(set.view(), {}, on_device());
  const RadiusOptions options{.radius = 0.15, .max_neighbors = 7};
  const auto gpu = radius<float>(tree, options, on_device());
  const auto cpu = radius<float>(tree, options, {.threads = 1});
  EXPECT_EQ(gpu.truncated(), cpu.truncated());
  EXPECT_TRUE(are_equal(rows_of(gpu), rows_of(cpu)));
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

TEST_F(GpuRadius, ReductionsHaveTheBitsOfTheCpu) {
  for (const auto& set : test::random_sets<float>(3, 1500, 4)) {
    const Tree tree(set.view(), {}, on_device());
    const Execution cpu{.threads = 1};
    EXPECT_TRUE(
        same_bits(sph_density(tree, {.k = 20}, on_device()), sph_density(tree, {.k = 20}, cpu)))
        << set.name;
    EXPECT_TRUE(
        same_bits(kth_distance(tree, {.k = 9}, on_device()), kth_distance(tree, {.k = 9}, cpu)))
        << set.name;
    EXPECT_TRUE(
        same_bits(mean_distance(tree, {.k = 9}, on_device()), mean_distance(tree, {.k = 9}, cpu)))
        << set.name;
  }
}

}  // namespace
}  // namespace kith
