// The SIMD distance and bounds give the bits of the scalar reference, on every target, for every
// dimension.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lanes_test.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "geometry/distance.hpp"
#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <class T>
void evaluate(const Metric<kAnyDimension, T>& metric, const T* block, const T* chunk,
              const Bounds<kAnyDimension, T>& box, const T* point, T (*out)[kLanes]) {
  const Tag<T> tag;
  const auto axes = metric.axes;
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
    hn::StoreU(distance2<true>(point, block, lane, metric.side, axes), tag, out[0] + lane);
    hn::StoreU(lower2<true>(box, chunk, lane, metric.side, axes), tag, out[1] + lane);
    hn::StoreU(lower2<true>(point, chunk, lane, metric.side, axes), tag, out[2] + lane);
    hn::StoreU(distance2<false>(point, block, lane, metric.side, axes), tag, out[3] + lane);
    hn::StoreU(lower2<false>(box, chunk, lane, metric.side, axes), tag, out[4] + lane);
    hn::StoreU(lower2<false>(point, chunk, lane, metric.side, axes), tag, out[5] + lane);
    hn::StoreU(lower2_of_points<true>(box, block, lane, metric.side, axes), tag, out[6] + lane);
    hn::StoreU(lower2_of_points<false>(box, block, lane, metric.side, axes), tag, out[7] + lane);
  }
}

void evaluate_float(const Metric<kAnyDimension, float>& metric, const float* block,
                    const float* chunk, const Bounds<kAnyDimension, float>& box, const float* point,
                    float (*out)[kLanes]) {
  evaluate(metric, block, chunk, box, point, out);
}
void evaluate_double(const Metric<kAnyDimension, double>& metric, const double* block,
                     const double* chunk, const Bounds<kAnyDimension, double>& box,
                     const double* point, double (*out)[kLanes]) {
  evaluate(metric, block, chunk, box, point, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

#include <kith/error.hpp>

#include "kernels/target.hpp"

namespace kith {
namespace {

HWY_EXPORT(evaluate_float);
HWY_EXPORT(evaluate_double);

void run(const Metric<kAnyDimension, float>& m, const float* block, const float* chunk,
         const Bounds<kAnyDimension, float>& box, const float* p, float (*out)[kLanes]) {
  HWY_DYNAMIC_DISPATCH(evaluate_float)(m, block, chunk, box, p, out);
}
void run(const Metric<kAnyDimension, double>& m, const double* block, const double* chunk,
         const Bounds<kAnyDimension, double>& box, const double* p, double (*out)[kLanes]) {
  HWY_DYNAMIC_DISPATCH(evaluate_double)(m, block, chunk, box, p, out);
}

/// Eight random points and boxes in a space with some periodic axes.
template <class T>
struct Scene {
  using Box = Bounds<kAnyDimension, T>;
  Metric<kAnyDimension, T> metric;
  alignas(64) T block[kLanes * kMaxDimension], chunk[2 * kLanes * kMaxDimension];
  Box box, lane_box[kLanes];
  T point[kMaxDimension], lane_point[kLanes][kMaxDimension];

  Scene(int dimension, std::mt19937& random) : metric{Axes<kAnyDimension>(dimension)} {
    const T side = T(0.7);
    auto draw = [&] { return std::uniform_real_distribution<T>(0, side)(random); };
    for (int axis = 0; axis < dimension; ++axis) {
      metric.side[axis] = random() % 2 ? side : T(0);
      box.lo[axis] = draw();
      box.hi[axis] = std::max(box.lo[axis], draw());
      point[axis] = draw();
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        lane_box[lane].lo[axis] = chunk[axis * kLanes + lane] = draw();
        lane_box[lane].hi[axis] = chunk[(dimension + axis) * kLanes + lane] =
            std::max(lane_box[lane].lo[axis], draw());
        lane_point[lane][axis] = block[axis * kLanes + lane] = draw();
      }
    }
  }
  Box box_of(const T* p) const {
    Box result = Box::empty();
    result.add(p, metric.axes);
    return result;
  }
};

template <class T>
void check_all_dimensions() {
  std::mt19937 random(7);
  for (int dimension = 1; dimension <= kMaxDimension; ++dimension)
    for (int round = 0; round < 20; ++round) {
      const Scene<T> scene(dimension, random);
      T out[8][kLanes];
      run(scene.metric, scene.block, scene.chunk, scene.box, scene.point, out);
      const Metric<kAnyDimension, T> open{scene.metric.axes};
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const auto& box = scene.lane_box[lane];
        const T* point = scene.lane_point[lane];
        ASSERT_EQ(out[0][lane], scene.metric.distance2(scene.point, point));
        ASSERT_EQ(out[1][lane], scene.metric.lower2(scene.box, box));
        ASSERT_EQ(out[2][lane], scene.metric.lower2(scene.box_of(scene.point), box));
        ASSERT_EQ(out[3][lane], open.distance2(scene.point, point));
        ASSERT_EQ(out[4][lane], open.lower2(scene.box, box));
        ASSERT_EQ(out[5][lane], open.lower2(scene.box_of(scene.point), box));
        ASSERT_EQ(out[6][lane], scene.metric.lower2(scene.box, scene.box_of(point)));
        ASSERT_EQ(out[7][lane], open.lower2(scene.box, scene.box_of(point)));
      }
    }
}

TEST(Lanes, EqualTheScalarReferenceOnEveryTarget) {
  for (const std::string& target : available_targets()) {
    SCOPED_TRACE(target);
    force_target(target);
    EXPECT_EQ(current_target(), target);
    check_all_dimensions<float>();
    check_all_dimensions<double>();
  }
  force_target("");
}

TEST(Target, UnknownNameIsRefused) {
  EXPECT_THROW(force_target("MMX"), Error);
  EXPECT_FALSE(current_target().empty());
}

TEST(Target, EnvironmentIsObeyed) {
  for (const std::string& target : available_targets()) {
    setenv("KITH_TARGET", target.c_str(), 1);
    force_target("");
    EXPECT_EQ(current_target(), target);
  }
  unsetenv("KITH_TARGET");
  force_target("");
  EXPECT_EQ(current_target(), available_targets().front());
}

}  // namespace
}  // namespace kith
#endif
