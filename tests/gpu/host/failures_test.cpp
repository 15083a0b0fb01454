// Every error that a driver can report: a result is right, or an Error is thrown that names the
// function and the number, and the next call works.
#include <map>

#include "gpu/cuda/staging.hpp"
#include "gpu/device.hpp"
#include "gpu/host/calls.hpp"
#include "gpu/host/faked.hpp"

namespace kith {
namespace {

using test::error_of;
using test::failing;
using test::Setting;

class GpuFailures : public test::OnFakedDriver {
 protected:
  static bool lists(const std::string& api) {
    for (const gpu::Device& device : gpu::devices())
      if (device.api == api) return true;
    return false;
  }
};

/// The error of a tree of points with this many axes on a device.
std::pair<ErrorCode, std::string> error_of_tree(const std::string& device, int dimension = 3) {
  const auto set = test::random_sets<float>(dimension, 100, 3)[0];
  return error_of([&] { const Tree tree(set.view(), {.curve = Curve::z}, {.device = device}); });
}

void expect_words(const std::pair<ErrorCode, std::string>& error, const char* words) {
  EXPECT_EQ(error.first, ErrorCode::unavailable) << error.second;
  EXPECT_NE(error.second.find(words), std::string::npos) << error.second;
}

TEST_F(GpuFailures, ADriverThatDoesNotStartIsLeftOut) {
  ASSERT_TRUE(lists("cuda:0"));
  const auto fails = failing("init=803");
  // HIP's driver fails alike.
  EXPECT_FALSE(lists("cuda:0"));
  EXPECT_FALSE(lists("hip:0"));
  EXPECT_EQ(gpu::devices().front().name, "gpu:0");
  EXPECT_EQ(gpu::devices().front().api, "opencl:0");
  expect_words(error_of_tree("cuda:9"), "CUDA does not start (error 803: faked error 803)");
}

TEST_F(GpuFailures, NoDeviceIsNoError) {
  for (const char* how : {"init=100", "device_count=100"}) {
    const auto fails = failing(how);
    EXPECT_FALSE(lists("cuda:0"));
    EXPECT_TRUE(lists("opencl:0"));
  }
}

/// Of a card that no other test opens.
TEST_F(GpuFailures, OpeningADeviceFails) {
  for (const char* how : {"retain_context=46", "make_stream=999", "create=3", "compile=6",
                          "load_module=222", "function=500", "driver_version=999"}) {
    const auto fails = failing(how);
    EXPECT_EQ(error_of_tree("cuda:2").first, ErrorCode::unavailable) << how;
  }
  {
    const auto fails = failing("compile=6");
    expect_words(error_of_tree("cuda:2"), "It says: an injected error");
  }
  {
    const auto fails = failing("load_module=222");
    expect_words(error_of_tree("cuda:2"),
                 "refuses code of NVRTC 13.0 (CUDA error 222: faked error 222); update the driver");
  }
  {
    const Setting only_newer("KITH_FAKE_ARCHITECTURES", "90,100");
    expect_words(error_of_tree("cuda:2"), "NVRTC 13.0 has no code for faked NVIDIA 2");
  }
  EXPECT_EQ(error_of_tree("cuda:2").second, "nothing was thrown");
}

TEST_F(GpuFailures, WithoutACompilerTheErrorSaysWhatToInstall) {
  const Setting version("KITH_FAKE_VERSION", "12040");
  const char* nvrtc = std::getenv("KITH_NVRTC");
  const std::string kept = nvrtc ? nvrtc : "";
  setenv("KITH_NVRTC", "/nowhere/libnvrtc.so", 1);
  const auto error = error_of_tree("cuda:0", 2);
  setenv("KITH_NVRTC", kept.c_str(), 1);
  expect_words(error, "pip install nvidia-cuda-nvrtc-cu12");
}

TEST_F(GpuFailures, LackOfMemoryHalvesBatches) {
  const auto set = test::random_sets<float>(3, 3000, 1)[0];
  for (const char* device : {"cuda:0", "hip:0"}) {
    const Tree tree(set.view(), {}, {.device = device});
    const auto expected = test::rows_of(knn<float>(tree, {.k = 4}, {.threads = 1}));
    for (const char* how : {"launch=2@4", "launch=2@9"}) {
      const auto fails = failing(how);
      EXPECT_TRUE(test::are_equal(
          test::rows_of(knn<float>(tree, {.k = 4}, {.threads = 1, .device = device})), expected))
          << how;
    }
    const auto fails = failing("launch=2");
    EXPECT_EQ(error_of([&] { knn<float>(tree, {.k = 4}, {.device = device}); }).first,
              ErrorCode::out_of_memory);
  }
}

/// A kernel that fails is noticed by the call that waits for it; the process has lost the device.
TEST_F(GpuFailures, AKernelThatFailsLosesTheDevice) {
  gpu::device("cuda:0");
  for (const char* how : {"run=700@3", "run=719@1", "run=702@20"}) {
    const auto fails = failing(how);
    for (int turn = 0; turn < 2; ++turn)
      expect_words(error_of_tree("cuda:0"), "the device is lost for this process (CUDA error 7");
  }
  EXPECT_EQ(error_of_tree("cuda:0").second, "nothing was thrown");
}

/// A tree, neighbors, groups and a catalogue; the labels and the indices.
std::vector<std::int64_t> all_calls(const test::PointSet<float>& set, const std::string& device) {
  const Execution there{.threads = 1, .device = device};
  const Tree tree(set.view(), {}, there);
  const auto near = knn<float>(tree, {.k = 4}, there);
  std::vector<std::int64_t> found(near.indices(), near.indices() + 4 * set.size());
  const auto within = radius<float>(tree, {.radius = 0.1}, there);
  for (const auto& row : test::rows_of(within))
    found.insert(found.end(), row.index.begin(), row.index.end());
  const Groups groups = fof(tree, {.linking_length = 0.05, .min_size = 2}, there);
  found.insert(found.end(), groups.label().begin(), groups.label().end());
  for (const double mass : catalogue(set.view(), groups, {}, there).mass)
    found.push_back(static_cast<std::int64_t>(mass));
  return found;
}

/// Without pinned memory, the driver copies by itself.
TEST_F(GpuFailures, PinnedMemoryThatIsShortIsNoError) {
  const auto set = test::random_sets<float>(3, 150, 1)[0];
  const auto expected = all_calls(set, "cpu");
  const std::size_t usual = gpu::cuda::Staging::room.exchange(256);
  const auto fails = failing("allocate_pinned=2@2+");
  EXPECT_EQ(all_calls(set, "hip:2"), expected);
  EXPECT_EQ(all_calls(set, "hip:2"), expected);
  gpu::cuda::Staging::room = usual;
}

/// One error in one call of each function of the driver.
TEST_F(GpuFailures, AnyFailureOfAnyFunctionIsAnErrorOrNoMatter) {
  const auto set = test::random_sets<float>(3, 150, 1)[0];
  const auto expected = all_calls(set, "cpu");
  std::map<std::string, int> errors;
  const std::size_t usual = gpu::cuda::Staging::room.exchange(256);
  for (const char* device : {"cuda:0", "hip:0"}) {
    EXPECT_EQ(all_calls(set, device), expected);
    const std::size_t allocated = gpu::traffic(device).allocated;
    for (const char* function :
         {"push_context", "current_device", "use_device", "allocate", "release", "memory_info",
          "write", "read", "launch", "wait_for_stream", "run", "record_event", "wait_for_event"})
      for (const int status : {1, 2, 700, 999})
        for (const int call : {1, 2, 7, 30, 100}) {
          const std::string how =
              std::string(function) + "=" + std::to_string(status) + "@" + std::to_string(call);
          gpu::open_device("test", device).empty_pool();
          const auto fails = failing(how);
          try {
            EXPECT_EQ(all_calls(set, device), expected) << device << ", " << how;
          } catch (const Error& error) {
            EXPECT_TRUE(error.code() == ErrorCode::unavailable ||
                        error.code() == ErrorCode::out_of_memory)
                << how << ": " << error.what();
            ++errors[function];
          }
          EXPECT_EQ(gpu::traffic(device).allocated, allocated) << how;
        }
    EXPECT_EQ(all_calls(set, device), expected);
  }
  gpu::cuda::Staging::room = usual;
  for (const char* function :
       {"push_context", "current_device", "use_device", "allocate", "write", "read", "launch",
        "wait_for_stream", "run", "record_event", "wait_for_event"})
    EXPECT_GT(errors[function], 0) << function;
}

}  // namespace
}  // namespace kith
