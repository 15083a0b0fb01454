// Squared radii that certainly hold enough points.
#if defined(KITH_NEIGHBORS_ENOUGH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_ENOUGH_INL_H_
#undef KITH_NEIGHBORS_ENOUGH_INL_H_
#else
#define KITH_NEIGHBORS_ENOUGH_INL_H_
#endif

#include <algorithm>
#include <hwy/highway.h>
#include <limits>

#include "base/array.hpp"
#include "kernels/rank-inl.h"
#include "walk/sources-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// The points of a run of blocks along the curve lie around any block in its middle, for any
/// scale there: the last one needed of them bounds the radius.
template <int D, class T, class Norm = Squares>
class Enough {
 public:
  Enough(const Sources<D, T, Norm>& sources, std::size_t need)
      : sources_(sources),
        need_(need),
        full_(sources.tree().points / kLanes),
        blocks_(std::min(full_, std::max<std::size_t>(8, lanes_up(need) / kLanes + 4))),
        d2_(blocks_ * kLanes) {}

  /// For a point near a block.
  HWY_NOINLINE T around(const T* point, std::size_t block) {
    if (blocks_ * kLanes < need_) return std::numeric_limits<T>::max();
    const Axes<D> axes = sources_.axes();
    const std::size_t first = std::min(block - std::min(block, blocks_ / 2), full_ - blocks_);
    const PointProbe<D, T> q(point, kLanes, axes);
    const T* from = sources_.tree().block(first, axes);
    T* HWY_RESTRICT to = d2_.data();
    for (std::size_t i = 0; i < blocks_; ++i, from += block_stride<T>(axes))
      for (std::size_t lane = 0; lane < kLanes;
           lane += hn::Lanes(Tag<T>()), to += hn::Lanes(Tag<T>()))
        hn::StoreU(distance2<true>(q, PointColumns<T>{from + lane}, sources_.side(), axes,
                                   sources_.norm()),
                   Tag<T>(), to);
    return rank_bound(d2_.data(), blocks_ * kLanes, need_);
  }

 private:
  const Sources<D, T, Norm>& sources_;
  std::size_t need_;
  std::size_t full_;    ///< blocks without unused lanes
  std::size_t blocks_;  ///< in a run
  Array<T> d2_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
