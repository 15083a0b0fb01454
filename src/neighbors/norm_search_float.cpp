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

// One code for all dimensions: code for two and three takes 13 % less time (bench_norms_peers), but
// twice as long to compile.
std::unique_ptr<SearchWorker> make_float_difference_knn(const KnnJob<float>& job) {
  return std::make_unique<KnnSearch<kAnyDimension, float, Differences>>(job);
}
std::unique_ptr<SearchWorker> make_float_difference_radius(const RadiusJob<float>& job) {
  return std::make_unique<RadiusSearch<kAnyDimension, float, Differences>>(job);
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
