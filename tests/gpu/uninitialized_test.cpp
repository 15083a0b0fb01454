// Runs the kernels of all calls for oclgrind's check for uninitialized values: oclgrind_test.py
// runs it and looks at what oclgrind says.
#include <cstdlib>
#include <string>

#include <kith/groups.hpp>
#include <kith/neighbors.hpp>
#include <kith/radius.hpp>

#include "gpu/device.hpp"
#include "gpu/opencl/opencl.hpp"
#include "gpu/support.hpp"
#include "support/catalogues.hpp"

namespace kith {
namespace {

using test::on_device;

/// Around two faults of oclgrind 21.10. It gives the number of a buffer that was released to a new
/// one, but keeps its notes on the old one, with the old size: it then reports values that were
/// written, in range_boxes and make_keys for example. So nothing is released or used again. And it
/// ends kernels at an instruction (freeze) that only optimized code has.
void spare_oclgrind() {
  gpu::OpenDevice::reuses_buffers = false;
  static const auto build = gpu::opencl().clBuildProgram;
  gpu::opencl().clReleaseMemObject = [](cl_mem) -> cl_int { return CL_SUCCESS; };
  gpu::opencl().clBuildProgram = [](cl_program program, cl_uint count, const cl_device_id* devices,
                                    const char* options, void (*tell)(cl_program, void*),
                                    void* data) -> cl_int {
    const std::string plain = std::string(options) + " -cl-opt-disable";
    return build(program, count, devices, plain.c_str(), tell, data);
  };
}

TEST(GpuUninitialized, AllCalls) {
  if (!std::getenv("OCLGRIND_UNINITIALIZED")) GTEST_SKIP() << "for oclgrind";
  spare_oclgrind();
  auto set = test::random_sets<float>(3, 80, 3)[0];
  for (std::size_t i = 0; i < 30; ++i) set.x[i] = 0.25f;  // ten times the same point
  const TreeOptions options{.box = Box::periodic(1.0)};
  const Tree tree(set.view(), options, on_device()), other(set.view(), options, {.threads = 1});
  const Execution cpu{.threads = 1};
  const auto near = knn<float>(tree, {.k = 5}, on_device()), expected = knn<float>(other, {.k = 5});
  EXPECT_TRUE(std::equal(near.distances(), near.distances() + 5 * 80, expected.distances()));
  EXPECT_EQ(radius_count(tree, {.radius = 0.1}, on_device()),
            radius_count(other, {.radius = 0.1}, cpu));
  EXPECT_EQ(radius<float>(tree, {.radius = 0.1}, on_device()).size(), 80u);
  const Groups groups = fof(tree, {.linking_length = 0.05}, on_device());
  EXPECT_EQ(groups.sizes(), fof(other, {.linking_length = 0.05}, cpu).sizes());
  const CatalogueOptions wanted{.box = Box::periodic(1.0), .velocity = set.view()};
  test::expect_rows(catalogue(set.view(), groups, wanted, on_device()),
                    catalogue(set.view(), groups, wanted, cpu), 0);
}

}  // namespace
}  // namespace kith
