// Edges of spanning trees of double points, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clusters/span_double.cpp"
#include <hwy/foreach_target.h>

#include "clusters/span-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

void run_double_span_task(const SpanJob<double>& job, SpanRound round, std::uint32_t node,
                          SpanScratch<double>& scratch) {
  run_any_span_task(job, round, node, scratch);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {

HWY_EXPORT(run_double_span_task);

void run_span_task(const SpanJob<double>& job, SpanRound round, std::uint32_t node,
                   SpanScratch<double>& scratch) {
  HWY_DYNAMIC_DISPATCH(run_double_span_task)(job, round, node, scratch);
}

}  // namespace kith
#endif
