// Pair counts for every SIMD target, of points of KITH_PAIRS_SCALAR: all of pairs_float.cpp and
// pairs_double.cpp. Each is a separate translation unit, so that they compile in parallel.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbors/pairs-inl.h"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "walk/make_pair_walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {
namespace {

std::unique_ptr<PairWorker> make_pairs(const PairJob<KITH_PAIRS_SCALAR>& job) {
  return make_pair_walk(job);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {
namespace {
HWY_EXPORT(make_pairs);
}  // namespace

std::unique_ptr<PairWorker> make_worker(const PairJob<KITH_PAIRS_SCALAR>& job) {
  return HWY_DYNAMIC_DISPATCH(make_pairs)(job);
}

}  // namespace kith
#endif
