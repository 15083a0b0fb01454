// A query point or box held in vectors, and its distances to columns of boxes and points.
//
// Same operations as kernels/lanes-inl.h, for loops that ask many blocks about one query: the query
// is broadcast once, and boxes may lie in lists with columns of any stride.
#if defined(KITH_WALK_PROBE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_WALK_PROBE_INL_H_
#undef KITH_WALK_PROBE_INL_H_
#else
#define KITH_WALK_PROBE_INL_H_
#endif

#include <hwy/highway.h>

#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T>
struct PointProbe {
  Vec<T> x[kAxisRoom<D>];

  HWY_INLINE PointProbe(const T* point, std::size_t stride, Axes<D> axes) {
    for (int axis = 0; axis < axes.count(); ++axis)
      x[axis] = hn::Set(Tag<T>(), point[static_cast<std::size_t>(axis) * stride]);
  }
  HWY_INLINE Vec<T> lower(int axis) const { return x[axis]; }
  HWY_INLINE Vec<T> upper(int axis) const { return x[axis]; }
};

template <int D, class T>
struct BoxProbe {
  Vec<T> lo[kAxisRoom<D>], hi[kAxisRoom<D>];

  HWY_INLINE BoxProbe(const Bounds<D, T>& box, Axes<D> axes) {
    for (int axis = 0; axis < axes.count(); ++axis) {
      lo[axis] = hn::Set(Tag<T>(), box.lo[axis]);
      hi[axis] = hn::Set(Tag<T>(), box.hi[axis]);
    }
  }
  HWY_INLINE Vec<T> lower(int axis) const { return lo[axis]; }
  HWY_INLINE Vec<T> upper(int axis) const { return hi[axis]; }
};

/// Lower bounds of the squared distance to boxes whose lower and then upper ends lie in columns,
/// `stride` apart.
template <bool Wrap, int D, class T, class Probe>
HWY_INLINE Vec<T> boxes_lower2(const Probe& q, const T* HWY_RESTRICT columns, std::size_t stride,
                               const T* HWY_RESTRICT side, Axes<D> axes) {
  const Tag<T> tag;
  auto sum = hn::Zero(tag);
  for (int axis = 0; axis < axes.count(); ++axis) {
    const auto lo = hn::LoadU(tag, columns + static_cast<std::size_t>(axis) * stride);
    const auto hi =
        hn::LoadU(tag, columns + static_cast<std::size_t>(axes.count() + axis) * stride);
    auto gap =
        hn::Max(hn::Max(hn::Sub(lo, q.upper(axis)), hn::Sub(q.lower(axis), hi)), hn::Zero(tag));
    if constexpr (Wrap) {
      if (side[axis] > 0) {
        const auto most = hn::Max(hn::Sub(hi, q.lower(axis)), hn::Sub(q.upper(axis), lo));
        gap = hn::Min(gap, hn::Sub(hn::Set(tag, side[axis]), most));
      }
    }
    sum = add_square(sum, gap, axis);
  }
  return sum;
}

/// Upper bounds likewise. Meaningless for empty boxes.
template <int D, class T, class Probe>
HWY_INLINE Vec<T> boxes_upper2(const Probe& q, const T* HWY_RESTRICT columns, std::size_t stride,
                               const T* HWY_RESTRICT side, Axes<D> axes) {
  const Tag<T> tag;
  auto sum = hn::Zero(tag);
  for (int axis = 0; axis < axes.count(); ++axis) {
    const auto lo = hn::LoadU(tag, columns + static_cast<std::size_t>(axis) * stride);
    const auto hi =
        hn::LoadU(tag, columns + static_cast<std::size_t>(axes.count() + axis) * stride);
    auto most = hn::Max(hn::Sub(hi, q.lower(axis)), hn::Sub(q.upper(axis), lo));
    if (side[axis] > 0) {
      const auto gap =
          hn::Max(hn::Max(hn::Sub(lo, q.upper(axis)), hn::Sub(q.lower(axis), hi)), hn::Zero(tag));
      most = hn::Min(most, hn::Sub(hn::Set(tag, side[axis]), gap));
    }
    sum = add_square(sum, most, axis);
  }
  return sum;
}

/// Squared distances to the points from `lane` of a block.
template <bool Wrap, int D, class T>
HWY_INLINE Vec<T> block_distance2(const PointProbe<D, T>& q, const T* HWY_RESTRICT block,
                                  std::size_t lane, const T* HWY_RESTRICT side, Axes<D> axes) {
  const Tag<T> tag;
  auto sum = hn::Zero(tag);
  for (int axis = 0; axis < axes.count(); ++axis) {
    auto dx =
        hn::Sub(hn::LoadU(tag, block + static_cast<std::size_t>(axis) * kLanes + lane), q.x[axis]);
    if constexpr (Wrap) {
      dx = hn::Abs(dx);
      if (side[axis] > 0) dx = hn::Min(dx, hn::Sub(hn::Set(tag, side[axis]), dx));
    }
    sum = add_square(sum, dx, axis);
  }
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
