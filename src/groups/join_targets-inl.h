// The join for every SIMD target, of trees of points of KITH_SCALAR: all of join_float.cpp and
// join_double.cpp. Each is a translation unit, so that they compile side by side.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "groups/join_targets-inl.h"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "groups/join-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {
namespace {

void join_task(const JoinJob<KITH_SCALAR>& job, JoinRound round, std::uint32_t node,
               JoinScratch& scratch) {
  run_any_task(job, round, node, scratch);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {
namespace {
HWY_EXPORT(join_task);
}  // namespace

void run_join_task(const JoinJob<KITH_SCALAR>& job, JoinRound round, std::uint32_t node,
                   JoinScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(join_task)(job, round, node, scratch);
}

}  // namespace kith
#endif
