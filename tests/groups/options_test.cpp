// The options that fof accepts, and its errors for others.
#include <cmath>
#include <limits>

#include "groups/support.hpp"
#include "support/expect_error.hpp"

namespace kith {
namespace {

using test::expect_error;
using Points = std::vector<std::array<double, 3>>;

const Points kPair = {{0, 0, 0}, {1, 0, 0}};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void expect_refused(const FofOptions& options, std::string_view words) {
  expect_error(ErrorCode::invalid_argument, words, [&] { fof(view(kPair), options); });
}

TEST(FofOptions, OneLengthMustBeGiven) {
  expect_refused({}, "linking_length = 0 and b = 0; give one of them");
  expect_refused({.linking_length = 1, .b = 0.2}, "give one of them");
  expect_refused({.linking_length = -1}, "linking_length = -1");
  expect_refused({.linking_length = kNaN}, "linking_length = nan");
  expect_refused({.linking_length = kInfinity}, "linking_length = inf");
  expect_refused({.b = -0.2}, "b = -0.2");
  expect_refused({.b = kNaN}, "b = nan");
}

TEST(FofOptions, VolumeAndMeanSeparationGoWithB) {
  expect_refused({.b = 0.2}, "axis 0 of the box is open; give volume or mean_separation");
  expect_refused({.box = Box::periodic({4.0, 4.0, 0.0}), .b = 0.2}, "axis 2 of the box is open");
  expect_refused({.linking_length = 1, .volume = 8}, "they go with b");
  expect_refused({.linking_length = 1, .mean_separation = 8}, "they go with b");
  expect_refused({.b = 1, .mean_separation = 1, .volume = 8}, "give one of them");
  expect_refused({.b = 1, .volume = kNaN}, "volume = nan");
  expect_refused({.b = 1, .mean_separation = -2}, "mean_separation = -2");
  expect_refused({.b = 1e200, .mean_separation = 1e200}, "is not a length");
}

TEST(FofOptions, MinSizeIsPositive) {
  expect_refused({.linking_length = 1, .min_size = 0}, "min_size = 0");
}

TEST(FofOptions, LengthFromB) {
  // Two points: mean separation (16 / 2)^(1/3) = 2.
  EXPECT_EQ(fof(view(kPair), {.b = 0.2, .volume = 16}).linking_length(), 0.4);
  EXPECT_EQ(fof(view(kPair), {.b = 0.2, .mean_separation = 2}).linking_length(), 0.4);
  EXPECT_EQ(fof(view(kPair), {.box = Box::periodic({4.0, 2.0, 2.0}), .b = 0.2}).linking_length(),
            0.4);
  const std::vector<std::array<float, 2>> flat = {{0, 0}, {1, 1}};
  EXPECT_EQ(fof(view(flat), {.b = 0.2, .volume = 8}).linking_length(), 0.4f);
}

TEST(FofOptions, DroppedPointsDoNotCountForTheMeanSeparation) {
  const Points points = {{0, 0, 0}, {kNaN, 0, 0}, {0.3, 0, 0}};
  const FofOptions options{
      .b = 0.2, .volume = 16, .keep_roots = true, .non_finite = NonFinite::drop};
  const Groups groups = fof(view(points), options);
  EXPECT_EQ(groups.linking_length(), 0.4);
  EXPECT_EQ(test::to_vector(groups.label()), (std::vector<std::int32_t>{0, -1, 0}));
  EXPECT_EQ(test::to_vector(groups.root()), (std::vector<std::int64_t>{0, -1, 0}));
  EXPECT_EQ(groups.sizes(), (std::vector<std::int64_t>{2}));
  expect_error(ErrorCode::non_finite, "point 1", [&] { fof(view(points), {.linking_length = 1}); });
}

TEST(FofOptions, DroppedPointsHaveNoLabelAmongFewGroupsEither) {
  Points points(300, {0.5, 0.5, 0.5});
  points[7] = {kNaN, 0, 0};
  points[9] = {5, 5, 5};
  const Groups groups =
      fof(view(points), {.linking_length = 1, .min_size = 4, .non_finite = NonFinite::drop});
  EXPECT_EQ(groups.sizes(), (std::vector<std::int64_t>{298}));
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_EQ(groups.label()[i], i == 7 || i == 9 ? -1 : 0) << i;
}

TEST(FofOptions, TheTreeKnowsItsBox) {
  const Tree tree(view(kPair), {.box = Box::periodic(4)});
  EXPECT_EQ(fof(tree, {.linking_length = 1}).count(), 1u);
  EXPECT_EQ(fof(tree, {.box = Box::periodic(4), .linking_length = 1}).count(), 1u);
  expect_error(ErrorCode::invalid_argument, "not that of the tree",
               [&] { fof(tree, {.box = Box::periodic(5), .linking_length = 1}); });
}

TEST(FofOptions, BadPointsAreNamedByTheCall) {
  expect_error(ErrorCode::invalid_argument, "fof: points of dimension 33", [] {
    fof(view(static_cast<const double*>(nullptr), 0, 33), {.linking_length = 1});
  });
}

TEST(FofOptions, ThreadsAreChecked) {
  expect_error(ErrorCode::invalid_argument, "threads = -1",
               [] { fof(view(kPair), {.linking_length = 1}, {.threads = -1}); });
}

}  // namespace
}  // namespace kith
