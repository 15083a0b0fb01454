// A tree that was built on a device has the bits of the CPU's, and trees can be copied both ways.
#include <cstring>

#include "gpu/packed_tree.hpp"
#include "gpu/support.hpp"
#include "support/property.hpp"
#include "tree/tree_impl.hpp"

namespace kith {
namespace {

using test::Draw;
using test::on_device;
using test::PointSet;
class GpuTree : public test::OnDevice {};

template <class V>
bool same_bytes(const Array<V>& a, const Array<V>& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size() * sizeof(V)) == 0);
}

/// Blocks and planes byte by byte, NaN lanes included.
template <class T>
::testing::AssertionResult have_same_bits(const AnyTree& a, const AnyTree& b) {
  const TreeData<T>&x = impl_of(a).as<T>(), &y = impl_of(b).as<T>();
  if (x.frame.exponent != y.frame.exponent) return ::testing::AssertionFailure() << "scale";
  if (x.planes.points != y.planes.points) return ::testing::AssertionFailure() << "points";
  if (a.order() != b.order()) return ::testing::AssertionFailure() << "order";
  if (!same_bytes(x.planes.blocks, y.planes.blocks))
    return ::testing::AssertionFailure() << "blocks";
  if (x.planes.planes.size() != y.planes.planes.size())
    return ::testing::AssertionFailure()
           << "planes " << x.planes.planes.size() << " and " << y.planes.planes.size();
  for (std::size_t p = 0; p < x.planes.planes.size(); ++p) {
    const Plane<T>&one = x.planes.planes[p], &other = y.planes.planes[p];
    if (one.nodes != other.nodes || !same_bytes(one.boxes, other.boxes) ||
        !same_bytes(one.smallest, other.smallest) || !same_bytes(one.largest, other.largest))
      return ::testing::AssertionFailure() << "plane " << p;
  }
  return ::testing::AssertionSuccess();
}

template <class T>
void check_device_tree(Draw& draw) {
  const int dimension = sizeof(T) == 4 ? draw.one_of({1, 2, 3, 3, 3, 5}) : 3;
  const std::size_t most = draw.below(8) ? 700 : 9000;
  const auto set = draw.point_set<T>(dimension, draw.size(static_cast<double>(most)));
  TreeOptions options{.box = draw.box(dimension)};
  options.curve = draw.below(2) ? Curve::z : Curve::hilbert;
  const Tree cpu(set.view(), options, {.threads = 1});
  const Tree gpu(set.view(), options, on_device());
  ASSERT_TRUE(have_same_bits<T>(cpu, gpu))
      << set.name << ", n = " << set.size() << ", d = " << dimension << ", curve "
      << int(options.curve);
}

TEST_F(GpuTree, FloatsHaveTheBitsOfTheCpu) { test::for_cases(120, check_device_tree<float>); }
TEST_F(GpuTree, DoublesHaveTheBitsOfTheCpu) { test::for_cases(50, check_device_tree<double>); }

template <class T>
void check_degenerate(int dimension, Curve curve) {
  for (const PointSet<T>& set : test::degenerate_sets<T>(dimension)) {
    const TreeOptions options{.curve = curve};
    const Tree cpu(set.view(), options, {.threads = 1});
    const Tree gpu(set.view(), options, on_device());
    EXPECT_TRUE(have_same_bits<T>(cpu, gpu)) << set.name;
  }
}

TEST_F(GpuTree, DegenerateSetsHaveTheBitsOfTheCpu) {
  check_degenerate<float>(3, Curve::hilbert);
  check_degenerate<float>(2, Curve::z);
  check_degenerate<double>(3, Curve::z);
}

/// Enough points in a cell that the CPU sorts it again: more than its cache holds.
TEST_F(GpuTree, CrowdedCellsHaveTheBitsOfTheCpu) {
  constexpr std::size_t kCount = 150000;
  for (const Curve curve : {Curve::hilbert, Curve::z}) {
    const auto set = test::random_sets<float>(3, kCount, 3)[1];  // clustered
    const Tree cpu(set.view(), {.curve = curve}, {.threads = 1});
    const Tree gpu(set.view(), {.curve = curve}, on_device());
    EXPECT_TRUE(have_same_bits<float>(cpu, gpu));
  }
}

