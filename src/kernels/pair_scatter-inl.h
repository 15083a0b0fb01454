// The bin of every pair of two blocks of 8 points, by one coordinate of the pair or by two.
//
// The first coordinate is a square that is compared with limits. The second lies in linear bins; it
// is the root of a quotient for most kinds. Division and root in full precision took a third of the
// time, so a guess in float decides wherever it is farther from the edge of a bin than its error
// can be; only the few other pairs are computed as defined. No result depends on the guess.
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

/// As many floats and integers as there are lanes of T.
template <class T>
using FloatTag = hn::Rebind<float, Tag<T>>;
template <class T>
using IntTag = hn::Rebind<std::int32_t, Tag<T>>;
template <class T>
using Floats = hn::Vec<FloatTag<T>>;
template <class T>
using Ints = hn::Vec<IntTag<T>>;

template <class T>
HWY_INLINE Floats<T> to_floats(Vec<T> v) {
  if constexpr (sizeof(T) == 4)
    return v;
  else
    return hn::DemoteTo(FloatTag<T>(), v);
}

template <class T>
HWY_INLINE Ints<T> to_integers(Vec<T> v) {
  if constexpr (sizeof(T) == 4)
    return hn::ConvertTo(IntTag<T>(), v);
  else
    return hn::DemoteTo(IntTag<T>(), v);
}

/// 1 / root of x, to 21 bits.
template <class V>
HWY_INLINE V reciprocal_root(V x) {
  const hn::DFromV<V> tag;
  const auto y = hn::ApproximateReciprocalSqrt(x);
  const auto half = hn::Mul(hn::Mul(hn::Set(tag, 0.5F), x), y);
  return hn::Mul(y, hn::NegMulAdd(half, y, hn::Set(tag, 1.5F)));
}

/// One receiver and as many sources as fit a vector: the first coordinate, and what the second is
/// made of. `along`: pi, or (surveys) s times l, the sum of both positions, whose square is `l2`.
template <class T>
struct PairPlace {
  Vec<T> first, along, l2;
};

/// The square of pi in a survey; 0 for points that are opposite to each other.
template <class T>
HWY_INLINE Vec<T> survey_pi2(Vec<T> along, Vec<T> l2) {
  const auto zero = hn::Zero(Tag<T>());
  return hn::IfThenElse(hn::Eq(l2, zero), zero, hn::Div(hn::Mul(along, along), l2));
}

template <PairKind Kind, bool Wrap, int D, class T>
HWY_INLINE PairPlace<T> place_of(const Vec<T>* x, const Vec<T>* y, const Vec<T>* side,
                                 Axes<D> axes) {
  const auto zero = hn::Zero(Tag<T>());
  auto sum = zero, along = zero, l2 = zero;
  if constexpr (Kind == PairKind::survey_projected || Kind == PairKind::survey_angle) {
    for (int axis = 0; axis < D; ++axis) {
      const auto s = hn::Sub(x[axis], y[axis]), l = hn::Add(x[axis], y[axis]);
      sum = add_square(sum, s, axis);
      along = hn::Add(along, hn::Mul(s, l));
      l2 = add_square(l2, l, axis);
    }
    if constexpr (Kind == PairKind::survey_projected)
      sum = hn::Max(hn::Sub(sum, survey_pi2<T>(along, l2)), zero);
  } else {
    const int last = axes.count() - 1, across = Kind == PairKind::distance ? last + 1 : last;
    for (int axis = 0; axis < across; ++axis)
      sum = add_square(sum, pair_gap<Wrap>(x[axis], y[axis], side[axis]), axis);
    if constexpr (Kind != PairKind::distance)
      along = hn::Abs(pair_gap<Wrap>(x[last], y[last], side[last]));
    if constexpr (Kind == PairKind::angle) sum = hn::Add(sum, hn::Mul(along, along));
  }
  return {sum, along, l2};
}

/// The second coordinate as it is defined.
template <PairKind Kind, class T>
HWY_INLINE Vec<T> second_of(const PairPlace<T>& place) {
  const auto zero = hn::Zero(Tag<T>());
  if constexpr (Kind == PairKind::projected) {
    return place.along;
  } else if constexpr (Kind == PairKind::survey_projected) {
    return hn::Sqrt(survey_pi2<T>(place.along, place.l2));
  } else {
    const auto pi2 = Kind == PairKind::angle ? hn::Mul(place.along, place.along)
                                             : survey_pi2<T>(place.along, place.l2);
    const auto mu2 = hn::IfThenElse(hn::Eq(place.first, zero), zero, hn::Div(pi2, place.first));
    return hn::Sqrt(mu2);
  }
}

/// Linear bins of the second coordinate: bin i holds the values from i width on.
template <class T>
struct LinearBins {
  T count = 1, width = 0, inverse = 0;
  bool is_closed = false;  ///< values at the far end belong to the last bin

