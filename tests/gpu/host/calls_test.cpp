// All calls on the kernels as C++: the bits of the CPU, in order and in any order.
//
// They run once more on a library with AddressSanitizer and UndefinedBehaviorSanitizer, which then
// see all kernels (tests/gpu/CMakeLists.txt).
#include <cstdlib>

#include <kith/catalogue.hpp>
#include <kith/groups.hpp>
#include <kith/neighbors.hpp>
#include <kith/radius.hpp>

#include "gpu/host/kernels.hpp"
#include "gpu/support.hpp"
#include "neighbors/knn_cases.hpp"
#include "support/catalogues.hpp"
#include "support/point_sets.hpp"

namespace kith {
namespace {

using test::are_equal;
using test::on_device;
using test::rows_of;

/// Before the first call opens it.
[[maybe_unused]] const int kOpened = setenv("KITH_OPENCL", KITH_HOST_LIBRARY, 0);

class OnHost : public test::OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    ASSERT_EQ(gpu::devices().front().platform, "kernels as C++");
  }
  void TearDown() override { host::settings() = {}; }
};

template <class T>
void check_calls(const test::PointSet<T>& set, const Box& box, double length) {
  const Execution cpu{.threads = 1};
  const TreeOptions options{.box = box};
  const Tree there(set.view(), options, on_device()), here(set.view(), options, cpu);
  EXPECT_EQ(there.order(), here.order()) << set.name;
  for (const std::size_t k : {1, 11, 40})
    EXPECT_TRUE(are_equal(rows_of(knn<T>(there, {.k = k}, on_device())),
                          rows_of(knn<T>(here, {.k = k}, cpu))))
        << set.name << ", k = " << k;
  const RadiusOptions within{.radius = length};
  EXPECT_TRUE(are_equal(rows_of(radius<T>(there, within, on_device())),
                        rows_of(radius<T>(here, within, cpu))))
      << set.name;
  const FofOptions linking{.linking_length = length, .min_size = 2};
  const Groups groups = fof(there, linking, on_device()), expected = fof(here, linking, cpu);
  EXPECT_EQ(groups.sizes(), expected.sizes()) << set.name;
  EXPECT_EQ(groups.lowest(), expected.lowest()) << set.name;
  EXPECT_TRUE(std::equal(groups.label().begin(), groups.label().end(), expected.label().begin()))
      << set.name;
  const CatalogueOptions wanted{.box = box, .velocity = set.view()};
  test::expect_rows(catalogue(set.view(), groups, wanted, on_device()),
                    catalogue(set.view(), expected, wanted, cpu), 0);
}

template <class T>
void check_sets(int dimension, std::size_t n) {
  for (const auto& set : test::random_sets<T>(dimension, n, 5)) {
    check_calls<T>(set, {}, 0.05);
    check_calls<T>(set, Box::periodic(2.0), 0.02);
  }
}

TEST_F(OnHost, CallsHaveTheBitsOfTheCpu) {
  check_sets<float>(3, 300);
  check_sets<double>(3, 100);
}

TEST_F(OnHost, PointsOfAPlaneHaveTheBitsOfTheCpu) { check_sets<float>(2, 150); }

TEST_F(OnHost, DegenerateSetsHaveTheBitsOfTheCpu) {
  for (const auto& set : test::degenerate_sets<float>(3))
    if (set.size() > 0 && set.size() <= 600) check_calls<float>(set, {}, 0.1);
}

TEST_F(OnHost, AnyOrderHasTheBitsOfTheCpu) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    host::settings() = {.is_random = true, .seed = seed};
    check_calls<float>(test::random_sets<float>(3, 400, seed)[seed % 2], {}, 0.08);
    check_calls<double>(test::random_sets<double>(3, 100, seed)[seed % 2], {}, 0.08);
  }
}

/// More points than one batch or tile of any kernel holds.
TEST_F(OnHost, ManyPointsHaveTheBitsOfTheCpu) {
  const auto set = test::random_sets<float>(3, 20000, 5)[1];
  const Tree there(set.view(), {}, on_device()), here(set.view(), {}, {.threads = 1});
  EXPECT_EQ(there.order(), here.order());
  EXPECT_TRUE(are_equal(rows_of(knn<float>(there, {.k = 16}, on_device())),
                        rows_of(knn<float>(here, {.k = 16}, {.threads = 1}))));
}

}  // namespace
}  // namespace kith
