// Walks of near points for trees of double points, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clusters/near_walk_double.cpp"
#include <hwy/foreach_target.h>

#include "clusters/near_walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

void run_double_core_task(const CoreJob<double>& job, std::uint32_t node,
                          NearScratch<double>& scratch) {
  run_any_core_task(job, node, scratch);
}
void run_double_border_task(const BorderJob<double>& job, std::uint32_t node,
                            NearScratch<double>& scratch, NearVisitor<double> visit) {
  run_any_border_task(job, node, scratch, visit);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {

HWY_EXPORT(run_double_core_task);
HWY_EXPORT(run_double_border_task);

void run_core_task(const CoreJob<double>& job, std::uint32_t node, NearScratch<double>& scratch) {
  HWY_DYNAMIC_DISPATCH(run_double_core_task)(job, node, scratch);
}
void run_border_task(const BorderJob<double>& job, std::uint32_t node, NearScratch<double>& scratch,
                     NearVisitor<double> visit) {
  HWY_DYNAMIC_DISPATCH(run_double_border_task)(job, node, scratch, visit);
}

}  // namespace kith
#endif
