// All calls on the kernels as C++: the bits of the CPU, in order and in any order.
//
// They run once more on a library with AddressSanitizer and UndefinedBehaviorSanitizer, which then
// see all kernels, and in part on one with ThreadSanitizer (tests/gpu/CMakeLists.txt).
#include "gpu/host/calls.hpp"

#include <cstdlib>

#include "gpu/host/kernels.hpp"
#include "gpu/support.hpp"

namespace kith {
namespace {

using test::are_equal;
using test::check_calls;
using test::check_sets;
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

TEST_F(OnHost, SmallSetsHaveTheBitsOfTheCpu) {
  for (const auto& set : test::random_sets<float>(3, 150, 5)) check_calls<float>(set, {}, 0.1);
  check_calls<double>(test::random_sets<double>(3, 70, 5)[1], {}, 0.1);
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
