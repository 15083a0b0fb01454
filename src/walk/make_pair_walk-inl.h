// From a job to the walk that is compiled for it.
#if defined(KITH_WALK_MAKE_PAIR_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_WALK_MAKE_PAIR_WALK_INL_H_
#undef KITH_WALK_MAKE_PAIR_WALK_INL_H_
#else
#define KITH_WALK_MAKE_PAIR_WALK_INL_H_
#endif

#include "walk/pair_walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <PairKind Kind, bool Wrap, int D, class T>
std::unique_ptr<PairWorker> make_pair_walk_of(const PairJob<T>& job) {
  constexpr PairMeasure kMeasure = Kind == PairKind::projected          ? PairMeasure::projected
                                   : Kind == PairKind::survey_projected ? PairMeasure::survey
                                                                        : PairMeasure::distance;
  const Scatter<D, T> plain = scatter<Kind, false, D, T>, wrapped = scatter<Kind, Wrap, D, T>;
  if (job.is_weighted())
    return std::make_unique<PairWalk<kMeasure, D, T, true>>(job, plain, wrapped);
  return std::make_unique<PairWalk<kMeasure, D, T, false>>(job, plain, wrapped);
}

/// All kinds but the plain distance are for three dimensions; those of surveys for open boxes.
template <class T>
std::unique_ptr<PairWorker> make_pair_walk(const PairJob<T>& job) {
  switch (job.kind) {
    case PairKind::projected: return make_pair_walk_of<PairKind::projected, true, 3>(job);
    case PairKind::angle: return make_pair_walk_of<PairKind::angle, true, 3>(job);
    case PairKind::survey_projected:
      return make_pair_walk_of<PairKind::survey_projected, false, 3>(job);
    case PairKind::survey_angle: return make_pair_walk_of<PairKind::survey_angle, false, 3>(job);
    case PairKind::distance: break;
  }
  // Points of fewer dimensions come with coordinates 0.
  if (job.sources->view.dimension == 3) return make_pair_walk_of<PairKind::distance, true, 3>(job);
  return make_pair_walk_of<PairKind::distance, true, kAnyDimension>(job);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
