// Helpers for tests on a device, which are skipped without one.
#pragma once

#include <gtest/gtest.h>

#include <kith/error.hpp>
#include <kith/execution.hpp>
#include <kith/gpu.hpp>

namespace kith::test {

inline bool has_device() {
  gpu::enable();
  try {
    const auto all = gpu::devices();
    return !all.empty() && all.front().refusal.empty();
  } catch (const Error&) {
    return false;
  }
}

/// All of it runs there.
inline Execution on_device() { return {.threads = 1, .device = "gpu"}; }

class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no OpenCL device";
  }
};

}  // namespace kith::test
