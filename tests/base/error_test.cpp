// The exception type and the formatted ways to throw it.
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "base/fail.hpp"

namespace kith {
namespace {

TEST(Error, CarriesItsCodeAndMessage) {
  const Error error(ErrorCode::io, "read: no such file");
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_STREQ(error.what(), "read: no such file");
}

TEST(Error, IsARuntimeError) {
  EXPECT_THROW(throw Error(ErrorCode::internal, "x"), std::runtime_error);
}

TEST(Error, EveryCodeHasANameOfItsOwn) {
  std::set<std::string> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code)
    names.insert(name(static_cast<ErrorCode>(code)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::internal) + 1);
  EXPECT_EQ(names.count("unknown"), 0u);
  EXPECT_STREQ(name(ErrorCode::non_finite), "non_finite");
}

TEST(Error, FailFormats) {
  try {
    fail(ErrorCode::too_large, "tree: {} points; give at most {}", 12, 10);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::too_large);
    EXPECT_STREQ(error.what(), "tree: 12 points; give at most 10");
    return;
  }
  FAIL() << "fail() returned";
}

TEST(Error, RefuseMeansInvalidArgument) {
  try {
    refuse("knn: k = {}; ask for at least 1 neighbor", 0);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_STREQ(error.what(), "knn: k = 0; ask for at least 1 neighbor");
    return;
  }
  FAIL() << "refuse() returned";
}

}  // namespace
}  // namespace kith
