// Devices that lack something: functions of OpenCL are replaced by others.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include <kith/groups.hpp>
#include <kith/neighbors.hpp>

#include "gpu/device.hpp"
#include "gpu/opencl/free_memory.hpp"
#include "gpu/opencl/opencl.hpp"
#include "gpu/support.hpp"
#include "support/catalogues.hpp"
#include "support/point_sets.hpp"

namespace kith {
namespace {

using test::on_device;

/// PoCL shows the CPU several times, so that there are more devices to be opened: one without
/// float64, one without exact division, one that computes something else.
[[maybe_unused]] const int kDevices = setenv("POCL_DEVICES", "pthread pthread pthread pthread", 0);

class GpuFaked : public test::OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (!IsSkipped()) truth();
  }
  void TearDown() override {
    if (!IsSkipped()) gpu::opencl() = truth();
  }

 public:
  /// The functions as they are.
  static const gpu::OpenCl& truth() {
    static const gpu::OpenCl table = gpu::opencl();
    return table;
  }
};

/// The device's answer to `What` without some of its abilities.
template <cl_device_info What, cl_device_fp_config Without>
cl_int lacking(cl_device_id id, cl_device_info asked, std::size_t size, void* value,
               std::size_t* length) {
  const cl_int status = GpuFaked::truth().clGetDeviceInfo(id, asked, size, value, length);
  if (asked == What && value) *static_cast<cl_device_fp_config*>(value) &= ~Without;
  return status;
}
constexpr auto kWithoutSubnormals = &lacking<CL_DEVICE_SINGLE_FP_CONFIG, CL_FP_DENORM>;
constexpr auto kWithoutDivision =
    &lacking<CL_DEVICE_SINGLE_FP_CONFIG, CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT>;
constexpr auto kWithoutFloat64 = &lacking<CL_DEVICE_DOUBLE_FP_CONFIG, CL_FP_DENORM>;

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable) << error.what();
    return error.what();
  }
  return "nothing was thrown";
}

TEST_F(GpuFaked, WithoutSubnormalsItIsRefused) {
  gpu::opencl().clGetDeviceInfo = kWithoutSubnormals;
  EXPECT_EQ(gpu::devices().front().refusal, "it has no subnormal numbers");
}

TEST_F(GpuFaked, WithoutFloat64DoublesAreRefusedAndTheHostAddsUp) {
  if (gpu::devices().size() < 2) GTEST_SKIP() << "one device only";
  const Execution second{.threads = 1, .device = "gpu:1"};
  gpu::opencl().clGetDeviceInfo = kWithoutFloat64;
  const auto set = test::random_sets<float>(3, 2000, 3)[0];
  const Groups groups = fof(set.view(), {.linking_length = 0.05}, second);
  gpu::opencl() = truth();
  EXPECT_GT(gpu::traffic("gpu:1").launches, 0u);

  const auto doubles = test::random_sets<double>(3, 100, 3)[0];
  EXPECT_NE(message_of([&] { const Tree tree(doubles.view(), {}, second); }).find("no float64"),
            std::string::npos);
  const std::uint64_t before = gpu::traffic("gpu:1").launches;
  const Catalogue found = catalogue(set.view(), groups, {}, second);
  EXPECT_EQ(gpu::traffic("gpu:1").launches, before);
  test::expect_rows(found, catalogue(set.view(), groups, {}, {.threads = 1}), 0);
}

/// The text of kernels with another option, or an error.
template <class Change>
cl_int built_with(cl_program program, cl_uint count, const cl_device_id* devices,
                  const char* options, void (*tell)(cl_program, void*), void* data, Change change) {
  std::string text = options;
  if (!change(text)) return CL_BUILD_PROGRAM_FAILURE;
  return GpuFaked::truth().clBuildProgram(program, count, devices, text.c_str(), tell, data);
}

