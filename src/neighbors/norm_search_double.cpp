// The searches of double points by the norms of p = 1 and infinity, for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbors/norm_search_double.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "neighbors/knn-inl.h"
#include "neighbors/norm_search.hpp"
#include "neighbors/radius-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

// One code for all dimensions: code for two and three takes 13 % less time (bench_norms_peers), but
// twice as long to compile.
std::unique_ptr<SearchWorker> make_double_difference_knn(const KnnJob<double>& job) {
  return std::make_unique<KnnSearch<kAnyDimension, double, Differences>>(job);
}
std::unique_ptr<SearchWorker> make_double_difference_radius(const RadiusJob<double>& job) {
  return std::make_unique<RadiusSearch<kAnyDimension, double, Differences>>(job);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {

HWY_EXPORT(make_double_difference_knn);
HWY_EXPORT(make_double_difference_radius);

std::unique_ptr<SearchWorker> make_difference_worker(const KnnJob<double>& job) {
  return HWY_DYNAMIC_DISPATCH(make_double_difference_knn)(job);
}
std::unique_ptr<SearchWorker> make_difference_worker(const RadiusJob<double>& job) {
  return HWY_DYNAMIC_DISPATCH(make_double_difference_radius)(job);
}

}  // namespace kith
#endif
