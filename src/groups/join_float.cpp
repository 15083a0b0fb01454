// The join of trees of float points, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "groups/join_float.cpp"
#include <hwy/foreach_target.h>

#include "groups/join-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

void run_float_task(const JoinJob<float>& job, JoinRound round, std::uint32_t node,
                    JoinScratch& scratch) {
  run_any_task(job, round, node, scratch);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {

HWY_EXPORT(run_float_task);

void run_join_task(const JoinJob<float>& job, JoinRound round, std::uint32_t node,
                   JoinScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(run_float_task)(job, round, node, scratch);
}

}  // namespace kith
#endif
