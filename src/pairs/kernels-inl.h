// Pairs of blocks of 8 points: how many of their 64 pairs are within each of a few limits, and
// which bin each pair belongs to.
//
// The separations are THE distance: the operations, their order and their roundings are those of
// geometry/distance.hpp. A vector holds one receiver against 8 sources, or two receivers where
// vectors have 16 lanes; narrower vectors take the sources in parts.
#if defined(KITH_PAIRS_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_PAIRS_KERNELS_INL_H_
#undef KITH_PAIRS_KERNELS_INL_H_
#else
#define KITH_PAIRS_KERNELS_INL_H_
#endif

#include <hwy/highway.h>
#include <limits>

#include "base/dispatch.hpp"
#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <class T>
using PairTag = hn::CappedTag<T, sizeof(T) == 4 ? 16 : 8>;
template <class T>
using PairVec = hn::Vec<PairTag<T>>;

/// How 8 x 8 pairs are laid out in vectors.
template <class T>
struct PairShape {
  static constexpr std::size_t kWidth = hn::MaxLanes(PairTag<T>());
  static constexpr std::size_t kParts = kWidth < kLanes ? kLanes / kWidth : 1;  ///< of the sources
  static constexpr std::size_t kTogether = kWidth > kLanes ? kWidth / kLanes : 1;  ///< receivers
  static constexpr std::size_t kRows = kLanes / kTogether;
};

/// Blocks that receive, each coordinate repeated over a vector.
template <int D, class T>
struct PairRows {
  using Shape = PairShape<T>;
  alignas(64) T x[kLanes][Shape::kRows][kAxisRoom<D>][Shape::kWidth];
  T norm2[kLanes][kLanes];  ///< squared distances of the points from the origin; for guesses

  /// `order` says which axis comes first.
  void load(std::size_t slot, const T* HWY_RESTRICT block, const int* order, Axes<D> axes) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      norm2[slot][i] = 0;
      for (int axis = 0; axis < axes.count(); ++axis) {
        const T value = block[static_cast<std::size_t>(axis) * kLanes + i];
        norm2[slot][i] += value * value;
      }
    }
    for (std::size_t row = 0; row < Shape::kRows; ++row)
      for (int axis = 0; axis < axes.count(); ++axis)
        for (std::size_t i = 0; i < Shape::kWidth; ++i)
          x[slot][row][axis][i] = block[static_cast<std::size_t>(order[axis]) * kLanes +
                                        row * Shape::kTogether + i / kLanes];
  }
};

/// Coordinates of 8 sources on one axis, from `part` on; twice in vectors of 16.
template <class T>
HWY_INLINE PairVec<T> load_sources(const T* HWY_RESTRICT lanes, std::size_t part) {
  const PairTag<T> tag;
  if constexpr (PairShape<T>::kTogether == 2) {
    const auto half = hn::LoadU(hn::Half<PairTag<T>>(), lanes);
    return hn::Combine(tag, half, half);
  } else {
    return hn::LoadU(tag, lanes + part * PairShape<T>::kWidth);
  }
}

/// |dx|, the nearer way round where the side is not 0. Without Wrap dx itself, which has the same
/// square.
template <bool Wrap, class V>
HWY_INLINE V pair_gap(V x, V y, V side) {
  const V dx = hn::Sub(x, y);
  if constexpr (!Wrap) return dx;
  const V gap = hn::Abs(dx);
  const auto is_periodic = hn::Gt(side, hn::Zero(hn::DFromV<V>()));
  return hn::IfThenElse(is_periodic, gaps::wrapped(gap, side), gap);
}

/// Some blocks against others, named by entries: slot of the receivers << 29 | block of the
/// sources.
template <int D, class T>
struct PairBatch {
  const PairRows<D, T>* rows = nullptr;
  const T* blocks = nullptr;
  std::size_t stride = 0;
  const T* side = nullptr;  ///< in the order of the axes; 0 for open ones
  const int* order = nullptr;
  const std::uint32_t* entries = nullptr;
  std::size_t count = 0;
  T second_limit = 0;  ///< projected: pi must be below

  static constexpr std::uint32_t kBlockMask = (std::uint32_t{1} << 29) - 1;
  const T* source(std::size_t i) const { return blocks + (entries[i] & kBlockMask) * stride; }
  std::size_t slot(std::size_t i) const { return entries[i] >> 29; }
};

