// Measuring and fitting separately: a frame from merged extents is that of all points.
#include "tree/input.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "support/point_sets.hpp"

namespace kith {
namespace {

using test::PointSet;

template <class T>
void expect_equal(const Input<T>& a, const Input<T>& b) {
  EXPECT_EQ(a.frame.exponent, b.frame.exponent);
  EXPECT_EQ(a.is_plain, b.is_plain);
  for (int axis = 0; axis < a.dimension; ++axis) {
    EXPECT_EQ(a.frame.side[axis], b.frame.side[axis]);
    EXPECT_EQ(a.bounds.lo[axis], b.bounds.lo[axis]);
    EXPECT_EQ(a.bounds.hi[axis], b.bounds.hi[axis]);
  }
}

template <class T>
Extent<T> extent_by_parts(const PointSet<T>& set, std::size_t parts, const Workers& workers) {
  Extent<T> extent;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = set.size() * part / parts, end = set.size() * (part + 1) / parts;
    const PointsView rows = view(set.row(begin), end - begin, set.dimension);
    extent.add(measure<T>(rows, NonFinite::error, workers).extent, set.dimension);
  }
  return extent;
}

template <class T>
void check_parts(int dimension) {
  const Execution execution{.threads = 1};
  const Workers workers(execution);
  for (const PointSet<T>& set : test::degenerate_sets<T>(dimension))
    for (const double side : {0.0, 0.8})
      for (const double origin : {0.0, -0.4}) {
        SCOPED_TRACE(set.name);
        const Box box = Box::periodic(side).with_origin(origin);
        const Input<T> whole = read_input<T>(set.view(), box, NonFinite::error, workers);
        MeasuredRows<T> rows = measure<T>(set.view(), NonFinite::error, workers);
        rows.extent = extent_by_parts(set, 3, workers);
        const Frame<T> frame = fitted_frame(box, dimension, rows.extent);
        const Input<T> parts = input_in(frame, std::move(rows));
        ASSERT_EQ(parts.size, whole.size);
        if (whole.size > 0) expect_equal(parts, whole);
      }
}

TEST(Input, FrameOfPartsIsTheFrameOfAll) {
  for (const int dimension : {1, 2, 3, 5}) {
    check_parts<float>(dimension);
    check_parts<double>(dimension);
  }
}

TEST(Input, ExtentsLeaveOutWhatIsDropped) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float x[] = {1, 2, nan, 100, 3, -4, 5, std::numeric_limits<float>::infinity()};
  const Execution execution{.threads = 1};
  const auto measured = measure<float>(view(x, 4, 2), NonFinite::drop, Workers(execution));
  EXPECT_EQ(measured.rows.size, 2u);
  EXPECT_EQ(measured.rows.index(1), 2u);
  EXPECT_TRUE(measured.extent.is_finite);
  EXPECT_EQ(measured.extent.bounds.lo[1], -4);
  EXPECT_EQ(measured.extent.bounds.hi[0], 3);
}

}  // namespace
}  // namespace kith
