// Walks of near points for every SIMD target, of points of KITH_SCALAR: all of
// near_walk_float.cpp and near_walk_double.cpp. Each is a translation unit, so that they compile
// side by side.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clusters/near_walk_targets-inl.h"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "clusters/near_walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {
namespace {

using PointScalar = KITH_SCALAR;

void core_task(const CoreJob<PointScalar>& job, std::uint32_t node,
               NearScratch<PointScalar>& scratch) {
  run_any_core_task(job, node, scratch);
}
void border_task(const BorderJob<PointScalar>& job, std::uint32_t node,
                 NearScratch<PointScalar>& scratch, NearVisitor<PointScalar> visit) {
  run_any_border_task(job, node, scratch, visit);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {
namespace {
HWY_EXPORT(core_task);
HWY_EXPORT(border_task);
}  // namespace

void run_core_task(const CoreJob<KITH_SCALAR>& job, std::uint32_t node,
                   NearScratch<KITH_SCALAR>& scratch) {
  HWY_DYNAMIC_DISPATCH(core_task)(job, node, scratch);
}
void run_border_task(const BorderJob<KITH_SCALAR>& job, std::uint32_t node,
                     NearScratch<KITH_SCALAR>& scratch, NearVisitor<KITH_SCALAR> visit) {
  HWY_DYNAMIC_DISPATCH(border_task)(job, node, scratch, visit);
}

}  // namespace kith
#endif