TEST_F(GpuFaked, WithoutExactDivisionFloatsAreDividedInDouble) {
  if (gpu::devices().size() < 3) GTEST_SKIP() << "two devices only";
  gpu::opencl().clGetDeviceInfo = kWithoutDivision;
  static bool divides_in_double;
  divides_in_double = false;
  gpu::opencl().clBuildProgram = [](cl_program program, cl_uint count, const cl_device_id* devices,
                                    const char* options, void (*tell)(cl_program, void*),
                                    void* data) -> cl_int {
    return built_with(program, count, devices, options, tell, data, [](const std::string& text) {
      divides_in_double |= text.find("-DDIVIDE_IN_DOUBLE") != std::string::npos;
      return text.find("-cl-fp32-correctly") == std::string::npos;
    });
  };
  const auto set = test::random_sets<float>(3, 3000, 3)[1];
  const Tree there(set.view(), {}, {.threads = 1, .device = "gpu:2"}), here(set.view());
  EXPECT_TRUE(divides_in_double);
  EXPECT_EQ(there.order(), here.order());
}

TEST_F(GpuFaked, ADriverThatContractsIsRefusedWithTheOperation) {
  if (gpu::devices().size() < 4) GTEST_SKIP() << "three devices only";
  gpu::opencl().clBuildProgram = [](cl_program program, cl_uint count, const cl_device_id* devices,
                                    const char* options, void (*tell)(cl_program, void*),
                                    void* data) -> cl_int {
    return built_with(program, count, devices, options, tell, data, [](std::string& text) {
      text += " -cl-fast-relaxed-math -cl-denorms-are-zero";
      return true;
    });
  };
  const auto set = test::random_sets<float>(3, 100, 3)[0];
  const std::string words =
      message_of([&] { const Tree tree(set.view(), {}, {.device = "gpu:3"}); });
  EXPECT_NE(words.find("gpu:3"), std::string::npos) << words;
  EXPECT_NE(words.find(" of float32 is "), std::string::npos) << words;
  EXPECT_NE(words.find(" on the CPU"), std::string::npos) << words;
  gpu::opencl() = truth();  // what failed was not kept
  EXPECT_EQ(gpu::device("gpu:3").name, "gpu:3");
}

TEST_F(GpuFaked, ACompilerThatRefusesHintsGetsTheTextWithoutThem) {
  gpu::opencl().clBuildProgram = [](cl_program program, cl_uint count, const cl_device_id* devices,
                                    const char* options, void (*tell)(cl_program, void*),
                                    void* data) -> cl_int {
    return built_with(program, count, devices, options, tell, data, [](const std::string& text) {
      return text.find("-DNO_UNROLL") != std::string::npos;
    });
  };
  const auto set = test::random_sets<float>(6, 100, 3)[0];  // a dimension that is not compiled yet
  const Tree there(set.view(), {.curve = Curve::z}, on_device());
  EXPECT_EQ(there.order(), Tree(set.view(), {.curve = Curve::z}).order());
}

/// Answers as NVIDIA's and AMD's drivers give them.
std::string faked_platform;
constexpr std::size_t kFreeMemory = 600000;

cl_int platform_info(cl_platform_id id, cl_platform_info what, std::size_t room, void* to,
                     std::size_t* size) {
  if (what != CL_PLATFORM_NAME)
    return GpuFaked::truth().clGetPlatformInfo(id, what, room, to, size);
  if (size) *size = faked_platform.size() + 1;
  if (to) std::copy_n(faked_platform.c_str(), faked_platform.size() + 1, static_cast<char*>(to));
  return CL_SUCCESS;
}

