// Devices that lack something: functions of OpenCL are replaced by others.
#include <cstdlib>
#include <string>

#include <kith/groups.hpp>
#include <kith/neighbors.hpp>

#include "gpu/device.hpp"
#include "gpu/support.hpp"
#include "support/catalogues.hpp"
#include "support/point_sets.hpp"

namespace kith {
namespace {

using test::on_device;

/// PoCL shows the CPU twice, so that there is a second device to be opened without float64.
[[maybe_unused]] const int kTwoDevices = setenv("POCL_DEVICES", "pthread pthread", 0);

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
