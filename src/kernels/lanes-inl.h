// THE distance and its box bounds for 8 points or 8 nodes at once: the geometric test of every
// kernel.
//
// Included once per SIMD target (Highway's foreach_target). The operations, their order and their
// roundings are those of geometry/distance.hpp (both include geometry/gaps-inl.h), so the bits are
// the same. Groups of 8 lanes are
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

/// The arithmetic of one axis for vectors.
namespace gaps {
template <class V>
HWY_INLINE V minus(V a, V b) {
  return hn::Sub(a, b);
}
template <class V>
HWY_INLINE V times(V a, V b) {
  return hn::Mul(a, b);
}
template <class V>
HWY_INLINE V plus(V a, V b) {
  return hn::Add(a, b);
}
template <class V>
HWY_INLINE V larger(V a, V b) {
  return hn::Max(a, b);
}
template <class V>
HWY_INLINE V smaller(V a, V b) {
  return hn::Min(a, b);
}
template <class V>
HWY_INLINE V zero_like(V) {
  return hn::Zero(hn::DFromV<V>());
}
#define KITH_GAPS    \
  template <class V> \
  HWY_INLINE
#include "geometry/gaps-inl.h"
#undef KITH_GAPS
}  // namespace gaps
using gaps::add_square;

// ---- from where: lower(axis) and upper(axis) are the ends on an axis, the same in all lanes

/// A point whose coordinates are `stride` apart, read when they are needed.
template <class T>
struct PointAt {
  const T* HWY_RESTRICT x;
  std::size_t stride = 1;
  HWY_INLINE Vec<T> lower(int axis) const {
    return hn::Set(Tag<T>(), x[static_cast<std::size_t>(axis) * stride]);
  }
  HWY_INLINE Vec<T> upper(int axis) const { return lower(axis); }
};

template <int D, class T>
struct BoxAt {
  const Bounds<D, T>& box;
  HWY_INLINE Vec<T> lower(int axis) const { return hn::Set(Tag<T>(), box.lo[axis]); }
  HWY_INLINE Vec<T> upper(int axis) const { return hn::Set(Tag<T>(), box.hi[axis]); }
};

/// A point held in vectors, for loops over many blocks for one query.
template <int D, class T>
struct PointProbe {
  Vec<T> x[kAxisRoom<D>];

  HWY_INLINE PointProbe(const T* point, std::size_t stride, Axes<D> axes) {
    for (int axis = 0; axis < axes.count(); ++axis) x[axis] = PointAt<T>{point, stride}.lower(axis);
  }
  HWY_INLINE Vec<T> lower(int axis) const { return x[axis]; }
  HWY_INLINE Vec<T> upper(int axis) const { return x[axis]; }
};

template <int D, class T>
struct BoxProbe {
  Vec<T> lo[kAxisRoom<D>], hi[kAxisRoom<D>];

  HWY_INLINE BoxProbe(const Bounds<D, T>& box, Axes<D> axes) {
    for (int axis = 0; axis < axes.count(); ++axis) {
      lo[axis] = BoxAt<D, T>{box}.lower(axis);
      hi[axis] = BoxAt<D, T>{box}.upper(axis);
    }
  }
  HWY_INLINE Vec<T> lower(int axis) const { return lo[axis]; }
  HWY_INLINE Vec<T> upper(int axis) const { return hi[axis]; }
};

// ---- to what: a vector of ends on an axis

/// Points of a block from some lane on. Blocks of doubles are aligned to 32 bytes, not to the 64 of
/// the widest vectors.
template <class T>
struct PointColumns {
  const T* HWY_RESTRICT at;
  HWY_INLINE Vec<T> lower(int axis) const {
    return hn::LoadU(Tag<T>(), at + static_cast<std::size_t>(axis) * kLanes);
  }
  HWY_INLINE Vec<T> upper(int axis) const { return lower(axis); }
};

/// Boxes of a chunk from some lane on.
template <int D, class T>
struct ChunkColumns {
  const T* HWY_RESTRICT at;
  Axes<D> axes;
  HWY_INLINE Vec<T> lower(int axis) const {
    return hn::Load(Tag<T>(), at + static_cast<std::size_t>(axis) * kLanes);
  }
  HWY_INLINE Vec<T> upper(int axis) const { return lower(axes.count() + axis); }
};

/// Boxes whose lower and then upper ends are in columns, `stride` apart.
template <int D, class T>
struct ListColumns {
  const T* HWY_RESTRICT at;
  std::size_t stride;
  Axes<D> axes;
  HWY_INLINE Vec<T> lower(int axis) const {
    return hn::LoadU(Tag<T>(), at + static_cast<std::size_t>(axis) * stride);
  }
  HWY_INLINE Vec<T> upper(int axis) const { return lower(axes.count() + axis); }
};

// ---- how the differences on the axes make a key, the distance or a function of it

/// p = 2: squares are added up; the key is the squared distance.
struct Squares {
  static constexpr int kPower = 2;  ///< keys grow as this power of lengths
  template <class V>
  HWY_INLINE V add(V sum, V dx, int axis) const {
    return add_square(sum, dx, axis);
  }
  template <class V>
  HWY_INLINE V size(V dx) const {
    return dx;  // the square needs no absolute value
  }
};

