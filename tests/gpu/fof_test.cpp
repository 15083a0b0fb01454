// Groups found on a device equal the CPU's and the definition's: labels, sizes, lowest members.
#include <kith/groups.hpp>

#include "gpu/support.hpp"
#include "groups/brute.hpp"
#include "support/exact_cases.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::Draw;
using test::on_device;
class GpuFof : public test::OnDevice {};

::testing::AssertionResult are_same(const Groups& a, const Groups& b) {
  test::ExactCases::count();
  if (a.count() != b.count())
    return ::testing::AssertionFailure() << a.count() << " groups instead of " << b.count();
  const auto equal = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  if (!equal(a.label(), b.label())) return ::testing::AssertionFailure() << "labels";
  if (a.sizes() != b.sizes()) return ::testing::AssertionFailure() << "sizes";
  if (a.lowest_members() != b.lowest_members())
    return ::testing::AssertionFailure() << "lowest members";
  if (!equal(a.root(), b.root())) return ::testing::AssertionFailure() << "roots";
  if (a.linking_length() != b.linking_length())
    return ::testing::AssertionFailure() << "linking length";
  return ::testing::AssertionSuccess();
}

template <class T>
void check_device_fof(Draw& draw) {
  const int dimension = sizeof(T) == 4 ? draw.one_of({2, 3, 3}) : 3;
  const auto set = draw.point_set<T>(dimension, draw.size(draw.below(5) ? 600 : 5000));
  FofOptions options{.box = draw.box(dimension)};
  options.linking_length = std::pow(10, -3 + 2.5 * draw.uniform());
  options.min_size = draw.one_of<std::size_t>({1, 1, 2, 5, 20});
  options.strict = draw.below(4) == 0;
  options.keep_roots = draw.below(2) == 0;
  ASSERT_TRUE(are_same(fof(set.view(), options, on_device()), fof(set.view(), options)))
      << set.name << ", n = " << set.size() << ", d = " << dimension << ", length "
      << options.linking_length << ", min_size " << options.min_size;
}

TEST_F(GpuFof, FloatsEqualTheCpu) { test::for_cases(150, check_device_fof<float>); }
TEST_F(GpuFof, DoublesEqualTheCpu) { test::for_cases(60, check_device_fof<double>); }

TEST_F(GpuFof, DegenerateSetsEqualTheCpu) {
  for (const auto& set : test::degenerate_sets<float>(3))
    for (const double length : {1e-30, 0.01, 0.2}) {
      const FofOptions options{.linking_length = length, .keep_roots = true};
      EXPECT_TRUE(are_same(fof(set.view(), options, on_device()), fof(set.view(), options)))
          << set.name << ", length " << length;
    }
}

TEST_F(GpuFof, EqualsTheCpuInBatches) {
  constexpr std::size_t kCount = 40000;
  const auto set = test::random_sets<float>(3, kCount, 9)[0];
  const Tree tree(set.view(), {.box = Box::periodic(1.0)}, on_device());
  const FofOptions options{.linking_length = 0.024, .min_size = 3};
  const Groups expected = fof(tree, options, {.threads = 2});
  EXPECT_TRUE(are_same(fof(tree, options, on_device()), expected));
  const std::uint64_t launches = gpu::traffic().launches;
  gpu::set_memory_limit(gpu::traffic().allocated + 40 * kCount);
  EXPECT_TRUE(are_same(fof(tree, options, on_device()), expected));
  gpu::set_memory_limit(0);
  // That took another batch of 13 launches beside 68; on a slow machine the first call did, too.
  EXPECT_GT(gpu::traffic().launches - launches, 75u);
}

TEST_F(GpuFof, DroppedPointsHaveNoLabel) {
  auto set = test::random_sets<float>(3, 400, 9)[0];
  set.x[5] = std::numeric_limits<float>::infinity();
  const FofOptions options{
      .linking_length = 0.2, .keep_roots = true, .non_finite = NonFinite::drop};
  EXPECT_TRUE(are_same(fof(set.view(), options, on_device()), fof(set.view(), options)));
}

/// Points go there, labels come back.
TEST_F(GpuFof, OnlyPointsAndLabelsCrossTheBus) {
  constexpr std::size_t kCount = 20000;
  const auto set = test::random_sets<float>(3, kCount, 3)[0];
  const gpu::Traffic before = gpu::traffic();
  const Groups groups = fof(set.view(), {.linking_length = 0.01, .min_size = 20}, on_device());
  const gpu::Traffic after = gpu::traffic();
  EXPECT_LT(after.uploaded - before.uploaded, kCount * 12 + 65536);
  EXPECT_LT(after.downloaded - before.downloaded, kCount * 4 + groups.count() * 8 + 65536);
}

}  // namespace
}  // namespace kith