/// Numbers of set lanes, kept where it costs least: AVX-512 has separate registers for masks.
template <class T>
class LaneCount {
 public:
  using TagT = PairTag<T>;
#if HWY_TARGET <= HWY_AVX3
  HWY_INLINE LaneCount() {}
#else
  HWY_INLINE LaneCount() : lanes_(hn::Zero(hn::RebindToSigned<TagT>())) {}
#endif
  HWY_INLINE void add(hn::Mask<TagT> mask) {
#if HWY_TARGET <= HWY_AVX3
    count_ += static_cast<std::int64_t>(hn::CountTrue(TagT(), mask));
#else
    const hn::RebindToSigned<TagT> integers;
    lanes_ = hn::Sub(lanes_, hn::BitCast(integers, hn::VecFromMask(TagT(), mask)));
#endif
  }
  HWY_INLINE std::int64_t sum() const {
#if HWY_TARGET <= HWY_AVX3
    return count_;
#else
    const hn::RebindToSigned<TagT> integers;
    alignas(64) hn::TFromD<decltype(integers)> lanes[hn::MaxLanes(integers)];
    hn::Store(lanes_, integers, lanes);
    std::int64_t total = 0;
    for (const auto lane : lanes) total += lane;
    return total;
#endif
  }

 private:
#if HWY_TARGET <= HWY_AVX3
  std::int64_t count_ = 0;
#else
  hn::Vec<hn::RebindToSigned<TagT>> lanes_;
#endif
};

/// d2 of one row of receivers; Projected: rp2, and `pi` is the gap on the last axis.
template <bool Wrap, bool Projected, int D, class T>
HWY_INLINE PairVec<T> row_distance2(const PairVec<T>* x, const T (*row)[PairShape<T>::kWidth],
                                    const PairVec<T>* side, PairVec<T>& pi) {
  const PairTag<T> tag;
  constexpr int kAcross = Projected ? D - 1 : D;
  auto sum = hn::Zero(tag);
  for (int axis = 0; axis < kAcross; ++axis)
    sum = add_square(sum, pair_gap<Wrap>(x[axis], hn::Load(tag, row[axis]), side[axis]), axis);
  if constexpr (Projected)
    pi = pair_gap<Wrap>(x[kAcross], hn::Load(tag, row[kAcross]), side[kAcross]);
  return sum;
}

/// within[k] = pairs of the batch with d2 <= limits[k].
template <int Limits, bool Wrap, bool Projected, int D, class T>
HWY_NOINLINE void count_within(const PairBatch<D, T>& batch, const T* HWY_RESTRICT limits,
                               std::int64_t* HWY_RESTRICT within) {
  using Shape = PairShape<T>;
  const PairTag<T> tag;
  PairVec<T> limit[Limits], side[D];
  LaneCount<T> count[Limits];
  for (int k = 0; k < Limits; ++k) limit[k] = hn::Set(tag, limits[k]);
  for (int axis = 0; axis < D; ++axis) side[axis] = hn::Set(tag, batch.side[axis]);
  const auto far = hn::Set(tag, batch.second_limit);
  const PairRows<D, T>& rows = *batch.rows;
  const int o0 = batch.order[0], o1 = batch.order[1], o2 = batch.order[D - 1];
  for (std::size_t i = 0; i < batch.count; ++i) {
    const T* HWY_RESTRICT block = batch.source(i);
    const auto& row = rows.x[batch.slot(i)];
    for (std::size_t part = 0; part < Shape::kParts; ++part) {
      PairVec<T> x[D], pi = hn::Zero(tag);
      x[0] = load_sources(block + static_cast<std::size_t>(o0) * kLanes, part);
      x[1] = load_sources(block + static_cast<std::size_t>(o1) * kLanes, part);
      if constexpr (D == 3)
        x[D - 1] = load_sources(block + static_cast<std::size_t>(o2) * kLanes, part);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < Shape::kRows; ++r) {
        const auto d2 = row_distance2<Wrap, Projected, D, T>(x, row[r], side, pi);
#pragma GCC unroll 8
        for (int k = 0; k < Limits; ++k) {
          auto is_in = hn::Le(d2, limit[k]);
          if constexpr (Projected) is_in = hn::And(is_in, hn::Lt(hn::Abs(pi), far));
          count[k].add(is_in);
        }
      }
    }
  }
  for (int k = 0; k < Limits; ++k) within[k] = count[k].sum();
}

/// Limits that a batch may have, one more than a class: see PairBatches::compare.
inline constexpr int kMostLimits = 17;

