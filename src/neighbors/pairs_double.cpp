// Pair counts of double points for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbors/pairs_double.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "walk/make_pair_walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

std::unique_ptr<PairWorker> make_double_pairs(const PairJob<double>& job) {
  return make_pair_walk(job);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {

HWY_EXPORT(make_double_pairs);

std::unique_ptr<PairWorker> make_worker(const PairJob<double>& job) {
  return HWY_DYNAMIC_DISPATCH(make_double_pairs)(job);
}

}  // namespace kith
#endif