  /// As defined: guessed by a product and corrected by comparisons. `count` if there is none.
  HWY_INLINE Ints<T> exact(Vec<T> v) const {
    const Tag<T> tag;
    const auto w = hn::Set(tag, width), one = hn::Set(tag, T(1)), end = hn::Set(tag, count);
    auto i = hn::Floor(hn::Mul(v, hn::Set(tag, inverse)));
    i = hn::IfThenElse(hn::Lt(v, hn::Mul(i, w)), hn::Sub(i, one), i);
    const auto next = hn::Add(i, one);
    i = hn::IfThenElse(hn::Ge(v, hn::Mul(next, w)), next, i);
    if (is_closed) i = hn::Min(hn::Sub(end, one), i);
    return to_integers<T>(hn::IfThenElse(hn::Lt(i, end), i, end));
  }
};

/// The second coordinate's bins as a guess needs them.
template <class T>
struct SecondGuess {
  Floats<T> least, inverse, margin, count;

  HWY_INLINE explicit SecondGuess(const LinearBins<T>& bins) {
    const FloatTag<T> tag;
    // Roots of smaller numbers may lose bits in float.
    least = hn::Set(tag, 1e-30F);
    inverse = hn::Set(tag, static_cast<float>(bins.inverse));
    count = hn::Set(tag, static_cast<float>(bins.count));
    // Errors of the guess and of the definition are below 16 units in the last place of a float;
    // values beyond the last bin need not be near.
    margin = hn::Mul(count, hn::Set(tag, 0x1p-18F));
  }
};

template <PairKind Kind, class T>
HWY_NOINLINE Ints<T> exact_second_bin(const LinearBins<T>& bins, Vec<T> first, Vec<T> along,
                                      Vec<T> l2) {
  return bins.exact(second_of<Kind>(PairPlace<T>{first, along, l2}));
}

/// The bin of the second coordinate; `count` if there is none.
template <PairKind Kind, class T>
HWY_INLINE Ints<T> second_bin(const LinearBins<T>& bins, const SecondGuess<T>& guess,
                              const PairPlace<T>& place) {
  const FloatTag<T> tag;
  auto value = hn::Mul(hn::Abs(to_floats<T>(place.along)), guess.inverse);
  auto is_sure = hn::Ge(value, hn::Zero(tag));
  if constexpr (Kind != PairKind::projected) {
    const auto under =
        to_floats<T>(Kind == PairKind::angle              ? place.first
                     : Kind == PairKind::survey_projected ? place.l2
                                                          : hn::Mul(place.l2, place.first));
    is_sure = hn::Ge(under, guess.least);
    value = hn::Mul(value, reciprocal_root(under));
  }
  const auto gap = hn::Abs(hn::Sub(value, hn::Round(value)));
  is_sure = hn::And(is_sure, hn::Gt(gap, guess.margin));
  if (HWY_LIKELY(hn::AllTrue(tag, is_sure))) {
    if constexpr (Kind == PairKind::projected || Kind == PairKind::survey_projected)
      value = hn::Min(value, guess.count);
    return hn::ConvertTo(IntTag<T>(), value);
  }
  return exact_second_bin<Kind, T>(bins, place.first, place.along, place.l2);
}

/// What pairs of blocks are asked.
template <class T>
struct ScatterQuestion {
  const PairBins<T>* bins = nullptr;
  std::size_t begin = 0, end = 0;  ///< limits that may separate the pairs
  LinearBins<T> second;
  /// Added to the bin of a pair with source lane i: where its histogram begins.
  alignas(32) std::int32_t histogram[kLanes] = {};
  T* length2 = nullptr;  ///< the first coordinate of each pair, on request

  static constexpr std::size_t kMostCompared = 16;
};

/// The bin of the first coordinate by a table and as many comparisons as it needs; for numbers up
/// to the last limit.
template <class T>
HWY_INLINE Ints<T> first_bin_by_table(const PairBins<T>& bins, Vec<T> x) {
  const Tag<T> tag;
  const IntTag<T> integers;
  const BitCells& cells = bins.fine_cells();
  const auto bits = hn::BitCast(integers, to_floats<T>(x));
  const auto place = hn::Sub(hn::ShiftRightSame(bits, cells.shift), hn::Set(integers, cells.base));
  const auto cell = hn::Min(hn::Max(place, hn::Zero(integers)), hn::Set(integers, cells.last));
  auto first = hn::GatherIndex(integers, bins.starts(), cell);
  const auto one = hn::Set(tag, T(1));
  for (int step = 0; step < bins.most_steps(); ++step) {
    const auto limit = [&]() HWY_ATTR {
      if constexpr (sizeof(T) == 4)
        return hn::GatherIndex(tag, bins.limits(), first);
      else
        return hn::GatherIndex(tag, bins.limits(),
                               hn::PromoteTo(hn::Rebind<std::int64_t, Tag<T>>(), first));
    }();
    first = hn::Add(first, to_integers<T>(hn::IfThenElseZero(hn::Lt(limit, x), one)));
  }
  return first;
}