/// The same for any number of limits: from the outermost inward, until no pair of two blocks is
/// within. The separations stay in registers meanwhile.
template <bool Wrap, bool Projected, int D, class T>
HWY_NOINLINE void count_within_many(const PairBatch<D, T>& batch, const T* HWY_RESTRICT limits,
                                    int number, std::int64_t* HWY_RESTRICT within) {
  using Shape = PairShape<T>;
  const PairTag<T> tag;
  PairVec<T> side[D];
  LaneCount<T> count[kMostLimits];
  for (int axis = 0; axis < D; ++axis) side[axis] = hn::Set(tag, batch.side[axis]);
  const auto far = hn::Set(tag, batch.second_limit);
  const auto nowhere = hn::Set(tag, std::numeric_limits<T>::quiet_NaN());
  for (std::size_t i = 0; i < batch.count; ++i) {
    const T* HWY_RESTRICT block = batch.source(i);
    const auto& row = batch.rows->x[batch.slot(i)];
    for (std::size_t part = 0; part < Shape::kParts; ++part) {
      PairVec<T> x[D], d2[Shape::kRows], pi = hn::Zero(tag);
      for (int axis = 0; axis < D; ++axis)
        x[axis] = load_sources(block + static_cast<std::size_t>(batch.order[axis]) * kLanes, part);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < Shape::kRows; ++r) {
        d2[r] = row_distance2<Wrap, Projected, D, T>(x, row[r], side, pi);
        if constexpr (Projected) d2[r] = hn::IfThenElse(hn::Lt(hn::Abs(pi), far), d2[r], nowhere);
      }
      for (int k = number - 1; k >= 0; --k) {
        const auto limit = hn::Set(tag, limits[k]);
        LaneCount<T> found = count[k];
        auto in_range = hn::Le(d2[0], limit);
        found.add(in_range);
#pragma GCC unroll 8
        for (std::size_t r = 1; r < Shape::kRows; ++r) {
          const auto is_in = hn::Le(d2[r], limit);
          found.add(is_in);
          in_range = hn::Or(in_range, is_in);
        }
        count[k] = found;
        if (hn::AllFalse(tag, in_range)) break;
      }
    }
  }
  for (int k = 0; k < number; ++k) within[k] = count[k].sum();
}

/// sum + v where the mask is set: one instruction where there are masks in registers.
template <class Mask, class V>
HWY_INLINE V add_where(Mask mask, V sum, V v) {
#if HWY_TARGET <= HWY_AVX3
  return hn::IfThenElse(mask, hn::Add(sum, v), sum);
#else
  return hn::Add(sum, hn::IfThenElseZero(mask, v));
#endif
}

/// sum + w in the lanes of T in which x <= limit; w has as many doubles.
template <class TagT, class V, class W>
HWY_INLINE W add_where_within(TagT, V x, V limit, W sum, W w) {
  const hn::DFromV<W> wide;
#if HWY_TARGET <= HWY_AVX3
  return add_where(hn::Mask<decltype(wide)>{hn::Le(x, limit).raw}, sum, w);  // one bit per lane
#else
  if constexpr (sizeof(hn::TFromD<TagT>) == 4)
    return add_where(hn::Le(hn::PromoteTo(wide, x), hn::PromoteTo(wide, limit)), sum, w);
  else
    return add_where(hn::Le(x, limit), sum, w);
#endif
}

/// The rows of weighted sums: separations are taken as many at a time as sums, which are double.
template <bool Wrap, bool Projected, int D, class T>
struct WeighedRows {
  using Shape = PairShape<double>;
  using TagT = hn::CappedTag<T, Shape::kWidth>;
  using V = hn::Vec<TagT>;
  static constexpr std::size_t kTogether = PairShape<T>::kTogether;
  static constexpr int kAcross = Projected ? D - 1 : D;

  const PairBatch<D, T>& batch;
  V side[D], far, nowhere;

  HWY_INLINE explicit WeighedRows(const PairBatch<D, T>& of) : batch(of) {
    const TagT tag;
    for (int axis = 0; axis < D; ++axis) side[axis] = hn::Set(tag, batch.side[axis]);
    far = hn::Set(tag, batch.second_limit);
    nowhere = hn::Set(tag, std::numeric_limits<T>::quiet_NaN());
  }

  HWY_INLINE void load(std::size_t entry, std::size_t part, V* x) const {
    for (int axis = 0; axis < D; ++axis)
      x[axis] = hn::LoadU(TagT(), batch.source(entry) +
                                      static_cast<std::size_t>(batch.order[axis]) * kLanes +
                                      part * Shape::kWidth);
  }

  /// d2 of receiver r; Projected: rp2, NaN where pi is too large.
  HWY_INLINE V distance2(std::size_t entry, const V* x, std::size_t r) const {
    const TagT tag;
    const auto& row = batch.rows->x[batch.slot(entry)][r / kTogether];
    const std::size_t lane = r % kTogether * kLanes;
    auto d2 = hn::Zero(tag);
    for (int axis = 0; axis < kAcross; ++axis)
      d2 = add_square(d2, pair_gap<Wrap>(x[axis], hn::LoadU(tag, row[axis] + lane), side[axis]),
                      axis);
    if constexpr (Projected) {
      const auto pi =
          hn::Abs(pair_gap<Wrap>(x[kAcross], hn::LoadU(tag, row[kAcross] + lane), side[kAcross]));
      d2 = hn::IfThenElse(hn::Lt(pi, far), d2, nowhere);
    }
    return d2;
  }
};

