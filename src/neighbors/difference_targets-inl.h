// Searches by the norms of p = 1 and infinity for every SIMD target, of points of KITH_SCALAR: all
// of difference_float.cpp and difference_double.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbors/difference_targets-inl.h"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "neighbors/knn-inl.h"
#include "neighbors/norm_search.hpp"
#include "neighbors/radius-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {
namespace {

using PointScalar = KITH_SCALAR;

// One code for all dimensions: code for two and three takes 13 % less time (bench_norms_peers), but
// twice as long to compile.
std::unique_ptr<SearchWorker> make_difference_knn(const KnnJob<PointScalar>& job) {
  return std::make_unique<KnnSearch<kAnyDimension, PointScalar, Differences>>(job);
}
std::unique_ptr<SearchWorker> make_difference_radius(const RadiusJob<PointScalar>& job) {
  return std::make_unique<RadiusSearch<kAnyDimension, PointScalar, Differences>>(job);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {
namespace {
HWY_EXPORT(make_difference_knn);
HWY_EXPORT(make_difference_radius);
}  // namespace

std::unique_ptr<SearchWorker> make_difference_worker(const KnnJob<KITH_SCALAR>& job) {
  return HWY_DYNAMIC_DISPATCH(make_difference_knn)(job);
}
std::unique_ptr<SearchWorker> make_difference_worker(const RadiusJob<KITH_SCALAR>& job) {
  return HWY_DYNAMIC_DISPATCH(make_difference_radius)(job);
}

}  // namespace kith
#endif