/// The bin of the first coordinate times `times`; size() x times where there is none.
template <class T>
struct FirstBin {
  const PairBins<T>& bins;
  std::size_t begin, end;  ///< limits that may separate the pairs
  bool is_compared;
  Vec<T> last, start, outside, step;

  HWY_INLINE FirstBin(const ScatterQuestion<T>& ask, T times)
      : bins(*ask.bins), begin(ask.begin), end(ask.end) {
    const Tag<T> tag;
    is_compared = end - begin <= ScatterQuestion<T>::kMostCompared;
    last = hn::Set(tag, bins.last());
    start = hn::Set(tag, static_cast<T>(begin) * times);
    outside = hn::Set(tag, static_cast<T>(bins.size()) * times);
    step = hn::Set(tag, times);
  }

  HWY_INLINE Ints<T> operator()(Vec<T> x) const {
    const Tag<T> tag;
    const IntTag<T> integers;
    const auto is_in = hn::Le(x, last);
    if (is_compared) {
      const T* HWY_RESTRICT limits = bins.limits();
      auto first = start;
      for (std::size_t k = begin; k < end; ++k)
        first = add_where(hn::Lt(hn::Set(tag, limits[k]), x), first, step);
      return to_integers<T>(hn::IfThenElse(is_in, first, outside));
    }
    const auto found = first_bin_by_table<T>(bins, hn::IfThenElseZero(is_in, x));
    return hn::Max(hn::Mul(found, hn::Set(integers, static_cast<std::int32_t>(hn::GetLane(step)))),
                   to_integers<T>(hn::IfThenZeroElse(is_in, outside)));
  }
};

/// at[64 entry + 8 receiver + source] for the pairs of `count` entries: the bin (that behind the
/// last one for pairs in no bin, and for unused lanes) in the histogram of the source's lane.
template <PairKind Kind, bool Wrap, int D, class T>
HWY_NOINLINE void scatter(const PairBatch<D, T>& batch, std::size_t from, std::size_t count,
                          Axes<D> axes, const ScatterQuestion<T>& ask,
                          std::int32_t* HWY_RESTRICT at) {
  constexpr bool kMayEnd = Kind == PairKind::projected || Kind == PairKind::survey_projected;
  const Tag<T> tag;
  const IntTag<T> integers;
  constexpr std::size_t kWidth = hn::MaxLanes(Tag<T>());
  constexpr std::size_t kTogether = PairShape<T>::kTogether;
  const FirstBin<T> first_bin(ask, Kind == PairKind::distance ? T(1) : ask.second.count);
  const SecondGuess<T> guess(ask.second);
  const LinearBins<T> second_bins = ask.second;
  const auto outside = to_integers<T>(first_bin.outside);
  const auto end = hn::Set(integers, static_cast<std::int32_t>(second_bins.count));
  T* length2 = ask.length2;
  Vec<T> x[kAxisRoom<D>], y[kAxisRoom<D>], side[kAxisRoom<D>];
  for (int axis = 0; axis < axes.count(); ++axis) side[axis] = hn::Set(tag, batch.side[axis]);
  for (std::size_t entry = from; entry < from + count; ++entry, at += kLanes * kLanes) {
    const T* HWY_RESTRICT block = batch.source(entry);
    const auto& rows = batch.rows->x[batch.slot(entry)];
    for (std::size_t part = 0; part < kLanes; part += kWidth) {
      for (int axis = 0; axis < axes.count(); ++axis)
        x[axis] =
            hn::LoadU(tag, block + static_cast<std::size_t>(batch.order[axis]) * kLanes + part);
      const auto histogram = hn::LoadU(integers, ask.histogram + part);
      for (std::size_t r = 0; r < kLanes; ++r) {
        for (int axis = 0; axis < axes.count(); ++axis)
          y[axis] = hn::Set(tag, rows[r / kTogether][axis][r % kTogether * kLanes]);
        const PairPlace<T> place = place_of<Kind, Wrap, D, T>(x, y, side, axes);
        auto bin = first_bin(place.first);
        if constexpr (Kind != PairKind::distance) {
          const auto second = second_bin<Kind>(second_bins, guess, place);
          bin = hn::Min(hn::Add(bin, second), outside);
          if constexpr (kMayEnd) bin = hn::IfThenElse(hn::Eq(second, end), outside, bin);
        }
        hn::StoreU(hn::Add(bin, histogram), integers, at + kLanes * r + part);
        if (length2) hn::StoreU(place.first, tag, length2 + kLanes * r + part);
      }
    }
    if (length2) length2 += kLanes * kLanes;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