cl_int device_info(cl_device_id id, cl_device_info what, std::size_t room, void* to,
                   std::size_t* size) {
  const std::string extensions = "cl_khr_fp64 cl_khr_device_uuid " +
                                 std::string(faked_platform == "NVIDIA CUDA" ? "cl_nv" : "cl_amd") +
                                 "_device_attribute_query";
  const unsigned char topology[24] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0, 0,
                                      0, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 2, 1};
  const unsigned char uuid[16] = {0xab, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xff};
  const std::size_t free_kibibytes[2] = {kFreeMemory / 1024, kFreeMemory / 1024};
  const cl_uint bus = 0x3b, slot = 2 << 3, domain = 1;
  const auto answer = [&](const void* from, std::size_t bytes) -> cl_int {
    if (size) *size = bytes;
    if (to && room < bytes) return CL_INVALID_VALUE;
    if (to) std::memcpy(to, from, bytes);
    return CL_SUCCESS;
  };
  switch (what) {
    case CL_DEVICE_EXTENSIONS: return answer(extensions.c_str(), extensions.size() + 1);
    case 0x106A: return answer(uuid, sizeof uuid);
    case 0x4008: return answer(&bus, sizeof bus);
    case 0x4009: return answer(&slot, sizeof slot);
    case 0x400A: return answer(&domain, sizeof domain);
    case 0x4037: return answer(topology, sizeof topology);
    case 0x4039: return answer(free_kibibytes, sizeof free_kibibytes);
    default: return GpuFaked::truth().clGetDeviceInfo(id, what, room, to, size);
  }
}

TEST_F(GpuFaked, CardsAreNamedByAddressAndUuid) {
  gpu::opencl().clGetPlatformInfo = platform_info;
  gpu::opencl().clGetDeviceInfo = device_info;
  faked_platform = "AMD Accelerated Parallel Processing";
  EXPECT_EQ(gpu::devices().front().pci_address, "0000:41:02.1");
  faked_platform = "NVIDIA CUDA";
  const gpu::Device card = gpu::devices().front();
  EXPECT_EQ(card.pci_address, "0001:3b:02.0");
  EXPECT_EQ(card.uuid, "ab010203-0405-0607-0809-0a0b0c0d0eff");
  for (const char* name : {"0001:3b:02.0", "0001:3B:02.0", "ab010203-0405-0607-0809-0a0b0c0d0eff",
                           "GPU-AB010203-0405-0607-0809-0a0b0c0d0eff"})
    EXPECT_EQ(gpu::device(name).name, "gpu:0") << name;
  EXPECT_NE(message_of([&] { gpu::device("0000:00:00.0"); }).find("the devices here are"),
            std::string::npos);
}

TEST_F(GpuFaked, TheLimitIsWhatOthersLeave) {
  const auto set = test::random_sets<float>(3, 10000, 3)[0];
  const gpu::Device card{.platform = "NVIDIA CUDA", .pci_address = "0001:3b:02.0"};
  const gpu::Nvml kept = gpu::nvml();
  gpu::nvml() = {[](const char* address, void**) { return address[0] == '0' ? 0 : 1; },
                 [](void*, gpu::Nvml::Memory* memory) {
                   memory->free = kFreeMemory;
                   return 0;
                 }};
  EXPECT_EQ(gpu::free_memory(nullptr, card), kFreeMemory);
  gpu::nvml() = kept;
  gpu::opencl().clGetDeviceInfo = device_info;
  const gpu::Device amd{.platform = "AMD Accelerated Parallel Processing"};
  EXPECT_EQ(gpu::free_memory(nullptr, amd), kFreeMemory / 1024 * 1024);
  EXPECT_FALSE(gpu::free_memory(nullptr, {.platform = "Portable Computing Language"}));
}

TEST_F(GpuFaked, TheErrorOfAKernelHasTheCompilersWords) {
  gpu::opencl().clBuildProgram = [](cl_program program, cl_uint count, const cl_device_id* devices,
                                    const char* options, void (*tell)(cl_program, void*),
                                    void* data) -> cl_int {
    const std::string wrong = std::string(options) + " -DREAL=no_such_name";
    return truth().clBuildProgram(program, count, devices, wrong.c_str(), tell, data);
  };
  const auto set = test::random_sets<float>(7, 100, 3)[0];  // a dimension that is not compiled yet
  const std::string words =
      message_of([&] { const Tree tree(set.view(), {.curve = Curve::z}, on_device()); });
  EXPECT_NE(words.find("refuses"), std::string::npos) << words;
  EXPECT_NE(words.find("no_such_name"), std::string::npos) << words;
}

}  // namespace
}  // namespace kith
