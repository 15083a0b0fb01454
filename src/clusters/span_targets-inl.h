// Edges of spanning trees for every SIMD target, of points of KITH_SCALAR: all of
// span_float.cpp and span_double.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clusters/span_targets-inl.h"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "clusters/span-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {
namespace {

using PointScalar = KITH_SCALAR;

void span_task(const SpanJob<PointScalar>& job, SpanRound round, std::uint32_t node,
               SpanScratch<PointScalar>& scratch) {
  run_any_span_task(job, round, node, scratch);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {
namespace {
HWY_EXPORT(span_task);
}  // namespace

void run_span_task(const SpanJob<KITH_SCALAR>& job, SpanRound round, std::uint32_t node,
                   SpanScratch<KITH_SCALAR>& scratch) {
  HWY_DYNAMIC_DISPATCH(span_task)(job, round, node, scratch);
}

}  // namespace kith
#endif
