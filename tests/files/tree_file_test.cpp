// Saved trees: the same tree comes back, and no other file is accepted as a tree.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

#include <kith/io.hpp>
#include <kith/kith.hpp>

#include "base/checksum.hpp"
#include "kernels/target.hpp"
#include "neighbors/brute.hpp"
#include "support/expect_error.hpp"
#include "support/folder.hpp"
#include "support/point_sets.hpp"
#include "tree/tree_impl.hpp"

namespace kith {
namespace {

using test::expect_error;
using test::Folder;
using Bytes = std::vector<std::byte>;

Bytes bytes_of(const AnyTree& tree) {
  Bytes bytes(saved_size(tree));
  save(tree, bytes);
  return bytes;
}

std::vector<TreeOptions> all_builds(int dimension) {
  const std::vector<double> sides(static_cast<std::size_t>(dimension), 0.75);
  return {{},
          {.curve = Curve::hilbert},
          {.curve = Curve::z},
          {.curve = Curve::kd, .split_axis = SplitAxis::cyclic},
          {.box = Box::periodic(0.8).with_origin(-0.4)},
          {.box = Box::periodic(sides).with_origin(sides), .builder = Builder::cells},
          {.builder = Builder::cells, .max_leaf_size = 5, .coarsening = 3, .max_volume_ratio = 0}};
}

void expect_same(const AnyTree& loaded, const AnyTree& tree) {
  loaded.check();
  ASSERT_EQ(loaded.scalar(), tree.scalar());
  ASSERT_EQ(loaded.dimension(), tree.dimension());
  ASSERT_EQ(loaded.input_size(), tree.input_size());
  ASSERT_EQ(loaded.scale_exponent(), tree.scale_exponent());
  ASSERT_EQ(loaded.box(), tree.box());
  ASSERT_EQ(loaded.options().builder, tree.options().builder);
  ASSERT_EQ(loaded.options().curve, tree.options().curve);
  ASSERT_EQ(loaded.options().max_leaf_size, tree.options().max_leaf_size);
  ASSERT_EQ(loaded.options().max_volume_ratio, tree.options().max_volume_ratio);
  ASSERT_EQ(loaded.order(), tree.order());
  ASSERT_EQ(loaded.coordinates(), tree.coordinates());
  ASSERT_EQ(bytes_of(loaded), bytes_of(tree));
}

template <class T>
void expect_same_neighbors(const AnyTree& loaded, const AnyTree& tree) {
  const auto a = knn<T>(loaded, {.k = 5}), b = knn<T>(tree, {.k = 5});
  ASSERT_TRUE(std::equal(a.indices(), a.indices() + a.size() * 5, b.indices()));
  ASSERT_TRUE(std::equal(a.distances(), a.distances() + a.size() * 5, b.distances()));
}

template <class T>
void check_degenerate(int dimension) {
  for (const auto& set : test::degenerate_sets<T>(dimension))
    for (const TreeOptions& options : all_builds(dimension)) {
      SCOPED_TRACE(set.name + " in " + std::to_string(dimension) + "-D");
      const Tree tree(set.view(), options);
      const AnyTree loaded = load(bytes_of(tree), {}, {.threads = 2});
      expect_same(loaded, tree);
      expect_same_neighbors<T>(loaded, tree);
      if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(TreeFile, BytesGiveTheSameTree) {
  for (const int dimension : {1, 2, 3, 7}) {
    check_degenerate<float>(dimension);
    check_degenerate<double>(dimension);
  }
}

test::PointSet<float> some_points(std::size_t n = 3000) {
  return test::random_sets<float>(3, n, 3)[0];
}

TEST(TreeFile, FilesGiveTheSameTree) {
  const Folder folder;
  const auto set = some_points();
  for (const TreeOptions& options : all_builds(3)) {
    const Tree tree(set.view(), options);
    save(tree, folder / "tree.kith");
    for (const bool verify : {true, false}) {
      const AnyTree loaded = load(folder / "tree.kith", {.verify = verify});
      expect_same(loaded, tree);
      expect_same_neighbors<float>(loaded, tree);
    }
  }
}

TEST(TreeFile, DroppedPointsStayDropped) {
  auto set = some_points(100);
  set.x[30] = NAN;
  const Tree tree(set.view(), {.non_finite = NonFinite::drop});
  const AnyTree loaded = load(bytes_of(tree));
  expect_same(loaded, tree);
  EXPECT_EQ(loaded.size(), 99u);
  EXPECT_EQ(loaded.options().non_finite, NonFinite::drop);
}

TEST(TreeFile, ATreeOutlivesItsFile) {
  const Folder folder;
  const auto set = some_points(), other = some_points(10);
  const Tree tree(set.view());
  save(tree, folder / "tree.kith");
  const AnyTree loaded = load(folder / "tree.kith");
  save(Tree(other.view()), folder / "tree.kith");
  expect_same(loaded, tree);
  std::filesystem::remove(folder / "tree.kith");
  expect_same_neighbors<float>(loaded, tree);
}

TEST(TreeFile, TargetsAndThreadsWriteTheSameBytes) {
  const auto set = some_points();
  const Bytes expected = bytes_of(Tree(set.view()));
  for (const std::string& target : available_targets()) {
    force_target(target);
    const Tree tree(set.view(), {}, {.threads = 2});
    knn(tree, {.k = 2});
    EXPECT_EQ(bytes_of(tree), expected) << target;
    expect_same_neighbors<float>(load(expected), tree);
  }
  force_target("");
}

/// The format is fixed: files of earlier versions can be loaded.
TEST(TreeFile, TheFormatHasNotChanged) {
  const std::vector<std::array<float, 2>> points{{0, 0}, {1, 0}, {0.5f, 0.25f}};
  const Bytes bytes = bytes_of(Tree(view(points), {.box = Box::periodic(2.0)}));
  ASSERT_EQ(bytes.size(), 1536u);
  const char magic[] = "\x89kith\r\n\x1a";
  EXPECT_EQ(std::memcmp(bytes.data(), magic, 8), 0);
  std::uint64_t sums[2];
  std::memcpy(sums, bytes.data() + 24, sizeof(sums));
  EXPECT_EQ(sums[0], 6712467521659816385u);
  EXPECT_EQ(sums[1], 13612877487098798771u);
}

TEST(TreeFile, EveryChangedByteIsNoticed) {
  std::mt19937_64 random(1);
  for (const TreeOptions& options : all_builds(3)) {
    const auto set = some_points(200);
    const Bytes good = bytes_of(Tree(set.view(), options));
    for (std::size_t i = 0; i < good.size(); i += 1 + random() % 3) {
      Bytes bad = good;
      bad[i] ^= static_cast<std::byte>(1 + random() % 255);
      expect_error(ErrorCode::io, "tree: ", [&] { load(bad); });
      if (HasFailure()) FAIL() << "byte " << i << " of " << good.size();
    }
  }
}

TEST(TreeFile, EveryTruncationIsNoticed) {
  const auto set = some_points(50);
  const Bytes good = bytes_of(Tree(set.view()));
  for (std::size_t size = 0; size < good.size(); ++size)
    for (const bool verify : {true, false})
      expect_error(ErrorCode::io, size < 8 ? "not a saved tree" : "truncated",
                   [&] { load(std::span(good).first(size), {.verify = verify}); });
  Bytes longer = good;
  longer.push_back(std::byte{0});
  expect_error(ErrorCode::io, "1 bytes after the end", [&] { load(longer); });
}

/// Files that lie: some value of some array is another, and the checksums are right. Such a file is
/// refused, or it is the file of another tree, whose answers are those of its points. Returns
/// whether it was refused.
template <class T>
bool is_lie_refused(const TreeOptions& options, std::mt19937_64& random) {
  const auto set = test::random_sets<T>(2, 150, 7)[random() % 2];
  const AnyTree tree = load(bytes_of(Tree(set.view(), options)), {.verify = false});
  const auto& planes = impl_of(tree).as<T>().planes;
  // Arrays lie one after the other, so the bytes from the first on are all arrays and gaps.
  auto* bytes = reinterpret_cast<std::byte*>(planes.blocks.data());
  const std::size_t place = random() % (saved_size(tree) - 1152) / 4 * 4;
  const std::uint32_t values[] = {
      0, 1, 7, 100, 0xffffffff, 0x7f800000, static_cast<std::uint32_t>(random())};
  std::memcpy(bytes + place, &values[random() % std::size(values)], 4);
  const Bytes lie = bytes_of(tree);
  try {
    const AnyTree loaded = load(lie);
    const auto near = knn<T>(loaded, {.k = 3});
    std::vector<T> x(set.x.size());
    const auto order = loaded.order();
    for (std::size_t i = 0; i < order.size(); ++i)
      for (int axis = 0; axis < 2; ++axis)
        x[static_cast<std::size_t>(order[i] * 2 + axis)] =
            static_cast<T>(loaded.coordinates()[i * 2 + static_cast<std::size_t>(axis)]);
    const auto expected = brute_knn<T>(view(x.data(), 150, 2), loaded.options(), {.k = 3});
    for (std::size_t i = 0; i < near.size(); ++i)
      for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(near.index(i)[n], expected[i].index[n]);
    return false;
  } catch (const Error& error) {
    EXPECT_STREQ(name(error.code()), "io") << error.what();
    return true;
  }
}

TEST(TreeFile, LiesDoNoHarm) {
  std::mt19937_64 random(5);
  int lies = 0, refused = 0;
  for (int i = 0; i < (test::kIsSanitized ? 100 : 400); ++i)
    for (const TreeOptions& options : all_builds(2)) {
      refused += is_lie_refused<float>(options, random) ? 1 : 0;
      refused += is_lie_refused<double>(options, random) ? 1 : 0;
      lies += 2;
      if (HasFailure()) return;
    }
  EXPECT_GT(refused, lies / 2);
  EXPECT_LT(refused, lies);
}

/// Another value at a place of the header, and the checksum that belongs to it.
Bytes with_header(Bytes bytes, std::size_t place, std::uint64_t value, std::size_t size) {
  constexpr std::size_t kHeader = 1152, kChecksum = 24;
  std::memcpy(&bytes[place], &value, size);
  std::uint64_t sum = 0;
  std::memcpy(&bytes[kChecksum], &sum, sizeof sum);
  sum = checksum(bytes.data(), kHeader);
  std::memcpy(&bytes[kChecksum], &sum, sizeof sum);
  return bytes;
}

constexpr std::size_t kInputSize = 48, kNonFinite = 72;  // places in the header

TEST(TreeFile, AHeaderCannotClaimRowsForNothing) {
  const Bytes bytes = bytes_of(AnyTree(some_points(500).view()));
  const Bytes forged = with_header(bytes, kInputSize, 200'000'000, 8);
  const Bytes dropping = with_header(forged, kNonFinite, 1, 4);
  for (const bool verify : {false, true}) {
    EXPECT_EQ(load(with_header(bytes, kInputSize, 500, 8), {.verify = verify}).input_size(), 500U);
    expect_error(ErrorCode::io, "contradicts itself", [&] { load(forged, {.verify = verify}); });
    expect_error(ErrorCode::io, "contradicts itself", [&] { load(dropping, {.verify = verify}); });
  }
}

TEST(TreeFile, EveryHeaderThatLoadsIsTiedToItsBytes) {
  auto set = some_points(300);
  set.x[30] = std::numeric_limits<float>::quiet_NaN();
  const Bytes bytes = bytes_of(Tree(set.view(), {.non_finite = NonFinite::drop}));
  int loaded = 0;
  for (std::size_t place = 8; place < 1152; place += 4)
    for (const std::uint64_t value :
         {0ULL, 1ULL, 2ULL, 300ULL, 65536ULL, 200'000'000ULL, 0x7fffffffULL, 0xffffffffULL}) {
      if (place >= 24 && place < 32) continue;
      const Bytes forged = with_header(bytes, place, value, 4);
      try {
        const AnyTree tree = load(forged, {.verify = false});
        ++loaded;
        EXPECT_LE(tree.size(), bytes.size());
        EXPECT_LE(tree.input_size(), tree.size() + 8 * bytes.size()) << place << " " << value;
      } catch (const Error& error) {
        EXPECT_STREQ(name(error.code()), "io") << error.what();
      }
    }
  EXPECT_GT(loaded, 100);
}

TEST(TreeFile, OtherFilesAreRefused) {
  const Folder folder;
  const auto text = [&](const char* words) {
    std::ofstream(folder / "text") << words;
    return std::string(folder / "text");
  };
  expect_error(ErrorCode::io, "No such file", [&] { load(folder / "missing"); });
  expect_error(ErrorCode::io, "not a regular file", [&] { load(std::string(folder / "")); });
  expect_error(ErrorCode::io, "not a saved tree", [&] { load(text("")); });
  expect_error(ErrorCode::io, "not a saved tree", [&] { load(text("not at all what it seems")); });
  expect_error(ErrorCode::io, "not a saved tree", [&] { load(Bytes()); });
  expect_error(ErrorCode::io, "cannot be opened",
               [&] { save(AnyTree(some_points().view()), folder / "no/such/folder"); });
  Bytes bytes = bytes_of(AnyTree(some_points().view()));
  expect_error(ErrorCode::invalid_argument, "saved_size",
               [&] { save(AnyTree(some_points().view()), std::span(bytes).first(10)); });
  std::reverse(bytes.begin() + 8, bytes.begin() + 12);
  expect_error(ErrorCode::io, "byte order", [&] { load(bytes); });
}

TEST(TreeFile, CancellingLeavesNothingBehind) {
  const Folder folder;
  const Tree tree(some_points(100000).view());
  const CancelToken token;
  token.cancel();
  expect_error(ErrorCode::cancelled, "cancelled",
               [&] { save(tree, folder / "tree.kith", {.cancel = &token}); });
  EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
  save(tree, folder / "tree.kith");
  expect_error(ErrorCode::cancelled, "cancelled",
               [&] { load(folder / "tree.kith", {}, {.cancel = &token}); });
}

}  // namespace
}  // namespace kith
