// The driver of faked_driver.hpp in the place of CUDA's and HIP's.
#pragma once

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>

#include <kith/error.hpp>
#include <kith/gpu.hpp>

namespace kith::test {

/// For the time of a test: an environment variable that the driver reads at each call.
class Setting {
 public:
  Setting(const char* variable, const std::string& value) : variable_(variable) {
    if (const char* before = std::getenv(variable)) before_ = before;
    setenv(variable, value.c_str(), 1);
  }
  ~Setting() {
    if (before_)
      setenv(variable_, before_->c_str(), 1);
    else
      unsetenv(variable_);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* variable_;
  std::optional<std::string> before_;
};

/// Errors of the driver, as in faked_driver.hpp.
inline Setting failing(const std::string& how) { return {"KITH_FAKE_FAIL", how}; }

/// A function of the driver, for the test itself.
template <class F>
F* driver_function(const char* name) {
  static void* library = dlopen(KITH_HOST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<F*>(dlsym(library, name));
}

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

class OnFakedDriver : public ::testing::Test {
 protected:
  void SetUp() override { gpu::enable(); }
};

}  // namespace kith::test
