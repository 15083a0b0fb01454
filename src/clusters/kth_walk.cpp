// Distances to k-th neighbors, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clusters/kth_walk.cpp"
#include <hwy/foreach_target.h>

#include "clusters/kth_walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

void run_float_kth_bounds(const KthJob<float>& job, std::size_t begin, std::size_t end) {
  run_any_kth_bounds(job, begin, end);
}
void run_double_kth_bounds(const KthJob<double>& job, std::size_t begin, std::size_t end) {
  run_any_kth_bounds(job, begin, end);
}
void run_float_kth_task(const KthJob<float>& job, std::uint32_t node, NearScratch<float>& scratch) {
  run_any_kth_task(job, node, scratch);
}
void run_double_kth_task(const KthJob<double>& job, std::uint32_t node,
                         NearScratch<double>& scratch) {
  run_any_kth_task(job, node, scratch);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {

HWY_EXPORT(run_float_kth_bounds);
HWY_EXPORT(run_double_kth_bounds);
HWY_EXPORT(run_float_kth_task);
HWY_EXPORT(run_double_kth_task);

void run_kth_bounds(const KthJob<float>& job, std::size_t begin, std::size_t end) {
  HWY_DYNAMIC_DISPATCH(run_float_kth_bounds)(job, begin, end);
}
void run_kth_bounds(const KthJob<double>& job, std::size_t begin, std::size_t end) {
  HWY_DYNAMIC_DISPATCH(run_double_kth_bounds)(job, begin, end);
}
void run_kth_task(const KthJob<float>& job, std::uint32_t node, NearScratch<float>& scratch) {
  HWY_DYNAMIC_DISPATCH(run_float_kth_task)(job, node, scratch);
}
void run_kth_task(const KthJob<double>& job, std::uint32_t node, NearScratch<double>& scratch) {
  HWY_DYNAMIC_DISPATCH(run_double_kth_task)(job, node, scratch);
}

}  // namespace kith
#endif
