// CUDA and HIP from the list of devices to the bits of all calls, over kernels as C++.
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "gpu/cuda/compiler.hpp"
#include "gpu/cuda/staging.hpp"
#include "gpu/host/calls.hpp"
#include "gpu/host/faked.hpp"
#include "gpu/steps.hpp"

namespace kith {
namespace {

using test::check_calls;
using test::check_sets;
using test::error_of;
using test::Setting;

/// Before the first call opens them.
[[maybe_unused]] const bool kOpened = [] {
  for (const char* variable : {"KITH_CUDA", "KITH_NVRTC", "KITH_HIP", "KITH_HIPRTC", "KITH_OPENCL"})
    setenv(variable, KITH_HOST_LIBRARY, 0);
  setenv("KITH_CACHE", "", 0);  // tests compile anew, except those of the cache
  return true;
}();

class GpuCuda : public test::OnFakedDriver {};

auto neighbors(const test::PointSet<float>& set, std::size_t k, const std::string& device) {
  const Execution there{.threads = 1, .device = device};
  return test::rows_of(knn<float>(Tree(set.view(), {}, there), {.k = k}, there));
}

TEST_F(GpuCuda, CudaComesBeforeHipAndOpenCl) {
  const auto all = gpu::devices();
  ASSERT_EQ(all.size(), 7u);
  const char* const expected[][2] = {{"gpu:0", "cuda:0"},
                                     {"gpu:1", "cuda:1"},
                                     {"gpu:2", "cuda:2"},
                                     {"gpu:3", "hip:0"},
                                     {"gpu:4", "hip:1"},
                                     {"gpu:5", "hip:2"},
                                     // The same card as cuda:1 by its UUID.
                                     {"opencl:0", "opencl:0"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].name, expected[i][0]);
    EXPECT_EQ(all[i].api, expected[i][1]);
    EXPECT_EQ(all[i].refusal, "");
  }
  EXPECT_EQ(all[1].model, "faked NVIDIA 1");
  EXPECT_EQ(all[1].version, "CUDA 13.1, compute capability 8.0");
  EXPECT_EQ(all[1].pci_address, "0000:3b:00.1");
  EXPECT_EQ(all[1].uuid, "ab010203-0405-0607-0809-0a0b0c0d0eff");
  EXPECT_EQ(all[1].uuid, all[6].uuid);
  EXPECT_EQ(all[1].compute_units, 7);
  EXPECT_EQ(all[3].platform, "HIP");
  EXPECT_EQ(all[3].version, "HIP 6.3");
}

TEST_F(GpuCuda, ACardHasManyNames) {
  for (const char* name : {"gpu", "gpu:0", "cuda", "cuda:0", "0000:3b:00.0", "0000:3B:00.0"})
    EXPECT_EQ(gpu::device(name).api, "cuda:0") << name;
  for (const char* name : {"gpu:4", "hip:1", "0000:c1:00.1"})
    EXPECT_EQ(gpu::device(name).api, "hip:1") << name;
  EXPECT_EQ(gpu::device("opencl").api, "opencl:0");
  EXPECT_EQ(gpu::device("GPU-AB010203-0405-0607-0809-0a0b0c0d0eff").api, "cuda:1");
  // Every name is one of a call as well.
  const auto set = test::random_sets<float>(3, 100, 3)[0];
  const Tree by_address(set.view(), {}, {.device = "0000:c1:00.1"});
  EXPECT_EQ(by_address.order(), Tree(set.view()).order());
  EXPECT_EQ(error_of([&] { const Tree tree(set.view(), {}, {.device = "cuda:7"}); }).first,
            ErrorCode::unavailable);
  for (const char* name : {"cuda:x", "hip:", "cuda-0"})
    EXPECT_EQ(error_of([&] { const Tree tree(set.view(), {}, {.device = name}); }).first,
              ErrorCode::invalid_argument)
        << name;
}

TEST_F(GpuCuda, CallsHaveTheBitsOfTheCpu) {
  check_sets<float>(3, 300, "cuda:0");
  check_sets<double>(3, 80, "cuda:0");
  EXPECT_GT(gpu::traffic("cuda:0").launches, 0u);
}

TEST_F(GpuCuda, CallsOfHipHaveTheBitsOfTheCpu) {
  check_sets<float>(2, 100, "hip:0");
  check_sets<double>(3, 60, "hip:1");
  EXPECT_GT(gpu::traffic("hip:1").launches, 0u);
}

TEST_F(GpuCuda, DegenerateSetsHaveTheBitsOfTheCpu) {
  for (const auto& set : test::degenerate_sets<float>(3))
    if (set.size() > 0 && set.size() <= 200) check_calls<float>(set, {}, 0.1, "cuda:1");
}

/// Bits of trees that the CPU built and of trees of another device.
TEST_F(GpuCuda, ATreeOfOneDeviceIsSearchedOnAnother) {
  const auto set = test::random_sets<float>(3, 500, 3)[0];
  const Tree here(set.view(), {.curve = Curve::kd}), there(set.view(), {}, {.device = "hip:0"});
  const auto expected = test::rows_of(knn<float>(here, {.k = 5}));
  for (const Tree<float>* tree : {&here, &there})
    EXPECT_TRUE(test::are_equal(test::rows_of(knn<float>(*tree, {.k = 5}, {.device = "cuda:1"})),
                                expected));
}

/// Other libraries of the process keep the context and the device that they had.
TEST_F(GpuCuda, TheContextOfTheCallerStays) {
  auto* push = test::driver_function<int(void*)>("cuCtxPushCurrent_v2");
  auto* pop = test::driver_function<int(void**)>("cuCtxPopCurrent_v2");
  auto* current = test::driver_function<int(void**)>("cuCtxGetCurrent");
  auto* retain = test::driver_function<int(void**, int)>("cuDevicePrimaryCtxRetain");
  auto* use = test::driver_function<int(int)>("hipSetDevice");
  auto* used = test::driver_function<int(int*)>("hipGetDevice");
  const auto set = test::random_sets<float>(3, 200, 3)[0];
  void *mine = nullptr, *now = nullptr;
  ASSERT_EQ(retain(&mine, 1), 0);
  for (void* context : {static_cast<void*>(nullptr), mine}) {
    if (context) {
      ASSERT_EQ(push(context), 0);
    }
    ASSERT_EQ(use(context ? 1 : 0), 0);
    const auto call = [&] {
      for (const char* device : {"cuda:0", "hip:0", "hip:1"}) neighbors(set, 4, device);
    };
    call();
    const auto fails = test::failing("launch=719@3");
    EXPECT_EQ(error_of(call).first, ErrorCode::unavailable);
    ASSERT_EQ(current(&now), 0);
    EXPECT_EQ(now, context);
    int device = -1;
    ASSERT_EQ(used(&device), 0);
    EXPECT_EQ(device, context ? 1 : 0);
    if (context) {
      ASSERT_EQ(pop(&now), 0);
    }
  }
}

/// The bytes of a write may change, and those of a read are there, when the call returns.
TEST_F(GpuCuda, CopiesAreCompleteWhenTheyReturn) {
  for (const char* name : {"cuda:0", "hip:0"}) {
    gpu::OpenDevice& device = gpu::open_device("test", name);
    std::vector<std::uint32_t> values(100, 1), found(100);
    gpu::Uints there(device, values.size());
    there.write(values.data(), values.size());
    values.assign(100, 2);
    there.read(found.data(), found.size());
    EXPECT_EQ(found, std::vector<std::uint32_t>(100, 1));
    gpu::fill(device, there, 3, 100);
    there.read(found.data(), found.size());
    EXPECT_EQ(found, std::vector<std::uint32_t>(100, 3));
  }
}

/// Of pieces, and of parts of them.
TEST_F(GpuCuda, LargeCopiesGoThroughPinnedBuffers) {
  const std::size_t usual = gpu::cuda::Staging::room.exchange(256);
  for (const char* name : {"cuda:1", "hip:1"}) {
    gpu::OpenDevice& device = gpu::open_device("test", name);
    for (const std::size_t count : {1u, 63u, 64u, 65u, 128u, 129u, 192u, 1000u}) {
      std::vector<std::uint32_t> values(count), found(count);
      std::iota(values.begin(), values.end(), 7u);
      const auto expected = values;
      gpu::Uints there(device, count);
      there.write(values.data(), count);
      values.assign(count, 2);
      there.read(found.data(), count);
      EXPECT_EQ(found, expected) << count;
    }
  }
  check_sets<float>(3, 300, "cuda:1");
  gpu::cuda::Staging::room = usual;
}

TEST_F(GpuCuda, KernelsAreMeasuredByEvents) {
  const auto set = test::random_sets<float>(3, 500, 1)[0];
  for (const char* device : {"cuda:0", "hip:0"}) {
    gpu::measure_kernels(true, device);
    const std::uint64_t before = gpu::traffic(device).launches;
    neighbors(set, 4, device);
    std::uint64_t launches = 0;
    for (const gpu::KernelTime& time : gpu::kernel_times(device)) {
      launches += time.launches;
      EXPECT_GT(time.seconds, 0) << time.kernel;
    }
    EXPECT_EQ(launches, gpu::traffic(device).launches - before);
    gpu::measure_kernels(false, device);
  }
}

/// A card that is newer than the compiler gets code in the intermediate language.
TEST_F(GpuCuda, ACompilerThatDoesNotKnowTheCardMakesPtx) {
  const auto set = test::random_sets<float>(1, 300, 3)[0];
  const Setting old("KITH_FAKE_ARCHITECTURES", "60,75");
  const Tree there(set.view(), {}, {.device = "cuda:1"});
  EXPECT_EQ(there.order(), Tree(set.view()).order());
}

/// Kernels that an earlier process compiled are on disk.
TEST_F(GpuCuda, CodeIsCompiledOnce) {
  namespace fs = std::filesystem;
  const std::string folder = ::testing::TempDir() + "kith_cache_" + std::to_string(getpid());
  const Setting cache("KITH_CACHE", folder + "/below");
  const auto& compiler = gpu::cuda::nvidia_compiler(13);
  const gpu::ProgramKey knn{"knn", false, 3, 16}, walk{"walk", false, 3};
  gpu::Device card{.name = "cuda:0", .model = "card", .version = "CUDA 13.1"};
  const auto code_of = [&](const gpu::ProgramKey& key) {
    return gpu::cuda::compiled(compiler, key, {card, 80});
  };
  const std::string code = code_of(knn);
  ASSERT_EQ(std::distance(fs::directory_iterator(folder + "/below"), {}), 1);
  const auto fails = test::failing("compile=6");
  EXPECT_EQ(code_of(knn), code);
  const auto expect_compiled = [&](const gpu::ProgramKey& key) {
    EXPECT_EQ(error_of([&] { code_of(key); }).first, ErrorCode::unavailable);
  };
  expect_compiled(walk);
  card.version = "CUDA 13.2";
  expect_compiled(knn);
  card.version = "CUDA 13.1";
  const fs::path file = fs::directory_iterator(folder + "/below")->path();
  const auto bytes = static_cast<std::streamoff>(fs::file_size(file));
  for (const std::streamoff damaged : {bytes - 1, std::streamoff{0}, std::streamoff{40}}) {
    std::fstream at(file, std::ios::in | std::ios::out | std::ios::binary);
    at.seekg(damaged);
    const char one = static_cast<char>(at.get());
    at.seekp(damaged).put(static_cast<char>(one ^ 1)).flush();
    expect_compiled(knn);
    at.seekp(damaged).put(one);
  }
  EXPECT_EQ(code_of(knn), code);
  fs::resize_file(file, static_cast<std::uintmax_t>(bytes / 2));
  expect_compiled(knn);
  fs::remove_all(folder);
}

TEST_F(GpuCuda, ACacheThatCannotBeWrittenIsNoError) {
  const Setting cache("KITH_CACHE", "/proc/nowhere");
  const gpu::Device card{.name = "cuda:0", .model = "card", .version = "CUDA 13.1"};
  EXPECT_NE(gpu::cuda::compiled(gpu::cuda::nvidia_compiler(13), {"knn", false, 3, 16}, {card, 80}),
            "");
}

TEST_F(GpuCuda, SearchesRunInTheMemoryThatOthersLeave) {
  const auto set = test::random_sets<float>(3, 3000, 3)[0];
  const auto expected = neighbors(set, 16, "cpu");
  const Setting little("KITH_FAKE_MEMORY", "1500000");
  EXPECT_TRUE(test::are_equal(neighbors(set, 16, "cuda:0"), expected));
}

}  // namespace
}  // namespace kith
