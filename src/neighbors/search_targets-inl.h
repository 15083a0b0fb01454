// Searches for every SIMD target, of points of KITH_SCALAR: all of search_float.cpp and
// search_double.cpp. Each is a translation unit, so that they compile side by side.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbors/search_targets-inl.h"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "neighbors/knn-inl.h"
#include "neighbors/nearest-inl.h"
#include "neighbors/radius-inl.h"
#include "neighbors/walk_knn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {
namespace {

using PointScalar = KITH_SCALAR;

std::unique_ptr<SearchWorker> make_knn(const KnnJob<PointScalar>& job) {
  if (NearestSearch<kAnyDimension, PointScalar>::serves(job))
    return with_dimension(job.source.dimension, [&]<int D>() -> std::unique_ptr<SearchWorker> {
      return std::make_unique<NearestSearch<D, PointScalar>>(job);
    });
  // One more compiled dimension, for this search alone: it takes 16 % less time in 4-D.
  if (job.source.dimension == 4) return std::make_unique<KnnSearch<4, PointScalar>>(job);
  return with_dimension(job.source.dimension, [&]<int D>() -> std::unique_ptr<SearchWorker> {
    return std::make_unique<KnnSearch<D, PointScalar>>(job);
  });
}
std::unique_ptr<SearchWorker> make_walk_knn(const WalkJob<PointScalar>& job) {
  return with_dimension(job.source.dimension, [&]<int D>() -> std::unique_ptr<SearchWorker> {
    return std::make_unique<WalkKnn<D, PointScalar>>(job);
  });
}
std::unique_ptr<SearchWorker> make_radius(const RadiusJob<PointScalar>& job) {
  return with_dimension(job.source.dimension, [&]<int D>() -> std::unique_ptr<SearchWorker> {
    return std::make_unique<RadiusSearch<D, PointScalar>>(job);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {
namespace {
HWY_EXPORT(make_knn);
HWY_EXPORT(make_walk_knn);
HWY_EXPORT(make_radius);
}  // namespace

std::unique_ptr<SearchWorker> make_worker(const KnnJob<KITH_SCALAR>& job) {
  return HWY_DYNAMIC_DISPATCH(make_knn)(job);
}
std::unique_ptr<SearchWorker> make_worker(const WalkJob<KITH_SCALAR>& job) {
  return HWY_DYNAMIC_DISPATCH(make_walk_knn)(job);
}
std::unique_ptr<SearchWorker> make_worker(const RadiusJob<KITH_SCALAR>& job) {
  return HWY_DYNAMIC_DISPATCH(make_radius)(job);
}

}  // namespace kith
#endif
