// Points and rows of neighbors that stay in the memory of a device.
#include <cmath>
#include <vector>

#include "gpu/host/calls.hpp"
#include "gpu/host/faked.hpp"

namespace kith {
namespace {

using test::error_of;

class GpuInPlace : public test::OnFakedDriver {};

/// An array in the memory of a device.
template <class V>
class OnCard {
 public:
  OnCard(const std::string& device, std::size_t size)
      : device_(device), size_(size), memory_(gpu::allocate(size * sizeof(V), device)) {}
  OnCard(const std::string& device, const std::vector<V>& values) : OnCard(device, values.size()) {
    gpu::copy_to_device(memory_.get(), values.data(), size_ * sizeof(V), device_);
  }
  V* data() const { return static_cast<V*>(memory_.get()); }
  std::vector<V> host() const {
    std::vector<V> values(size_);
    gpu::copy_to_host(values.data(), memory_.get(), size_ * sizeof(V), device_);
    return values;
  }

 private:
  std::string device_;
  std::size_t size_;
  std::shared_ptr<void> memory_;
};

template <class T>
std::vector<T> numbers_of(const test::PointSet<T>& set) {
  const auto view = set.view();
  const auto* data = static_cast<const T*>(view.data);
  return {data, data + view.size * static_cast<std::size_t>(view.dimension)};
}

template <class T, class Index>
void check_rows(const std::string& device, const test::PointSet<T>& set,
                const KnnOptions& options) {
  const Execution there{.threads = 1, .device = device};
  const auto view = set.view();
  const OnCard<T> points(device, numbers_of(set));
  const std::uint64_t before = gpu::traffic(device).uploaded;
  const Tree<T> tree(View<T>(points.data(), view.size, view.dimension, view.dimension), {}, there);
  EXPECT_LT(gpu::traffic(device).uploaded - before, view.size * sizeof(T));
  const auto expected = knn<T, Index>(Tree<T>(view), options, {.threads = 1});
  const std::size_t values = view.size * options.k;
  const OnCard<Index> index(device, values);
  const OnCard<T> distance(device, values);
  const std::uint64_t downloaded = gpu::traffic(device).downloaded;
  knn_into<T, Index>(tree, options, {index.data(), distance.data(), view.size}, there);
  EXPECT_LT(gpu::traffic(device).downloaded - downloaded, view.size * options.k);
  EXPECT_EQ(index.host(), std::vector<Index>(expected.indices(), expected.indices() + values));
  EXPECT_EQ(distance.host(), std::vector<T>(expected.distances(), expected.distances() + values));
  // One of the two alone, and other queries.
  knn_into<T, Index>(tree, View<T>(points.data(), view.size, view.dimension, view.dimension),
                     {.k = options.k}, {nullptr, distance.data(), view.size}, there);
  const auto own = knn<T, Index>(Tree<T>(view), {.k = options.k}, {.threads = 1});
  EXPECT_EQ(distance.host(), std::vector<T>(own.distances(), own.distances() + values));
}

TEST_F(GpuInPlace, RowsHaveTheBitsOfTheCpu) {
  for (const char* device : {"cuda:0", "hip:1"})
    for (const auto& set : test::random_sets<float>(3, 400, 3)) {
      check_rows<float, std::int32_t>(device, set, {.k = 5});
      check_rows<float, std::int64_t>(device, set, {.k = 40, .exclude_self = true});
      check_rows<float, std::int32_t>(device, set, {.k = 3, .max_radius = 0.02});
      check_rows<float, std::int32_t>(device, set, {.k = 3, .order = RowOrder::tree});
    }
  check_rows<double, std::int64_t>("cuda:0", test::random_sets<double>(2, 300, 3)[0], {.k = 7});
}

/// Scaled frames, points that are dropped, more neighbors than points.
TEST_F(GpuInPlace, UnusualPoints) {
  auto set = test::random_sets<float>(3, 30, 3)[0];
  check_rows<float, std::int32_t>("cuda:0", set, {.k = 50});
  std::vector<float> numbers = numbers_of(set);
  for (float& x : numbers) x *= 1e-30f;
  numbers[7] = std::nanf("");
  const OnCard<float> points("cuda:0", numbers);
  const Execution there{.threads = 1, .device = "cuda:0"};
  const View<float> view(points.data(), 30, 3, 3), host(numbers.data(), 30, 3, 3);
  const auto error = error_of([&] { const Tree tree(view, {}, there); });
  EXPECT_EQ(error.first, ErrorCode::non_finite);
  EXPECT_EQ(error, error_of([&] { const Tree tree(host); }));
  const TreeOptions drop{.non_finite = NonFinite::drop};
  const OnCard<std::int32_t> index("cuda:0", 120);
  const OnCard<float> distance("cuda:0", 120);
  knn_into<float, std::int32_t>(Tree(view, drop, there), {.k = 4},
                                {index.data(), distance.data(), 30}, there);
  const auto expected = knn<float>(Tree(host, drop), {.k = 4});
  EXPECT_EQ(index.host(), std::vector<std::int32_t>(expected.indices(), expected.indices() + 120));
  EXPECT_EQ(distance.host(), std::vector<float>(expected.distances(), expected.distances() + 120));
}

TEST_F(GpuInPlace, GroupsOfPointsThatAreThere) {
  const auto set = test::random_sets<float>(3, 400, 3)[0];
  const OnCard<float> points("hip:0", numbers_of(set));
  const FofOptions options{.linking_length = 0.05, .min_size = 2};
  const Groups found = fof(View<float>(points.data(), 400, 3, 3), options, {.device = "hip:0"});
  const Groups expected = fof(set.view(), options);
  EXPECT_TRUE(std::equal(found.label().begin(), found.label().end(), expected.label().begin()));
}

/// Copies of another library, on its stream, that have not run yet.
TEST_F(GpuInPlace, WorkOfOthersIsWaitedFor) {
  auto* push = test::driver_function<int(void*)>("cuCtxPushCurrent_v2");
  auto* pop = test::driver_function<int(void**)>("cuCtxPopCurrent_v2");
  auto* retain = test::driver_function<int(void**, int)>("cuDevicePrimaryCtxRetain");
  auto* make_stream = test::driver_function<int(void**, unsigned)>("cuStreamCreate");
  auto* copy =
      test::driver_function<int(void*, const void*, std::size_t, void*)>("cuMemcpyHtoDAsync_v2");
  const auto set = test::random_sets<float>(3, 100, 3)[0];
  const std::vector<float> numbers = numbers_of(set);
  const OnCard<float> points("cuda:0", numbers.size());
  void *context = nullptr, *stream = nullptr;
  ASSERT_EQ(retain(&context, 0), 0);
  ASSERT_EQ(push(context), 0);
  ASSERT_EQ(make_stream(&stream, 1), 0);
  ASSERT_EQ(copy(points.data(), numbers.data(), numbers.size() * sizeof(float), stream), 0);
  const Tree tree(View<float>(points.data(), 100, 3, 3), {}, {.device = "cuda:0"});
  EXPECT_EQ(tree.order(), Tree(set.view()).order());
  ASSERT_EQ(pop(&context), 0);
}

TEST_F(GpuInPlace, WrongMemoryIsAnError) {
  const auto set = test::random_sets<float>(3, 40, 3)[0];
  const OnCard<float> points("cuda:0", numbers_of(set)), distance("cuda:0", 80);
  const View<float> view(points.data(), 40, 3, 3), gaps(points.data(), 20, 3, 6);
  const auto other = error_of([&] { const Tree tree(view, {}, {.device = "cuda:1"}); });
  EXPECT_EQ(other.first, ErrorCode::unavailable);
  EXPECT_NE(other.second.find("in the memory of cuda:0"), std::string::npos) << other.second;
  EXPECT_EQ(error_of([&] { const Tree tree(gaps, {}, {.device = "cuda:0"}); }).first,
            ErrorCode::invalid_argument);
  std::vector<std::int32_t> index(80);
  EXPECT_EQ(error_of([&] {
              knn_into<float, std::int32_t>(Tree(set.view()), {.k = 2},
                                            {index.data(), distance.data(), 40},
                                            {.device = "cuda:0"});
            }).first,
            ErrorCode::invalid_argument);
  EXPECT_EQ(error_of([&] { gpu::allocate(8, "opencl:0"); }).first, ErrorCode::unavailable);
  const auto fails = test::failing("allocate=2");
  EXPECT_EQ(error_of([&] { gpu::allocate(8, "cuda:0"); }).first, ErrorCode::out_of_memory);
}

}  // namespace
}  // namespace kith
