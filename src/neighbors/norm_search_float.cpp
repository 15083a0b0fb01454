// The searches of float points by the norms of p = 1 and infinity, for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbors/norm_search_float.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "neighbors/knn-inl.h"
#include "neighbors/norm_search.hpp"
#include "neighbors/radius-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

std::unique_ptr<SearchWorker> make_float_difference_knn(const KnnJob<float>& job) {
  return with_dimension(job.source.dimension, [&]<int D>() -> std::unique_ptr<SearchWorker> {
    return std::make_unique<KnnSearch<D, float, Differences>>(job);
  });
}
std::unique_ptr<SearchWorker> make_float_difference_radius(const RadiusJob<float>& job) {
  return with_dimension(job.source.dimension, [&]<int D>() -> std::unique_ptr<SearchWorker> {
    return std::make_unique<RadiusSearch<D, float, Differences>>(job);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {

HWY_EXPORT(make_float_difference_knn);
HWY_EXPORT(make_float_difference_radius);

std::unique_ptr<SearchWorker> make_difference_worker(const KnnJob<float>& job) {
  return HWY_DYNAMIC_DISPATCH(make_float_difference_knn)(job);
}
std::unique_ptr<SearchWorker> make_difference_worker(const RadiusJob<float>& job) {
  return HWY_DYNAMIC_DISPATCH(make_float_difference_radius)(job);
}

}  // namespace kith
#endif
