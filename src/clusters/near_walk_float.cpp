// Walks of near points for trees of float points, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clusters/near_walk_float.cpp"
#include <hwy/foreach_target.h>

#include "clusters/near_walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

void run_float_core_task(const CoreJob<float>& job, std::uint32_t node,
                         NearScratch<float>& scratch) {
  run_any_core_task(job, node, scratch);
}
void run_float_border_task(const BorderJob<float>& job, std::uint32_t node,
                           NearScratch<float>& scratch, NearVisitor<float> visit) {
  run_any_border_task(job, node, scratch, visit);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {

HWY_EXPORT(run_float_core_task);
HWY_EXPORT(run_float_border_task);

void run_core_task(const CoreJob<float>& job, std::uint32_t node, NearScratch<float>& scratch) {
  HWY_DYNAMIC_DISPATCH(run_float_core_task)(job, node, scratch);
}
void run_border_task(const BorderJob<float>& job, std::uint32_t node, NearScratch<float>& scratch,
                     NearVisitor<float> visit) {
  HWY_DYNAMIC_DISPATCH(run_float_border_task)(job, node, scratch, visit);
}

}  // namespace kith
#endif