/// p = 1 and infinity: differences are added up, or the largest counts. One type for both, which
/// takes half as long to compile; a branch that always goes the same way costs nothing beside the
/// loads.
struct Differences {
  static constexpr int kPower = 1;
  bool is_sum;
  template <class V>
  HWY_INLINE V add(V sum, V dx, int axis) const {
    if (axis == 0) return dx;
    return is_sum ? hn::Add(sum, dx) : hn::Max(sum, dx);
  }
  template <class V>
  HWY_INLINE V size(V dx) const {
    return hn::Abs(dx);
  }
};

// ---- the distance and its bounds. Wrap: side[axis] > 0 means periodic; without Wrap all axes
// count as open.

/// The keys of a point and the points of a block: squared distances, unless another norm is given.
template <bool Wrap, int D, class T, class From, class Norm = Squares>
HWY_INLINE Vec<T> distance2(const From& q, const PointColumns<T>& to, const T* HWY_RESTRICT side,
                            Axes<D> axes, const Norm& norm = {}) {
  auto sum = hn::Zero(Tag<T>());
  for (int axis = 0; axis < axes.count(); ++axis) {
    auto dx = hn::Sub(to.lower(axis), q.lower(axis));
    if constexpr (Wrap) {
      dx = hn::Abs(dx);
      if (side[axis] > 0) dx = gaps::wrapped(dx, hn::Set(Tag<T>(), side[axis]));
    } else {
      dx = norm.size(dx);
    }
    sum = norm.add(sum, dx, axis);
  }
  return sum;
}

/// Lower bounds of the key. Infinite for unused boxes: compare with finite thresholds
/// only.
template <bool Wrap, int D, class T, class From, class To, class Norm = Squares>
HWY_INLINE Vec<T> lower2(const From& q, const To& to, const T* HWY_RESTRICT side, Axes<D> axes,
                         const Norm& norm = {}) {
  auto sum = hn::Zero(Tag<T>());
  for (int axis = 0; axis < axes.count(); ++axis) {
    const auto lo = to.lower(axis), hi = to.upper(axis);
    const auto q_lo = q.lower(axis), q_hi = q.upper(axis);
    auto gap = gaps::least(q_lo, q_hi, lo, hi);
    if constexpr (Wrap) {
      if (side[axis] > 0)
        gap =
            gaps::wrapped_least(gap, gaps::most(q_lo, q_hi, lo, hi), hn::Set(Tag<T>(), side[axis]));
    }
    sum = norm.add(sum, gap, axis);
  }
  return sum;
}

/// Upper bounds, with the same arguments. Meaningless for unused boxes.
template <bool Wrap, int D, class T, class From, class To, class Norm = Squares>
HWY_INLINE Vec<T> upper2(const From& q, const To& to, const T* HWY_RESTRICT side, Axes<D> axes,
                         const Norm& norm = {}) {
  auto sum = hn::Zero(Tag<T>());
  for (int axis = 0; axis < axes.count(); ++axis) {
    const auto lo = to.lower(axis), hi = to.upper(axis);
    const auto q_lo = q.lower(axis), q_hi = q.upper(axis);
    auto gap = gaps::most(q_lo, q_hi, lo, hi);
    if constexpr (Wrap) {
      if (side[axis] > 0)
        gap =
            gaps::wrapped_most(gaps::least(q_lo, q_hi, lo, hi), gap, hn::Set(Tag<T>(), side[axis]));
    }
    sum = norm.add(sum, gap, axis);
  }
  return sum;
}

// ---- the same for a point or a box q and the lanes from `lane` of a block or a chunk

template <bool Wrap, int D, class T>
HWY_INLINE Vec<T> distance2(const T* HWY_RESTRICT q, const T* HWY_RESTRICT block, std::size_t lane,
                            const T* HWY_RESTRICT side, Axes<D> axes) {
  return distance2<Wrap>(PointAt<T>{q}, PointColumns<T>{block + lane}, side, axes);
}
template <bool Wrap, int D, class T>
HWY_INLINE Vec<T> lower2(const Bounds<D, T>& q, const T* HWY_RESTRICT chunk, std::size_t lane,
                         const T* HWY_RESTRICT side, Axes<D> axes) {
  return lower2<Wrap>(BoxAt<D, T>{q}, ChunkColumns<D, T>{chunk + lane, axes}, side, axes);
}
template <bool Wrap, int D, class T>
HWY_INLINE Vec<T> lower2(const T* HWY_RESTRICT q, const T* HWY_RESTRICT chunk, std::size_t lane,
                         const T* HWY_RESTRICT side, Axes<D> axes) {
  return lower2<Wrap>(PointAt<T>{q}, ChunkColumns<D, T>{chunk + lane, axes}, side, axes);
}
template <bool Wrap, int D, class T>
HWY_INLINE Vec<T> lower2_of_points(const Bounds<D, T>& q, const T* HWY_RESTRICT block,
                                   std::size_t lane, const T* HWY_RESTRICT side, Axes<D> axes) {
  return lower2<Wrap>(BoxAt<D, T>{q}, PointColumns<T>{block + lane}, side, axes);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
