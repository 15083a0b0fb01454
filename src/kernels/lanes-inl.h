// THE distance and its box bounds for 8 points or 8 nodes at once: the geometric test of every
// kernel.
//
// Included once per SIMD target (Highway's foreach_target). The operations, their order and their
// roundings are those of geometry/distance.hpp, so the bits are the same. Groups of 8 lanes are
// taken in steps of Lanes(Tag<T>): one step of 8 floats on AVX2, two of 4 on SSE4, and so on.
#if defined(KITH_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_KERNELS_LANES_INL_H_
#undef KITH_KERNELS_LANES_INL_H_
#else
#define KITH_KERNELS_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include "base/lanes.hpp"
#include "geometry/bounds.hpp"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::CappedTag<T, kLanes>;
template <class T>
using Vec = hn::Vec<Tag<T>>;

/// One bit per lane, lane 0 lowest.
template <class TagT, class Mask>
HWY_INLINE unsigned bits_of(TagT tag, Mask mask) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(tag, mask, bits);
  return bits[0];
}

/// sum + dx * dx, rounded twice. The first sum is 0, and adding a square to it changes no bit.
template <class V>
HWY_INLINE V add_square(V sum, V dx, int axis) {
  const V square = hn::Mul(dx, dx);
  return axis == 0 ? square : hn::Add(sum, square);
}

/// The squared distances of point q to the lanes from `lane` of a block. Wrap: side[axis] > 0 means
/// periodic; without Wrap all axes count as open.
template <bool Wrap, int D, class T>
HWY_INLINE Vec<T> distance2(const T* HWY_RESTRICT q, const T* HWY_RESTRICT block, std::size_t lane,
                            const T* HWY_RESTRICT side, Axes<D> axes) {
  const Tag<T> tag;
  auto sum = hn::Zero(tag);
  for (int axis = 0; axis < axes.count(); ++axis) {
    // Blocks of doubles are aligned to 32 bytes, not to the 64 of the widest vectors.
    const auto x = hn::LoadU(tag, block + static_cast<std::size_t>(axis) * kLanes + lane);
    auto dx = hn::Sub(x, hn::Set(tag, q[axis]));
    if constexpr (Wrap) {
      dx = hn::Abs(dx);
      if (side[axis] > 0) dx = hn::Min(dx, hn::Sub(hn::Set(tag, side[axis]), dx));
    }
    sum = add_square(sum, dx, axis);  // the square needs no absolute value
  }
  return sum;
}

/// Lower bounds of the squared distance between the box q and the boxes from `lane` of a chunk.
/// Infinite for unused lanes: compare with finite thresholds only.
template <bool Wrap, int D, class T>
HWY_INLINE Vec<T> lower2(const Bounds<D, T>& q, const T* HWY_RESTRICT chunk, std::size_t lane,
                         const T* HWY_RESTRICT side, Axes<D> axes) {
  const Tag<T> tag;
  auto sum = hn::Zero(tag);
  for (int axis = 0; axis < axes.count(); ++axis) {
    const auto lo = hn::Load(tag, chunk + static_cast<std::size_t>(axis) * kLanes + lane);
    const auto hi =
        hn::Load(tag, chunk + static_cast<std::size_t>(axes.count() + axis) * kLanes + lane);
    const auto q_lo = hn::Set(tag, q.lo[axis]), q_hi = hn::Set(tag, q.hi[axis]);
    auto gap = hn::Max(hn::Max(hn::Sub(lo, q_hi), hn::Sub(q_lo, hi)), hn::Zero(tag));
    if constexpr (Wrap) {
      if (side[axis] > 0) {
        const auto most = hn::Max(hn::Sub(hi, q_lo), hn::Sub(q_hi, lo));
        gap = hn::Min(gap, hn::Sub(hn::Set(tag, side[axis]), most));
      }
    }
    sum = add_square(sum, gap, axis);
  }
  return sum;
}

/// The same from a box to points of a block.
template <bool Wrap, int D, class T>
HWY_INLINE Vec<T> lower2_of_points(const Bounds<D, T>& q, const T* HWY_RESTRICT block,
                                   std::size_t lane, const T* HWY_RESTRICT side, Axes<D> axes) {
  const Tag<T> tag;
  auto sum = hn::Zero(tag);
  for (int axis = 0; axis < axes.count(); ++axis) {
    const auto x = hn::LoadU(tag, block + static_cast<std::size_t>(axis) * kLanes + lane);
    const auto q_lo = hn::Set(tag, q.lo[axis]), q_hi = hn::Set(tag, q.hi[axis]);
    auto gap = hn::Max(hn::Max(hn::Sub(x, q_hi), hn::Sub(q_lo, x)), hn::Zero(tag));
    if constexpr (Wrap) {
      if (side[axis] > 0) {
        const auto most = hn::Max(hn::Sub(x, q_lo), hn::Sub(q_hi, x));
        gap = hn::Min(gap, hn::Sub(hn::Set(tag, side[axis]), most));
      }
    }
    sum = add_square(sum, gap, axis);
  }
  return sum;
}

/// The same from a point.
template <bool Wrap, int D, class T>
HWY_INLINE Vec<T> lower2(const T* HWY_RESTRICT q, const T* HWY_RESTRICT chunk, std::size_t lane,
                         const T* HWY_RESTRICT side, Axes<D> axes) {
  const Tag<T> tag;
  auto sum = hn::Zero(tag);
  for (int axis = 0; axis < axes.count(); ++axis) {
    const auto lo = hn::Load(tag, chunk + static_cast<std::size_t>(axis) * kLanes + lane);
    const auto hi =
        hn::Load(tag, chunk + static_cast<std::size_t>(axes.count() + axis) * kLanes + lane);
    const auto x = hn::Set(tag, q[axis]);
    auto gap = hn::Max(hn::Max(hn::Sub(lo, x), hn::Sub(x, hi)), hn::Zero(tag));
    if constexpr (Wrap) {
      if (side[axis] > 0) {
        const auto most = hn::Max(hn::Sub(hi, x), hn::Sub(x, lo));
        gap = hn::Min(gap, hn::Sub(hn::Set(tag, side[axis]), most));
      }
    }
    sum = add_square(sum, gap, axis);
  }
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
