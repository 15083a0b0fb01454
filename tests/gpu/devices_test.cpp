// Devices: their list, their arithmetic, and the errors when something is missing or breaks.
#include <algorithm>
#include <random>
#include <vector>

#include <kith/groups.hpp>
#include <kith/neighbors.hpp>
#include <kith/pair_counts.hpp>

#include "gpu/device.hpp"
#include "gpu/opencl/opencl.hpp"
#include "gpu/self_test.hpp"
#include "gpu/steps.hpp"
#include "gpu/support.hpp"
#include "support/point_sets.hpp"

namespace kith {
namespace {

using test::on_device;
class GpuDevices : public test::OnDevice {};

/// The error of a call.
template <class Call>
std::pair<ErrorCode, std::string> error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {ErrorCode::internal, "nothing was thrown"};
}

TEST_F(GpuDevices, AreListedGpusFirst) {
  const auto all = gpu::devices();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().name, "gpu:0");
  EXPECT_FALSE(all.front().model.empty());
  EXPECT_GT(all.front().memory, 0u);
  EXPECT_TRUE(std::is_partitioned(all.begin(), all.end(), [](const auto& d) { return d.is_gpu; }));
}

TEST_F(GpuDevices, WrongNamesAreErrors) {
  const auto set = test::random_sets<float>(3, 10, 1)[0];
  const auto build = [&](const char* device) {
    return error_of([&] { const Tree tree(set.view(), {}, {.device = device}); });
  };
  EXPECT_EQ(build("gpu:99").first, ErrorCode::unavailable) << build("gpu:99").second;
  EXPECT_EQ(build("gpu:x").first, ErrorCode::invalid_argument) << build("gpu:x").second;
  EXPECT_EQ(build("tpu").first, ErrorCode::invalid_argument) << build("tpu").second;
  EXPECT_EQ(build("").first, ErrorCode::invalid_argument) << build("").second;
}

TEST_F(GpuDevices, CallsWithoutCodeForDevicesSaySo) {
  const auto set = test::random_sets<float>(3, 10, 1)[0];
  const Tree tree(set.view());
  const std::vector<double> edges = {0.1, 0.2};
  const auto error = error_of([&] { pair_counts(tree, tree, {.radii = edges}, on_device()); });
  EXPECT_EQ(error.first, ErrorCode::unavailable);
  EXPECT_NE(error.second.find("no code for device = gpu"), std::string::npos) << error.second;
}

TEST_F(GpuDevices, ComputeWhatTheCpuComputes) {
  EXPECT_EQ(gpu::first_difference(gpu::open_device("test", "gpu")), "");
  EXPECT_EQ(gpu::device().name, "gpu:0");
}

template <class Key>
std::vector<std::uint32_t> sorted_items(gpu::OpenDevice& device, const std::vector<Key>& keys) {
  gpu::KeySort<Key> sort(device, keys.size());
  sort.keys().write(keys.data(), keys.size());
  sort.reset(keys.size());
  sort.sort(keys.size(), 29);
  std::vector<std::uint32_t> items(keys.size());
  sort.items().read(items.data(), items.size());
  return items;
}

TEST_F(GpuDevices, ScanAndSort) {
  gpu::OpenDevice& device = gpu::open_device("test", "gpu");
  std::mt19937_64 random(2);
  for (const std::size_t n : {1, 63, 1024, 1025, 70000}) {
    std::vector<std::uint64_t> keys(n);
    std::vector<std::uint32_t> values(n), expected(n), sums(n), order(n);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = random() % 5000 * 0x10001;
      values[i] = static_cast<std::uint32_t>(random() % 100);
      expected[i] = std::exchange(sum, sum + values[i]);
      order[i] = static_cast<std::uint32_t>(i);
    }
    gpu::Uints on_device(device, n);
    on_device.write(values.data(), n);
    gpu::exclusive_scan(device, on_device, n);
    on_device.read(sums.data(), n);
    EXPECT_EQ(sums, expected) << n;

    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    const std::vector<std::uint32_t> short_keys(keys.begin(), keys.end());
    EXPECT_EQ(sorted_items(device, keys), order) << n;
    EXPECT_EQ(sorted_items(device, short_keys), order) << n;
  }
}

