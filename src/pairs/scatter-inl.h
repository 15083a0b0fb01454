// The bin of every pair of two blocks of 8 points, by one coordinate of the pair or by two.
//
// The first coordinate is a square that is compared with limits. The second lies in linear bins; it
// is the root of a quotient for most kinds. Division and root in full precision took a third of the
// time, so a guess decides for most pairs (guess-inl.h), and only the few others are computed
// as defined. No result depends on the guess.
#if defined(KITH_PAIRS_SCATTER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_PAIRS_SCATTER_INL_H_
#undef KITH_PAIRS_SCATTER_INL_H_
#else
#define KITH_PAIRS_SCATTER_INL_H_
#endif

#include <hwy/highway.h>

#include "kernels/compress-inl.h"
#include "pairs/guess-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

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

/// The pairs of one receiver as they are defined.
template <PairKind Kind, bool Wrap, int D, class T>
struct ExactRow {
  static constexpr std::size_t kTogether = PairShape<T>::kTogether;
  const PairBatch<D, T>& batch;
  const ScatterQuestion<T>& ask;
  Axes<D> axes;
  FirstBin<T> first_bin;
  Vec<T> side[kAxisRoom<D>], x[kAxisRoom<D>];

  HWY_INLINE ExactRow(const PairBatch<D, T>& of, const ScatterQuestion<T>& asked, Axes<D> all)
      : batch(of),
        ask(asked),
        axes(all),
        first_bin(asked, Kind == PairKind::distance ? T(1) : asked.second.count) {
    for (int axis = 0; axis < axes.count(); ++axis)
      side[axis] = hn::Set(Tag<T>(), batch.side[axis]);
  }

  HWY_INLINE void load(std::size_t entry, std::size_t part) {
    const T* HWY_RESTRICT block = batch.source(entry) + part;
    for (int axis = 0; axis < axes.count(); ++axis)
      x[axis] = hn::LoadU(Tag<T>(), block + static_cast<std::size_t>(batch.order[axis]) * kLanes);
  }

  /// at[source] for receiver r, and length2[source] on request.
  HWY_INLINE void operator()(std::size_t entry, std::size_t part, std::size_t r,
                             std::int32_t* HWY_RESTRICT at, T* HWY_RESTRICT length2) const {
    const Tag<T> tag;
    const IntTag<T> integers;
    const auto& row = batch.rows->x[batch.slot(entry)][r / kTogether];
    Vec<T> y[kAxisRoom<D>];
    for (int axis = 0; axis < axes.count(); ++axis)
      y[axis] = hn::Set(tag, row[axis][r % kTogether * kLanes]);
    const PairPlace<T> place = place_of<Kind, Wrap, D, T>(x, y, side, axes);
    auto bin = first_bin(place.first);
    if constexpr (Kind != PairKind::distance) {
      const auto second = ask.second.exact(second_of<Kind>(place));
      const auto outside = to_integers<T>(first_bin.outside);
      bin = hn::Min(hn::Add(bin, second), outside);
      if constexpr (kHasEnd<Kind>)
        bin = hn::IfThenElse(
            hn::Eq(second, hn::Set(integers, static_cast<std::int32_t>(ask.second.count))), outside,
            bin);
    }
    hn::StoreU(hn::Add(bin, hn::LoadU(integers, ask.histogram + part)), integers, at);
    if (length2) hn::StoreU(place.first, tag, length2);
  }
};

/// All receivers of one entry as they are defined.
template <PairKind Kind, bool Wrap, int D, class T>
HWY_NOINLINE void scatter_exactly(const PairBatch<D, T>& batch, std::size_t entry, Axes<D> axes,
                                  const ScatterQuestion<T>& ask, std::int32_t* HWY_RESTRICT at,
                                  T* HWY_RESTRICT length2) {
  ExactRow<Kind, Wrap, D, T> exact(batch, ask, axes);
  for (std::size_t part = 0; part < kLanes; part += hn::MaxLanes(Tag<T>())) {
    exact.load(entry, part);
    for (std::size_t r = 0; r < kLanes; ++r)
      exact(entry, part, r, at + kLanes * r + part,
            length2 ? length2 + kLanes * r + part : nullptr);
  }
}

/// at[64 entry + 8 receiver + source] for the pairs of `count` entries: the bin (that behind the
/// last one for pairs in no bin, and for unused lanes) in the histogram of the source's lane.
template <PairKind Kind, bool Wrap, int D, class T>
HWY_NOINLINE void scatter(const PairBatch<D, T>& batch, std::size_t from, std::size_t count,
                          Axes<D> axes, const ScatterQuestion<T>& ask,
                          std::int32_t* HWY_RESTRICT at) {
  if constexpr (Kind != PairKind::distance) {
    if (!ask.length2 && ask.end - ask.begin <= ScatterQuestion<T>::kMostCompared) {
      const PairGuess<Kind, Wrap, T> guess(batch, ask);
      for (std::size_t entry = from; entry < from + count; ++entry, at += kLanes * kLanes) {
        bool is_sure = true;
        for (std::size_t part = 0; part < kLanes; part += hn::MaxLanes(Tag<T>()))
          is_sure &= guess(entry, part, at + part);
        if (HWY_UNLIKELY(!is_sure))
          scatter_exactly<Kind, Wrap, D, T>(batch, entry, axes, ask, at, nullptr);
      }
      return;
    }
  }
  T* length2 = ask.length2;
  for (std::size_t entry = from; entry < from + count; ++entry, at += kLanes * kLanes) {
    scatter_exactly<Kind, Wrap, D, T>(batch, entry, axes, ask, at, length2);
    if (length2) length2 += kLanes * kLanes;
  }
}

/// Moves the places of pairs that are in a bin to the front; returns how many there are. `outside`:
/// for each lane of the sources, the place of all others.
HWY_NOINLINE inline std::size_t pack_places(std::int32_t* at, std::size_t entries,
                                            const std::int32_t* outside) {
  const hn::CappedTag<std::int32_t, kLanes> tag;
  constexpr std::size_t kWidth = hn::MaxLanes(decltype(tag)());
  hn::Vec<decltype(tag)> limit[kLanes / kWidth];
  for (std::size_t i = 0; i < kLanes / kWidth; ++i) limit[i] = hn::LoadU(tag, outside + i * kWidth);
  std::int32_t* to = at;
  for (const std::int32_t *row = at, *end = at + entries * kLanes * kLanes; row < end;
       row += kLanes)
    for (std::size_t i = 0; i < kLanes / kWidth; ++i) {
      const auto place = hn::LoadU(tag, row + i * kWidth);
      const unsigned in = bits_of(tag, hn::Lt(place, limit[i]));
      hn::StoreU(compressed(tag, place, in), tag, to);
      to += count_bits(in);
    }
  return static_cast<std::size_t>(to - at);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