/// From the host to the device and back: every kind of tree keeps its blocks and its packed planes.
TEST_F(GpuTree, CopiesKeepAllBits) {
  const auto set = test::random_sets<float>(3, 5000, 3)[1];
  for (const Curve curve : {Curve::hilbert, Curve::kd}) {
    const Tree cpu(set.view(), {.curve = curve}, {.threads = 1});
    const auto there = gpu::tree_on<float>(gpu::open_device("test", "gpu"), impl_of(cpu));
    AnyTree::Impl back;
    back.data = TreeData<float>{};
    there->copy_to(back);
    const Planes<float>&one = impl_of(cpu).as<float>().planes,
          &other = std::get<TreeData<float>>(back.data).planes;
    EXPECT_TRUE(same_bytes(one.blocks, other.blocks));
    ASSERT_EQ(one.planes.size(), other.planes.size());
    for (std::size_t p = 0; p < one.planes.size(); ++p)
      EXPECT_TRUE(same_bytes(one.planes[p].boxes, other.planes[p].boxes)) << p;
  }
}

TEST_F(GpuTree, DroppedPointsAreLeftOut) {
  auto set = test::random_sets<float>(3, 500, 3)[0];
  set.x[30] = std::numeric_limits<float>::quiet_NaN();
  set.x[77] = std::numeric_limits<float>::infinity();
  const TreeOptions options{.non_finite = NonFinite::drop};
  EXPECT_TRUE(have_same_bits<float>(Tree(set.view(), options, {.threads = 1}),
                                    Tree(set.view(), options, on_device())));
  try {
    const Tree tree(set.view(), {}, on_device());
    ADD_FAILURE() << "a NaN was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::non_finite);
    EXPECT_NE(std::string(error.what()).find("point 10"), std::string::npos) << error.what();
  }
}

TEST_F(GpuTree, RowsMayBeFarApart) {
  const auto set = test::random_sets<float>(5, 300, 3)[0];
  const PointsView rows = view(set.x.data() + 1, 300, 3, 5);
  EXPECT_TRUE(
      have_same_bits<float>(AnyTree(rows, {}, {.threads = 1}), AnyTree(rows, {}, on_device())));
}

TEST_F(GpuTree, SaysWhatItCannotBuild) {
  const auto set = test::random_sets<float>(3, 100, 3)[0];
  for (const TreeOptions& options :
       {TreeOptions{.curve = Curve::kd}, TreeOptions{.builder = Builder::cells}}) {
    try {
      const Tree tree(set.view(), options, on_device());
      ADD_FAILURE() << "was built";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unavailable) << error.what();
    }
  }
}

TEST_F(GpuTree, MoreThanFitsIsAnErrorThatSaysHowManyDo) {
  const auto set = test::random_sets<float>(3, 10000, 3)[0];
  gpu::set_memory_limit(gpu::traffic().allocated + 500000);
  try {
    const Tree tree(set.view(), {}, on_device());
    ADD_FAILURE() << "was built";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("would fit"), std::string::npos) << error.what();
  }
  gpu::set_memory_limit(0);
}

TEST_F(GpuTree, OnlyPointsCrossTheBus) {
  constexpr std::size_t kCount = 20000;
  const auto set = test::random_sets<float>(3, kCount, 3)[0];
  const gpu::Traffic before = gpu::traffic();
  const Tree tree(set.view(), {}, on_device());
  const gpu::Traffic after = gpu::traffic();
  EXPECT_LT(after.uploaded - before.uploaded, kCount * 12 + 4096);
  EXPECT_LT(after.downloaded - before.downloaded, 4096u);
}

}  // namespace
}  // namespace kith
