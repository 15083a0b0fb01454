// The bin of every pair of two blocks of 8 points, by one coordinate of the pair or by two.
//
// The first coordinate is a square that is compared with limits; the second lies in linear bins,
// guessed by a product and corrected by comparisons with i * width, so that the answer is that of
// the comparisons.
#if defined(KITH_KERNELS_PAIR_SCATTER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_KERNELS_PAIR_SCATTER_INL_H_
#undef KITH_KERNELS_PAIR_SCATTER_INL_H_
#else
#define KITH_KERNELS_PAIR_SCATTER_INL_H_
#endif

#include <hwy/highway.h>

#include "kernels/pair_bins.hpp"
#include "kernels/pair_kernels-inl.h"
#include "kernels/pair_kind.hpp"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// The two coordinates of a pair.
template <class T>
struct PairPlace {
  Vec<T> first, second;
};

/// pi2 / s2 as the cosine of the angle to the line of sight; 0 for equal points.
template <class T>
HWY_INLINE Vec<T> angle_of(Vec<T> pi2, Vec<T> s2) {
  const auto zero = hn::Zero(Tag<T>());
  return hn::Sqrt(hn::IfThenElse(hn::Eq(s2, zero), zero, hn::Div(pi2, s2)));
}

/// One receiver and as many sources as fit a vector.
template <PairKind Kind, bool Wrap, int D, class T>
HWY_INLINE PairPlace<T> place_of(const Vec<T>* x, const Vec<T>* y, const Vec<T>* side,
                                 Axes<D> axes) {
  const Tag<T> tag;
  const int last = axes.count() - 1;
  if constexpr (Kind == PairKind::survey_projected || Kind == PairKind::survey_angle) {
    auto s2 = hn::Zero(tag), across = hn::Zero(tag), l2 = hn::Zero(tag);
    for (int axis = 0; axis < D; ++axis) {
      const auto s = hn::Sub(x[axis], y[axis]), l = hn::Add(x[axis], y[axis]);
      s2 = add_square(s2, s, axis);
      across = hn::Add(across, hn::Mul(s, l));
      l2 = add_square(l2, l, axis);
    }
    const auto zero = hn::Zero(tag);
    const auto pi2 = hn::IfThenElse(hn::Eq(l2, zero), zero, hn::Div(hn::Mul(across, across), l2));
    if constexpr (Kind == PairKind::survey_angle) return {s2, angle_of<T>(pi2, s2)};
    return {hn::Max(hn::Sub(s2, pi2), zero), hn::Sqrt(pi2)};
  } else {
    auto sum = hn::Zero(tag), pi = hn::Zero(tag);
    const int across = Kind == PairKind::distance ? last + 1 : last;
    for (int axis = 0; axis < across; ++axis)
      sum = add_square(sum, pair_gap<Wrap>(x[axis], y[axis], side[axis]), axis);
    if constexpr (Kind == PairKind::distance) return {sum, pi};
    pi = hn::Abs(pair_gap<Wrap>(x[last], y[last], side[last]));
    if constexpr (Kind == PairKind::projected) return {sum, pi};
    const auto pi2 = hn::Mul(pi, pi);
    const auto s2 = hn::Add(sum, pi2);
    return {s2, angle_of<T>(pi2, s2)};
  }
}

/// Bins of the second coordinate.
template <class T>
struct LinearBins {
  T count = 1, width = 0, inverse = 0;
  bool is_closed = false;

  /// The bin of v; at least `count`, or NaN, if there is none.
  HWY_INLINE Vec<T> bin(Vec<T> v) const {
    const Tag<T> tag;
    const auto w = hn::Set(tag, width), one = hn::Set(tag, T(1));
    auto i = hn::Floor(hn::Mul(v, hn::Set(tag, inverse)));
    i = hn::IfThenElse(hn::Lt(v, hn::Mul(i, w)), hn::Sub(i, one), i);
    const auto next = hn::Add(i, one);
    i = hn::IfThenElse(hn::Ge(v, hn::Mul(next, w)), next, i);
    return is_closed ? hn::Min(hn::Set(tag, count - 1), i) : i;
  }
};