/// The sum of 8 lanes in their order.
template <std::size_t Parts>
HWY_INLINE double sum_of_parts(const PairVec<double> (&parts)[Parts]) {
  constexpr std::size_t kWidth = PairShape<double>::kWidth;
  alignas(64) double lanes[kLanes];
  for (std::size_t part = 0; part < Parts; ++part)
    hn::StoreU(parts[part], PairTag<double>(), lanes + part * kWidth);
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

/// Weights of the points of both sides, 8 per block; the receivers' from the first slot on.
struct PairWeights {
  const double* from;
  const double* to;
};

/// within[k] = sum of the products of weights. Eight sums, one per lane of the sources, of the
/// weights of the receivers in their order, times the weight of the source, block by block: the
/// same bits for every width of vectors.
template <int Limits, bool Wrap, bool Projected, int D, class T>
HWY_NOINLINE void weigh_within(const PairBatch<D, T>& batch, const PairWeights& weights,
                               const T* HWY_RESTRICT limits, double* HWY_RESTRICT within) {
  using Rows = WeighedRows<Wrap, Projected, D, T>;
  using Shape = typename Rows::Shape;
  const typename Rows::TagT tag;
  const PairTag<double> wide;
  const Rows rows(batch);
  typename Rows::V limit[Limits];
  PairVec<double> sum[Limits][Shape::kParts];
  for (int k = 0; k < Limits; ++k) {
    limit[k] = hn::Set(tag, limits[k]);
    for (auto& part : sum[k]) part = hn::Zero(wide);
  }
  for (std::size_t i = 0; i < batch.count; ++i) {
    const double* HWY_RESTRICT to =
        weights.to + (batch.entries[i] & PairBatch<D, T>::kBlockMask) * kLanes;
    const double* HWY_RESTRICT from = weights.from + batch.slot(i) * kLanes;
    for (std::size_t part = 0; part < Shape::kParts; ++part) {
      typename Rows::V x[D];
      PairVec<double> inner[Limits];
      for (auto& of_limit : inner) of_limit = hn::Zero(wide);
      rows.load(i, part, x);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kLanes; ++r) {
        const auto d2 = rows.distance2(i, x, r);
        const auto w = hn::Set(wide, from[r]);
#pragma GCC unroll 8
        for (int k = 0; k < Limits; ++k)
          inner[k] = add_where_within(tag, d2, limit[k], inner[k], w);
      }
      const auto source = hn::LoadU(wide, to + part * Shape::kWidth);
      for (int k = 0; k < Limits; ++k)
        sum[k][part] = hn::Add(sum[k][part], hn::Mul(inner[k], source));
    }
  }
  for (int k = 0; k < Limits; ++k) within[k] = sum_of_parts(sum[k]);
}

/// The same for any number of limits; see count_within_many.
template <bool Wrap, bool Projected, int D, class T>
HWY_NOINLINE void weigh_within_many(const PairBatch<D, T>& batch, const PairWeights& weights,
                                    const T* HWY_RESTRICT limits, int number,
                                    double* HWY_RESTRICT within) {
  using Rows = WeighedRows<Wrap, Projected, D, T>;
  using Shape = typename Rows::Shape;
  const typename Rows::TagT tag;
  const PairTag<double> wide;
  const Rows rows(batch);
  PairVec<double> sum[kMostLimits][Shape::kParts];
  for (int k = 0; k < number; ++k)
    for (auto& part : sum[k]) part = hn::Zero(wide);
  for (std::size_t i = 0; i < batch.count; ++i) {
    const double* HWY_RESTRICT to =
        weights.to + (batch.entries[i] & PairBatch<D, T>::kBlockMask) * kLanes;
    const double* HWY_RESTRICT from = weights.from + batch.slot(i) * kLanes;
    for (std::size_t part = 0; part < Shape::kParts; ++part) {
      typename Rows::V x[D], d2[kLanes];
      rows.load(i, part, x);
      const auto source = hn::LoadU(wide, to + part * Shape::kWidth);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kLanes; ++r) d2[r] = rows.distance2(i, x, r);
      for (int k = number - 1; k >= 0; --k) {
        const auto limit = hn::Set(tag, limits[k]);
        auto inner = hn::Zero(wide);
        auto in_range = hn::Le(d2[0], limit);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kLanes; ++r) {
          inner = add_where_within(tag, d2[r], limit, inner, hn::Set(wide, from[r]));
          in_range = hn::Or(in_range, hn::Le(d2[r], limit));
        }
        sum[k][part] = hn::Add(sum[k][part], hn::Mul(inner, source));
        if (hn::AllFalse(tag, in_range)) break;
      }
    }
  }
  for (int k = 0; k < number; ++k) within[k] = sum_of_parts(sum[k]);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
