// From a job to the walk that is compiled for it, for every SIMD target and points of KITH_SCALAR:
// all of walk_float.cpp and walk_double.cpp. Each is a translation unit, so that they compile side
// by side.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pairs/walk_targets-inl.h"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "pairs/blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {
namespace {

using PointScalar = KITH_SCALAR;

template <PairKind Kind, bool Wrap, int D>
std::unique_ptr<PairWorker> make_walk_of(const PairJob<PointScalar>& job) {
  using T = PointScalar;
  constexpr PairMeasure kMeasure = Kind == PairKind::projected          ? PairMeasure::projected
                                   : Kind == PairKind::survey_projected ? PairMeasure::survey
                                                                        : PairMeasure::distance;
  const PairGeometry<kMeasure, D, T> geometry(job);
  const Scatter<D, T> plain = scatter<Kind, false, D, T>, wrapped = scatter<Kind, Wrap, D, T>;
  if (job.is_weighted())
    return std::make_unique<PairWalk<PairBlocks<kMeasure, D, T, true>>>(job, geometry, plain,
                                                                        wrapped);
  return std::make_unique<PairWalk<PairBlocks<kMeasure, D, T, false>>>(job, geometry, plain,
                                                                       wrapped);
}

/// All kinds but the plain distance are for three dimensions; those of surveys for open boxes.
std::unique_ptr<PairWorker> make_walk(const PairJob<PointScalar>& job) {
  switch (job.kind) {
    case PairKind::projected: return make_walk_of<PairKind::projected, true, 3>(job);
    case PairKind::angle: return make_walk_of<PairKind::angle, true, 3>(job);
    case PairKind::survey_projected: return make_walk_of<PairKind::survey_projected, false, 3>(job);
    case PairKind::survey_angle: return make_walk_of<PairKind::survey_angle, false, 3>(job);
    case PairKind::distance: break;
  }
  // Points of fewer dimensions come with coordinates 0.
  if (job.sources->view.dimension == 3) return make_walk_of<PairKind::distance, true, 3>(job);
  return make_walk_of<PairKind::distance, true, kAnyDimension>(job);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {
namespace {
HWY_EXPORT(make_walk);
}  // namespace

std::unique_ptr<PairWorker> make_worker(const PairJob<KITH_SCALAR>& job) {
  return HWY_DYNAMIC_DISPATCH(make_walk)(job);
}

}  // namespace kith
#endif
