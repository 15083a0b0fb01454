// The kNN search of double points for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbors/knn_double.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "neighbors/knn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

std::unique_ptr<KnnWorker> make_double_worker(const KnnJob<double>& job) { return make_worker(job); }

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {

HWY_EXPORT(make_double_worker);

std::unique_ptr<KnnWorker> make_knn_worker(const KnnJob<double>& job) {
  return HWY_DYNAMIC_DISPATCH(make_double_worker)(job);
}

}  // namespace kith
#endif
