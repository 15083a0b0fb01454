// The box: its defaults, accepted values, and the messages of errors.
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include <kith/box.hpp>

#include "support/expect_error.hpp"

namespace kith {
namespace {

using test::expect_error;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Box, IsOpenByDefault) {
  const Box box;
  EXPECT_EQ(box.dimension(), 0);
  EXPECT_FALSE(box.is_periodic());
  for (int axis = 0; axis < kMaxDimension; ++axis) {
    EXPECT_EQ(box.side(axis), 0);
    EXPECT_EQ(box.origin(axis), 0);
    EXPECT_FALSE(box.is_periodic(axis));
  }
  EXPECT_EQ(box, Box::open());
}

TEST(Box, OneSideHoldsForEveryAxis) {
  const Box box = Box::periodic(256.0);
  EXPECT_EQ(box.dimension(), 0);
  EXPECT_TRUE(box.is_periodic());
  for (int axis = 0; axis < kMaxDimension; ++axis) EXPECT_EQ(box.side(axis), 256.0);
}

TEST(Box, SidesPerAxisMayMixOpenAndPeriodic) {
  const Box box = Box::periodic({0.0, 2.5});
  EXPECT_EQ(box.dimension(), 2);
  EXPECT_FALSE(box.is_periodic(0));
  EXPECT_TRUE(box.is_periodic(1));
  EXPECT_TRUE(box.is_periodic());
  EXPECT_EQ(box.side(1), 2.5);
  EXPECT_EQ(box.side(2), 0);
  EXPECT_FALSE(Box::periodic({0.0, 0.0}).is_periodic());
}

TEST(Box, OriginMovesTheCorner) {
  const Box box = Box::periodic({8.0, 4.0}).with_origin({-4.0, -2.0});
  EXPECT_EQ(box.origin(0), -4.0);
  EXPECT_EQ(box.origin(1), -2.0);
  EXPECT_EQ(box.side(0), 8.0);
  EXPECT_EQ(Box::periodic(8.0).with_origin(-4.0).origin(31), -4.0);
  EXPECT_NE(box, Box::periodic({8.0, 4.0}));
}

TEST(Box, AnOriginPerAxisFixesTheDimension) {
  EXPECT_EQ(Box::periodic(1.0).with_origin({0.5, 0.5, 0.5}).dimension(), 3);
}

TEST(Box, RefusesBadSides) {
  const auto code = ErrorCode::invalid_argument;
  expect_error(code, "side -1 of axis 0", [] { Box::periodic(-1.0); });
  expect_error(code, "side nan of axis 0", [] { Box::periodic(kNan); });
  expect_error(code, "side inf of axis 2", [] { Box::periodic({1.0, 1.0, kInfinity}); });
}

TEST(Box, RefusesBadOrigins) {
  const auto code = ErrorCode::invalid_argument;
  expect_error(code, "origin nan of axis 0", [] { Box().with_origin(kNan); });
  expect_error(code, "origin -inf of axis 1", [] { Box().with_origin({0.0, -kInfinity}); });
  expect_error(code, "3 origins for 2 sides", [] {
    Box::periodic({1.0, 1.0}).with_origin({0.0, 0.0, 0.0});
  });
}

TEST(Box, RefusesMoreOrFewerAxesThanThereAre) {
  const auto code = ErrorCode::invalid_argument;
  const std::vector<double> many(kMaxDimension + 1, 1.0);
  expect_error(code, "33 sides", [&] { Box::periodic(many); });
  expect_error(code, "33 origins", [&] { Box().with_origin(many); });
  expect_error(code, "0 sides", [] { Box::periodic(std::vector<double>()); });
}

TEST(Box, RefusesAnAxisThatNoPointHas) {
  const auto code = ErrorCode::invalid_argument;
  expect_error(code, "axis 32", [] { Box().side(32); });
  expect_error(code, "axis -1", [] { Box().origin(-1); });
}

}  // namespace
}  // namespace kith
