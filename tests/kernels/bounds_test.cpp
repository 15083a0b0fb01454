// The bounds hold on every SIMD target for every pair of intervals with ends among awkward floats,
// whatever they are measured from (a point or a box, read late or held in vectors) and to (points,
// chunks, lists), and all of them give the bits of the scalar reference.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bounds_test.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "geometry/distance.hpp"
#include "kernels/lanes-inl.h"

#ifndef KITH_TESTS_KERNELS_BOUNDS_TYPES  // the same for all targets
#define KITH_TESTS_KERNELS_BOUNDS_TYPES
namespace kith {

/// One interval, or its lower end as a point, against 8 others (a chunk in one dimension).
struct Intervals {
  alignas(64) float chunk[2 * kLanes];
  Bounds<kAnyDimension, float> box;
  float side;
};

/// Results: lower bounds, upper bounds and distances, from each kind of probe and source.
struct BoundsSeen {
  float lower[6][kLanes], upper[2][kLanes], distance[2][kLanes];
};

}  // namespace kith
#endif

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <bool Wrap>
void measure(const Intervals& in, BoundsSeen& out) {
  const Tag<float> tag;
  const Axes<kAnyDimension> axes(1);
  const float *point = in.box.lo, *side = &in.side;
  const BoxProbe<kAnyDimension, float> box(in.box, axes);
  const PointProbe<kAnyDimension, float> held(point, 1, axes);
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
    const float* at = in.chunk + lane;
    const ListColumns<kAnyDimension, float> list{at, kLanes, axes};
    const ChunkColumns<kAnyDimension, float> chunk{at, axes};
    const PointColumns<float> points{at};
    const auto put = [&](Vec<float> v, float* to) HWY_ATTR { hn::StoreU(v, tag, to + lane); };
    put(lower2<Wrap>(in.box, in.chunk, lane, side, axes), out.lower[0]);
    put(lower2<Wrap>(box, list, side, axes), out.lower[1]);
    put(lower2<Wrap>(point, in.chunk, lane, side, axes), out.lower[2]);
    put(lower2<Wrap>(held, chunk, side, axes), out.lower[3]);
    put(lower2_of_points<Wrap>(in.box, in.chunk, lane, side, axes), out.lower[4]);
    put(lower2<Wrap>(box, points, side, axes), out.lower[5]);
    put(upper2<Wrap>(box, chunk, side, axes), out.upper[0]);
    put(upper2<Wrap>(held, list, side, axes), out.upper[1]);
    put(distance2<Wrap>(point, in.chunk, lane, side, axes), out.distance[0]);
    put(distance2<Wrap>(held, points, side, axes), out.distance[1]);
  }
}

void measure_intervals(const Intervals& in, BoundsSeen& out) {
  if (in.side > 0)
    measure<true>(in, out);
  else
    measure<false>(in, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>
#include <vector>

#include "kernels/target.hpp"
#include "support/exact_cases.hpp"

namespace kith {
namespace {

HWY_EXPORT(measure_intervals);

using Box1 = Bounds<kAnyDimension, float>;

Box1 interval(float lo, float hi) {
  Box1 box;
  box.lo[0] = lo;
  box.hi[0] = hi;
  return box;
}

/// Few-digit floats and their awkward relatives in [0, side].
std::vector<float> awkward_floats(float side) {
  std::vector<float> values{0,
                            side,
                            std::nextafter(side, 0.f),
                            side / 2,
                            std::nextafter(side / 2, 0.f),
                            side / 3,
                            1e-7f * side,
                            1e-20f * side,
                            1e-40f};
  for (int i = 1; i < 8; ++i) values.push_back(side * static_cast<float>(i) / 8.f);
  for (int i = 1; i < 5; ++i) values.push_back(side * (static_cast<float>(i) / 5.f));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// All sources of one receiver, 8 at a time.
class Exhaustive {
 public:
  Exhaustive(float side, bool is_periodic) : x_(awkward_floats(side)) {
    metric_.side[0] = is_periodic ? side : 0;
    for (std::size_t a = 0; a < x_.size(); ++a)
      for (std::size_t b = a; b < x_.size(); ++b) boxes_.push_back(interval(x_[a], x_[b]));
  }

  void run() const {
    for (const Box1& receiver : boxes_)
      for (std::size_t first = 0; first < boxes_.size(); first += kLanes) check(receiver, first);
  }

 private:
  void check(const Box1& receiver, std::size_t first) const {
    Intervals in{};
    in.box = receiver;
    in.side = metric_.side[0];
    const auto source = [&](std::size_t lane) {
      return boxes_[std::min(first + lane, boxes_.size() - 1)];
    };
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      in.chunk[lane] = source(lane).lo[0];
      in.chunk[kLanes + lane] = source(lane).hi[0];
    }
    BoundsSeen out;
    HWY_DYNAMIC_DISPATCH(measure_intervals)(in, out);
    for (std::size_t lane = 0; lane < kLanes; ++lane) check_lane(receiver, source(lane), lane, out);
    test::ExactCases::count();
  }

  void check_lane(const Box1& p, const Box1& q, std::size_t lane, const BoundsSeen& out) const {
    const Box1 point = interval(p.lo[0], p.lo[0]), end = interval(q.lo[0], q.lo[0]);
    const float lower = metric_.lower2(p, q), upper = metric_.upper2(p, q);
    ASSERT_EQ(out.lower[0][lane], lower);
    ASSERT_EQ(out.lower[1][lane], lower);
    ASSERT_EQ(out.lower[2][lane], metric_.lower2(point, q));
    ASSERT_EQ(out.lower[3][lane], metric_.lower2(point, q));
    ASSERT_EQ(out.lower[4][lane], metric_.lower2(p, end));
    ASSERT_EQ(out.lower[5][lane], metric_.lower2(p, end));
    ASSERT_EQ(out.upper[0][lane], upper);
    ASSERT_EQ(out.upper[1][lane], metric_.upper2(point, q));
    ASSERT_EQ(out.distance[0][lane], metric_.distance2(p.lo, q.lo));
    ASSERT_EQ(out.distance[1][lane], metric_.distance2(p.lo, q.lo));
    for (const float x : {p.lo[0], p.hi[0]})
      for (const float y : {q.lo[0], q.hi[0]}) {
        ASSERT_LE(lower, metric_.distance2(&x, &y));
        ASSERT_GE(upper, metric_.distance2(&x, &y));
      }
  }

  std::vector<float> x_;
  std::vector<Box1> boxes_;
  Metric<kAnyDimension, float> metric_{Axes<kAnyDimension>(1)};
};

TEST(Bounds, AreThoseOfTheReferenceForAllSmallIntervalsOnEveryTarget) {
  for (const std::string& target : available_targets()) {
    SCOPED_TRACE(target);
    force_target(target);
    for (const float side : {0.7f, 3.f}) {
      Exhaustive(side, true).run();
      Exhaustive(side, false).run();
    }
    if (::testing::Test::HasFatalFailure()) break;
  }
  force_target("");
}

TEST(Bounds, DiagonalIsTheLargestDistanceInABox) {
  const Axes<3> axes(3);
  auto box = Bounds<3, double>::empty();
  const double corners[2][3] = {{0.1, -2, 7}, {0.4, 5, 7}};
  for (const auto& corner : corners) box.add(corner, axes);
  const Metric<3, double> metric{axes};
  EXPECT_EQ(diagonal2(box, axes), metric.upper2(box, box));
  EXPECT_EQ(diagonal2(box, axes), metric.distance2(corners[0], corners[1]));
}

}  // namespace
}  // namespace kith
#endif
