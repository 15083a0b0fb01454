// Pair counts of float points for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbors/pairs_float.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "walk/make_pair_walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

std::unique_ptr<PairWorker> make_float_pairs(const PairJob<float>& job) {
  return make_pair_walk(job);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {

HWY_EXPORT(make_float_pairs);

std::unique_ptr<PairWorker> make_worker(const PairJob<float>& job) {
  return HWY_DYNAMIC_DISPATCH(make_float_pairs)(job);
}

}  // namespace kith
#endif