template <class T>
HWY_INLINE auto to_integers(Vec<T> v) {
  const hn::Rebind<std::int32_t, Tag<T>> integers;
  if constexpr (sizeof(T) == 4)
    return hn::ConvertTo(integers, v);
  else
    return hn::DemoteTo(integers, v);
}

/// What a pair of blocks is asked.
template <class T>
struct ScatterQuestion {
  const PairBins<T>* bins = nullptr;
  std::size_t begin = 0, end = 0;  ///< limits that may separate the pairs
  LinearBins<T> second;
  bool is_binned_twice = false;
  T* length2 = nullptr;  ///< the first coordinate of each pair, on request
};

/// bin[8 receiver + source] for 64 pairs; bins.size() * second for those in no bin. Values of
/// unused lanes are in no bin.
template <PairKind Kind, bool Wrap, int D, class T>
HWY_NOINLINE void scatter(const PairBatch<D, T>& batch, std::size_t entry, Axes<D> axes,
                          const ScatterQuestion<T>& ask, std::int32_t* HWY_RESTRICT bin) {
  constexpr std::size_t kMostCompared = 16;
  const Tag<T> tag;
  constexpr std::size_t kWidth = hn::MaxLanes(Tag<T>());
  const hn::Rebind<std::int32_t, Tag<T>> integers;
  const T* HWY_RESTRICT block = batch.source(entry);
  const auto& rows = batch.rows->x[batch.slot(entry)];
  const auto one = hn::Set(tag, T(1)), zero = hn::Zero(tag);
  const auto last = hn::Set(tag, ask.bins->last()), count = hn::Set(tag, ask.second.count);
  const bool is_compared = ask.end - ask.begin <= kMostCompared;
  const T outside = static_cast<T>(ask.bins->size()) * ask.second.count;
  const T* HWY_RESTRICT limits = ask.bins->limits();
  Vec<T> x[kAxisRoom<D>], y[kAxisRoom<D>], side[kAxisRoom<D>];
  for (int axis = 0; axis < axes.count(); ++axis) side[axis] = hn::Set(tag, batch.side[axis]);
  for (std::size_t part = 0; part < kLanes; part += kWidth) {
    for (int axis = 0; axis < axes.count(); ++axis)
      x[axis] = hn::LoadU(tag, block + static_cast<std::size_t>(batch.order[axis]) * kLanes + part);
    for (std::size_t r = 0; r < kLanes; ++r) {
      constexpr std::size_t kTogether = PairShape<T>::kTogether;
      for (int axis = 0; axis < axes.count(); ++axis)
        y[axis] = hn::Set(tag, rows[r / kTogether][axis][r % kTogether * kLanes]);
      const PairPlace<T> place = place_of<Kind, Wrap, D, T>(x, y, side, axes);
      auto is_in = hn::Le(place.first, last);
      auto first = hn::Set(tag, static_cast<T>(ask.begin));
      if (is_compared) {
        for (std::size_t k = ask.begin; k < ask.end; ++k)
          first =
              hn::Add(first, hn::IfThenElseZero(hn::Lt(hn::Set(tag, limits[k]), place.first), one));
      } else {
        alignas(64) T value[kWidth];
        hn::Store(hn::IfThenElse(is_in, place.first, zero), tag, value);
        for (T& v : value) v = static_cast<T>(ask.bins->bin(v));
        first = hn::Load(tag, value);
      }
      if (ask.is_binned_twice) {
        const auto second = ask.second.bin(place.second);
        is_in = hn::And(is_in, hn::Lt(second, count));
        first = hn::Add(hn::Mul(first, count), second);
      } else if constexpr (Kind == PairKind::projected || Kind == PairKind::survey_projected) {
        is_in = hn::And(is_in, hn::Lt(place.second, hn::Set(tag, ask.second.width)));
      }
      const auto result = hn::IfThenElse(is_in, first, hn::Set(tag, outside));
      hn::StoreU(to_integers<T>(result), integers, bin + kLanes * r + part);
      if (ask.length2) hn::StoreU(place.first, tag, ask.length2 + kLanes * r + part);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
