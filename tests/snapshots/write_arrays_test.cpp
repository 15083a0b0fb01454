// Arrays and bare numbers in files, byte by byte.
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

#include <kith/io/snapshot.hpp>

#include "support/expect_error.hpp"
#include "support/folder.hpp"

namespace kith {
namespace {

using test::expect_error;
using test::Folder;

template <class T>
std::vector<T> numbers(const std::string& bytes) {
  std::vector<T> result(bytes.size() / sizeof(T));
  std::memcpy(result.data(), bytes.data(), result.size() * sizeof(T));
  return result;
}

TEST(WriteArrays, NpyHasTheHeaderThatNumPyReads) {
  const Folder folder;
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  write_snapshot(folder / "a.npy", {.position = view(x.data(), 3, 2)});
  const std::string bytes = folder.read("a.npy");
  ASSERT_EQ(bytes.size(), 128 + 24U);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(bytes[8], 118);
  EXPECT_EQ(bytes[9], 0);
  EXPECT_EQ(bytes.substr(10, 59), "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }");
  EXPECT_EQ(bytes[127], '\n');
  EXPECT_EQ(numbers<float>(bytes.substr(128)), x);
}

TEST(WriteArrays, DoublesStayDoubles) {
  const Folder folder;
  const std::vector<double> x = {1.1, 2.2, 3.3};
  write_snapshot(folder / "a.npy", {.position = view(x.data(), 1, 3)});
  EXPECT_NE(folder.read("a.npy").find("'<f8'"), std::string::npos);
  write_snapshot(folder / "a.f64", {.position = view(x.data(), 1, 3)});
  EXPECT_EQ(numbers<double>(folder.read("a.f64")), x);
}

TEST(WriteArrays, StridesAreLeftOut) {
  const Folder folder;
  const std::vector<float> x = {1, 2, -1, 3, 4, -1, 5, 6};
  write_snapshot(folder / "a.raw", {.position = view(x.data(), 3, 2, 3)});
  EXPECT_EQ(numbers<float>(folder.read("a.raw")), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(WriteArrays, ManyChunksAreOneFile) {
  const Folder folder;
  std::vector<float> x(3'000'003);
  std::iota(x.begin(), x.end(), 0.0F);
  write_snapshot(folder / "a.f32", {.position = view(x.data(), x.size() / 3, 3)});
  EXPECT_EQ(numbers<float>(folder.read("a.f32")), x);
}

TEST(WriteArrays, NoPointsIsAFileToo) {
  const Folder folder;
  write_snapshot(folder / "a.npy", {.position = view(static_cast<const float*>(nullptr), 0, 3)});
  EXPECT_NE(folder.read("a.npy").find("(0, 3)"), std::string::npos);
  EXPECT_EQ(folder.read("a.npy").size(), 128U);
}

TEST(WriteArrays, CancelledLeavesNothing) {
  const Folder folder;
  const CancelToken token;
  token.cancel();
  const std::vector<float> x(300);
  expect_error(ErrorCode::cancelled, "cancelled", [&] {
    write_snapshot(folder / "a.npy", {.position = view(x.data(), 100, 3)}, {}, {.cancel = &token});
  });
  EXPECT_TRUE(folder.names().empty());
}

TEST(WriteArrays, RefusesOtherEndings) {
  expect_error(ErrorCode::invalid_argument, "a.fits: unknown file format",
               [] { check_snapshot_path("a.fits", Scalar::float32, 3); });
  expect_error(ErrorCode::invalid_argument, "a.f32: the points are float64; use .npy, .raw or .f64",
               [] { check_snapshot_path("a.f32", Scalar::float64, 3); });
  expect_error(ErrorCode::invalid_argument, "a: unknown file format", [] {
    write_snapshot("a", {.position = view(static_cast<const float*>(nullptr), 0, 3)});
  });
  check_snapshot_path("a.npy", Scalar::float64, 3);
  check_snapshot_path("a.raw", Scalar::float32, 3);
}

}  // namespace
}  // namespace kith
