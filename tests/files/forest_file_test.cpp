// Saved forests: the same points come back, and no other file is accepted as a forest.
#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

#include <kith/io.hpp>
#include <kith/kith.hpp>

#include "base/checksum.hpp"
#include "support/expect_error.hpp"
#include "support/folder.hpp"
#include "support/point_sets.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::expect_error;
using test::Folder;
using Bytes = std::vector<std::byte>;

template <class T>
Forest<T> some_forest(std::size_t n = 300) {
  Forest<T> forest(3, {.box = Box::periodic(0.9).with_origin(-0.2)});
  const auto set = test::random_sets<T>(3, n, 3)[0];
  for (int batch = 0; batch < 3; ++batch) forest.insert(set.view());
  forest.remove(std::vector<std::int64_t>{1, 5, static_cast<std::int64_t>(n) + 7});
  return forest;
}

template <class T>
void expect_same(const Forest<T>& loaded, const Forest<T>& forest) {
  EXPECT_EQ(loaded.box(), forest.box());
  EXPECT_EQ(loaded.inserted(), forest.inserted());
  ASSERT_EQ(loaded.indices(), forest.indices());
  ASSERT_EQ(loaded.coordinates(), forest.coordinates());
  const std::vector<T> rows = forest.coordinates();
  const PointsView queries = view(rows.data(), forest.size(), 3);
  const auto near = loaded.knn(queries, {.k = 7}), expected = forest.knn(queries, {.k = 7});
  for (std::size_t i = 0; i < forest.size() * 7; ++i) {
    ASSERT_EQ(near.indices()[i], expected.indices()[i]);
    ASSERT_EQ(near.distances()[i], expected.distances()[i]);
  }
}

template <class T>
void check_file(Scalar scalar) {
  const Folder folder;
  const std::string path = folder / "points.forest";
  Forest<T> forest = some_forest<T>();
  save(forest, path);
  EXPECT_EQ(forest_scalar(path), scalar);
  Forest<T> loaded = load_forest<T>(path, {.threads = 2});
  expect_same(loaded, forest);
  const auto set = test::random_sets<T>(3, 50, 9)[0];
  EXPECT_EQ(loaded.insert(set.view()), forest.insert(set.view()))
      << "indices continue where they were";
  expect_same(loaded, forest);
  save(loaded, path);
  EXPECT_EQ(load_forest<T>(path).bytes(), forest.bytes()) << "the history does not matter";
}

TEST(ForestFile, FloatsComeBack) { check_file<float>(Scalar::float32); }
TEST(ForestFile, DoublesComeBack) { check_file<double>(Scalar::float64); }

TEST(ForestFile, EmptyForestsComeBack) {
  const Folder folder;
  Forest<float> forest(2);
  save(forest, folder / "empty");
  EXPECT_EQ(load_forest<float>(folder / "empty").size(), 0);
  const float x[] = {1, 2};
  forest.insert(view(x, 1, 2));
  forest.remove(std::vector<std::int64_t>{0});
  save(forest, folder / "empty");
  EXPECT_EQ(load_forest<float>(folder / "empty").inserted(), 1);
}

TEST(ForestFile, OtherFilesAreRefused) {
  const Folder folder;
  const std::string text = folder / "text", forest = folder / "forest";
  expect_error(ErrorCode::io, "No such file", [&] { load_forest<float>(folder / "missing"); });
  expect_error(ErrorCode::io, "not a regular file",
               [&] { load_forest<float>(std::string(folder / "")); });
  for (const std::string& words : {std::string(), std::string("short"), std::string(2000, 'x')}) {
    std::ofstream(text) << words;
    expect_error(ErrorCode::io, "text: forest:", [&] { load_forest<float>(text); });
    expect_error(ErrorCode::io, "text: forest:", [&] { forest_scalar(text); });
  }
  save(AnyTree(test::random_sets<float>(3, 40, 3)[0].view()), text);
  expect_error(ErrorCode::io, "not a saved forest", [&] { load_forest<float>(text); });
  save(some_forest<float>(), forest);
  expect_error(ErrorCode::io, "not a saved tree", [&] { load(forest); });
  expect_error(ErrorCode::io, "another scalar type", [&] { load_forest<double>(forest); });
  expect_error(ErrorCode::io, "cannot be opened",
               [&] { save(some_forest<float>(), folder / "no/such/folder"); });
}

