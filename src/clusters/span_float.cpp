// Edges of spanning trees of float points, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clusters/span_float.cpp"
#include <hwy/foreach_target.h>

#include "clusters/span-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

void run_float_span_task(const SpanJob<float>& job, SpanRound round, std::uint32_t node,
                         SpanScratch<float>& scratch) {
  run_any_span_task(job, round, node, scratch);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {

HWY_EXPORT(run_float_span_task);

void run_span_task(const SpanJob<float>& job, SpanRound round, std::uint32_t node,
                   SpanScratch<float>& scratch) {
  HWY_DYNAMIC_DISPATCH(run_float_span_task)(job, round, node, scratch);
}

}  // namespace kith
#endif