TEST_F(GpuDevices, KernelsAreMeasuredOnRequest) {
  const auto set = test::random_sets<float>(3, 1000, 1)[0];
  const auto search = [&] { knn<float>(Tree(set.view(), {}, on_device()), {.k = 4}, on_device()); };
  gpu::measure_kernels(true);
  const std::uint64_t before = gpu::traffic().launches;
  search();
  const auto times = gpu::kernel_times();
  std::uint64_t launches = 0;
  for (const gpu::KernelTime& time : times) {
    launches += time.launches;
    EXPECT_GE(time.seconds, 0) << time.kernel;
  }
  EXPECT_EQ(launches, gpu::traffic().launches - before);
  EXPECT_TRUE(std::any_of(times.begin(), times.end(), [](const gpu::KernelTime& time) {
    return time.kernel == "knn" && time.launches == 2 && time.seconds > 0;
  }));
  gpu::measure_kernels(false);
  search();
  EXPECT_EQ(gpu::kernel_times().size(), times.size());
  gpu::measure_kernels(true);
  EXPECT_TRUE(gpu::kernel_times().empty());
  gpu::measure_kernels(false);
}

TEST_F(GpuDevices, BuffersAreUsedAgain) {
  gpu::OpenDevice& device = gpu::open_device("test", "gpu");
  device.empty_pool();
  const std::size_t before = gpu::traffic().allocated;
  gpu::Memory first = nullptr;
  {
    const gpu::Uints buffer(device, 1000);
    first = buffer.memory();
  }
  EXPECT_EQ(gpu::traffic().allocated, before);
  const gpu::Uints again(device, 900), another(device, 900);
  EXPECT_EQ(again.memory(), first);
  EXPECT_NE(another.memory(), first);
  EXPECT_NE(gpu::Uints(device, 100000).memory(), first);
  device.empty_pool();
}

/// The functions of OpenCL, put back at the end.
struct Restored {
  gpu::OpenCl kept = gpu::opencl();
  ~Restored() { gpu::opencl() = kept; }
};

TEST_F(GpuDevices, LackOfMemoryAndALostDeviceAreErrors) {
  const auto set = test::random_sets<float>(3, 1000, 1)[0];
  const Tree tree(set.view(), {}, on_device());
  const auto search = [&] { knn<float>(tree, {.k = 4}, on_device()); };
  gpu::open_device("test", "gpu").empty_pool();
  const Restored at_the_end;
  gpu::opencl().clCreateBuffer = [](cl_context, cl_mem_flags, std::size_t, void*, cl_int* status) {
    *status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return cl_mem{};
  };
  EXPECT_EQ(error_of(search).first, ErrorCode::out_of_memory) << error_of(search).second;
  gpu::opencl() = at_the_end.kept;
  gpu::opencl().clEnqueueNDRangeKernel =
      [](cl_command_queue, cl_kernel, cl_uint, const std::size_t*, const std::size_t*,
         const std::size_t*, cl_uint, const cl_event*,
         cl_event*) -> cl_int { return CL_DEVICE_NOT_AVAILABLE; };
  EXPECT_EQ(error_of(search).first, ErrorCode::unavailable) << error_of(search).second;
  gpu::opencl() = at_the_end.kept;
  const std::size_t before = gpu::traffic().allocated;
  EXPECT_EQ(error_of(search).second, "nothing was thrown");
  EXPECT_EQ(gpu::traffic().allocated, before);  // and nothing is leaked
}

/// A driver may find out only at a launch that there is no memory: the batch is halved then.
TEST_F(GpuDevices, LackOfMemoryAtALaunchHalvesTheBatch) {
  const auto set = test::random_sets<float>(3, 5000, 1)[0];
  const Tree tree(set.view(), {}, on_device());
  const auto expected = knn<float>(tree, {.k = 4}, {.threads = 1});
  static std::size_t allowed;
  static decltype(gpu::OpenCl::clEnqueueNDRangeKernel) launch;
  // The kernels that run once for all batches have 128 work-items.
  for (const std::size_t work_items : {512, 128}) {
    const Restored at_the_end;
    allowed = work_items;
    launch = gpu::opencl().clEnqueueNDRangeKernel;
    gpu::opencl().clEnqueueNDRangeKernel =
        [](cl_command_queue queue, cl_kernel kernel, cl_uint dimension, const std::size_t* offset,
           const std::size_t* global, const std::size_t* local, cl_uint events,
           const cl_event* wait, cl_event* event) -> cl_int {
      if (*global > allowed) return CL_MEM_OBJECT_ALLOCATION_FAILURE;
      return launch(queue, kernel, dimension, offset, global, local, events, wait, event);
    };
    const auto found = knn<float>(tree, {.k = 4}, on_device());
    EXPECT_TRUE(std::equal(found.indices(), found.indices() + 4 * 5000, expected.indices()));
  }
}

TEST_F(GpuDevices, CanBeCancelled) {
  const auto set = test::random_sets<float>(3, 100, 1)[0];
  const CancelToken token;
  token.cancel();
  EXPECT_EQ(
      error_of([&] { const Tree tree(set.view(), {}, {.cancel = &token, .device = "gpu"}); }).first,
      ErrorCode::cancelled);
}

}  // namespace
}  // namespace kith
