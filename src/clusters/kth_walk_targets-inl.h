// Distances to k-th neighbors for every SIMD target, of points of KITH_SCALAR: all of
// kth_walk_float.cpp and kth_walk_double.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clusters/kth_walk_targets-inl.h"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "clusters/kth_walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {
namespace {

using PointScalar = KITH_SCALAR;

void kth_bounds(const KthJob<PointScalar>& job, std::size_t begin, std::size_t end) {
  run_any_kth_bounds(job, begin, end);
}
void kth_task(const KthJob<PointScalar>& job, std::uint32_t node,
              NearScratch<PointScalar>& scratch) {
  run_any_kth_task(job, node, scratch);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {
namespace {
HWY_EXPORT(kth_bounds);
HWY_EXPORT(kth_task);
}  // namespace

void run_kth_bounds(const KthJob<KITH_SCALAR>& job, std::size_t begin, std::size_t end) {
  HWY_DYNAMIC_DISPATCH(kth_bounds)(job, begin, end);
}
void run_kth_task(const KthJob<KITH_SCALAR>& job, std::uint32_t node,
                  NearScratch<KITH_SCALAR>& scratch) {
  HWY_DYNAMIC_DISPATCH(kth_task)(job, node, scratch);
}

}  // namespace kith
#endif