TEST(ForestFile, EveryTruncationIsNoticed) {
  const Bytes good = some_forest<float>(20).bytes();
  for (std::size_t size = 0; size < good.size(); ++size)
    expect_error(ErrorCode::io,
                 "forest: ", [&] { Forest<float>::from_bytes(std::span(good).first(size)); });
}

/// The checksum as it would be if the bytes were right.
void seal(Bytes& bytes) {
  constexpr std::size_t place = 48, header = 56 + 2 * 32 * sizeof(double);
  std::memset(bytes.data() + place, 0, 8);
  const std::uint64_t sum =
      checksum(bytes.data() + header, bytes.size() - header, checksum(bytes.data(), header));
  std::memcpy(bytes.data() + place, &sum, 8);
}

/// Bytes that lie: some value is another, and the checksum is right. They are refused, or they are
/// those of another forest, which works.
TEST(ForestFile, LiesDoNoHarm) {
  const Bytes good = some_forest<float>(30).bytes();
  Bytes sealed = good;
  seal(sealed);
  ASSERT_EQ(sealed, good);
  std::mt19937_64 random(5);
  const std::uint32_t values[] = {0, 1, 7, 100, 0xffffffff, 0x7f800000, 0x7ff00000, 0x80000000};
  int refused = 0;
  const int lies = static_cast<int>(1500 * test::number_from("KITH_CASES", 1));
  for (int lie = 0; lie < lies; ++lie) {
    Bytes bytes = good;
    const std::size_t place = random() % (bytes.size() / 4) * 4;
    std::memcpy(bytes.data() + place, &values[random() % std::size(values)], 4);
    seal(bytes);
    try {
      const Forest<float> forest = Forest<float>::from_bytes(bytes);
      const std::vector<float> rows = forest.coordinates();
      forest.knn(view(rows.data(), forest.size(), forest.dimension()), {.k = 2});
      EXPECT_LE(static_cast<std::size_t>(forest.inserted()), 64 * (bytes.size() + 1));
    } catch (const Error& error) {
      ASSERT_STREQ(name(error.code()), "io") << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, lies / 8);
  EXPECT_LT(refused, lies);
}

/// A forest remembers every point that was erased: a header cannot claim them without data.
TEST(ForestFile, ErasedPointsTakeRoom) {
  constexpr std::size_t kInserted = 40;  // the place in the header
  Forest<float> forest(1, {});
  const std::vector<float> x(10000);
  forest.insert(view(x.data(), x.size(), 1));
  std::vector<std::int64_t> most(9990);
  std::iota(most.begin(), most.end(), 0);
  forest.remove(most);
  Bytes bytes = forest.bytes();
  const Forest<float> loaded = Forest<float>::from_bytes(bytes);
  EXPECT_EQ(loaded.inserted(), 10000);
  EXPECT_EQ(loaded.indices(), forest.indices());
  for (const std::uint64_t claim : {10064ULL, 100'000ULL, 4'000'000'000ULL}) {
    std::memcpy(bytes.data() + kInserted, &claim, 8);
    seal(bytes);
    expect_error(ErrorCode::io, "truncated or damaged", [&] { Forest<float>::from_bytes(bytes); });
  }
}

TEST(ForestFile, CancellingLeavesNothingBehind) {
  const Folder folder;
  const CancelToken token;
  token.cancel();
  expect_error(ErrorCode::cancelled, "",
               [&] { save(some_forest<float>(), folder / "f", {.cancel = &token}); });
  EXPECT_FALSE(std::filesystem::exists(folder / "f"));
}

}  // namespace
}  // namespace kith
