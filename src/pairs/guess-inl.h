// A guess of the bins of pairs by two coordinates, and where it is sure.
//
// The second coordinate is guessed in float; the first one too where its definition has a quotient.
// A guess is sure if it is farther from the edge of a bin than its error and that of the definition
// can be. Two blocks are guessed without a branch; where one of their 64 pairs is not sure, the
// caller computes all of them as defined (pair_scatter-inl.h).
#if defined(KITH_PAIRS_GUESS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_PAIRS_GUESS_INL_H_
#undef KITH_PAIRS_GUESS_INL_H_
#else
#define KITH_PAIRS_GUESS_INL_H_
#endif

#include <bit>
#include <hwy/highway.h>
#include <limits>

#include "pairs/bins.hpp"
#include "pairs/kernels-inl.h"
#include "pairs/kind.hpp"

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

/// Linear bins of the second coordinate: bin i holds the values from i end / count on.
template <class T>
struct LinearBins {
  T count = 1, end = 0, width = 0, inverse = 0;
  bool is_closed = false;  ///< values at the far end belong to the last bin

  /// As defined: guessed by a product and corrected by comparisons. `count` if there is none.
  HWY_INLINE Ints<T> exact(Vec<T> v) const {
    const Tag<T> tag;
    const auto one = hn::Set(tag, T(1)), bins = hn::Set(tag, count);
    const auto edge = [&](Vec<T> bin)
                          HWY_ATTR { return hn::Div(hn::Mul(bin, hn::Set(tag, end)), bins); };
    auto i = hn::Floor(hn::Mul(v, hn::Set(tag, inverse)));
    i = hn::IfThenElse(hn::Lt(v, edge(i)), hn::Sub(i, one), i);
    const auto next = hn::Add(i, one);
    i = hn::IfThenElse(hn::Ge(v, edge(next)), next, i);
    if (is_closed) i = hn::Min(hn::Sub(bins, one), i);
    return to_integers<T>(hn::IfThenElse(hn::Lt(i, bins), i, bins));
  }
};

/// The question to pairs of blocks.
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

/// Kinds whose second coordinate may lie beyond the last bin.
template <PairKind Kind>
inline constexpr bool kHasEnd = Kind == PairKind::projected || Kind == PairKind::survey_projected;
template <PairKind Kind>
inline constexpr bool kIsSurvey =
    Kind == PairKind::survey_projected || Kind == PairKind::survey_angle;

/// How many limits are below, times a step: in integers where one mask serves all kinds of vectors.
template <class T>
class LimitCount {
#if HWY_TARGET <= HWY_AVX3
  using V = Ints<T>;
  using StepTag = IntTag<T>;
#else
  using V = Vec<T>;
  using StepTag = Tag<T>;
#endif
  using Step = hn::TFromD<StepTag>;

 public:
  HWY_INLINE void reset() { sum_ = hn::Zero(StepTag()); }
  template <class Mask>
  HWY_INLINE void add(Mask is_below, T step) {
    const auto steps = hn::Set(StepTag(), static_cast<Step>(step));
#if HWY_TARGET <= HWY_AVX3
    sum_ = add_where(hn::Mask<StepTag>{is_below.raw}, sum_, steps);
#else
    sum_ = add_where(is_below, sum_, steps);
#endif
  }
  HWY_INLINE Ints<T> get() const {
#if HWY_TARGET <= HWY_AVX3
    return sum_;
#else
    return to_integers<T>(sum_);
#endif
  }

 private:
  V sum_;
};

/// The guesses of 8 receivers with as many sources as fit a vector.
///
/// Each of the 64 pairs leaves its distance from the edge of a bin, as the bits of a float, in the
/// worst one of its lane: bits of positive floats are ordered like the numbers, and NaN is beyond
/// them all. So one test at the end decides whether all are certain.
template <PairKind Kind, bool Wrap, class T>
class PairGuess {
  static constexpr int D = 3;
  static constexpr bool kByQuotient = Kind == PairKind::survey_projected;  ///< the first coordinate
  static constexpr std::size_t kTogether = PairShape<T>::kTogether;
  /// Where it is exact enough, l^2 and s l are made of the points' norms: half the operations.
  static constexpr bool kByNorms = kIsSurvey<Kind> && sizeof(T) == 8;
  /// Added to a number below 2^22, it leaves the nearest integer in the last bits.
  static constexpr float kShift = 0x1.8p23F;
  static constexpr float kLeast = 1e-30F;  ///< roots of smaller numbers may lose bits in float
  using F = Floats<T>;
  using I = Ints<T>;

 public:
  HWY_INLINE PairGuess(const PairBatch<D, T>& batch, const ScatterQuestion<T>& ask)
      : batch_(batch), ask_(ask) {
    const auto count = static_cast<float>(ask.second.count);
    const auto width = static_cast<float>(ask.second.width);
    for (int axis = 0; axis < D; ++axis) side_[axis] = hn::Set(Tag<T>(), batch.side[axis]);
    inverse_ = static_cast<float>(ask.second.inverse);
    width_ = width;
    end_ = kShift + count;
    // Errors of the guess and of the definition are below 16 units in the last place of a float;
    // values beyond the last bin need not be near.
    farthest_ = 0.5F - count * 0x1p-19F;
    const float longest = count * width * 0x1p25F;
    most_l2_ = longest * longest;
  }

  /// at[8 receiver + source]; false if one of them is not sure.
  HWY_INLINE bool operator()(std::size_t entry, std::size_t part,
                             std::int32_t* HWY_RESTRICT at) const {
    const IntTag<T> integers;
    const Sources sources(*this, entry, part);
    Worst worst;
    Row row[kLanes];
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kLanes; ++r) row[r] = guess(sources, r, worst);
    for (std::size_t k = ask_.begin; k < ask_.end; ++k) compare(row, ask_.bins->limits()[k]);
    const auto histogram = hn::LoadU(integers, ask_.histogram + part);
    const auto start =
        hn::Add(histogram, hn::Set(integers, static_cast<std::int32_t>(ask_.begin) * steps() -
                                                 std::bit_cast<std::int32_t>(kShift)));
    const auto outside = hn::Add(
        histogram, hn::Set(integers, static_cast<std::int32_t>(ask_.bins->size()) * steps()));
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kLanes; ++r) {
      const auto second = hn::Add(start, hn::BitCast(integers, row[r].shifted));
      auto bin = hn::Min(hn::Add(row[r].limits.get(), second), outside);
      if constexpr (kHasEnd<Kind>) {
        const auto last = hn::Set(FloatTag<T>(), end_);
        bin = hn::IfThenElse(hn::RebindMask(integers, hn::Ge(row[r].shifted, last)), outside, bin);
      }
      if constexpr (kByQuotient) worst.keep_near(row[r].error, row[r].near);
      hn::StoreU(bin, integers, at + kLanes * r);
    }
    return is_sure(worst);
  }

 private:
  /// The sources, and rows of the receivers.
  struct Sources {
    const T (*y)[D][PairShape<T>::kWidth];
    const T* norm2;
    Vec<T> x[D], x_norm2;

    HWY_INLINE Sources(const PairGuess& of, std::size_t entry, std::size_t part) {
      const Tag<T> tag;
      const T* HWY_RESTRICT block = of.batch_.source(entry) + part;
      y = of.batch_.rows->x[of.batch_.slot(entry)];
      norm2 = of.batch_.rows->norm2[of.batch_.slot(entry)];
      x_norm2 = hn::Zero(tag);
      for (int axis = 0; axis < D; ++axis) {
        x[axis] = hn::LoadU(tag, block + static_cast<std::size_t>(of.batch_.order[axis]) * kLanes);
        if constexpr (kByNorms) x_norm2 = add_square(x_norm2, x[axis], axis);
      }
    }
  };

  struct Row {
    Vec<T> first;          ///< exact, unless kByQuotient
    F guess, near, error;  ///< kByQuotient: of the first coordinate, and how near a limit is
    F shifted;             ///< bin of the second coordinate + kShift
    LimitCount<T> limits;
  };

  /// Of all pairs in a lane.
  struct Worst {
    I off;                    ///< largest distance from the middle of a bin
    I least, most;            ///< of s2 and of the radicand
    I norm_least, norm_most;  ///< surveys: of n
    I near;                   ///< kByQuotient: how much farther the nearest limit is than the error

    HWY_INLINE Worst() {
      const IntTag<T> tag;
      off = most = norm_most = hn::Zero(tag);
      least = norm_least = near = hn::Set(tag, std::numeric_limits<std::int32_t>::max());
    }
    HWY_INLINE static I bits(F v) { return hn::BitCast(IntTag<T>(), v); }
    HWY_INLINE void keep_off(F v) { off = hn::Max(off, bits(hn::Abs(v))); }
    HWY_INLINE void keep_least(F v) { least = hn::Min(least, bits(v)); }
    HWY_INLINE void keep_most(F v) { most = hn::Max(most, bits(v)); }
    HWY_INLINE void keep_norm(F v) {
      norm_least = hn::Min(norm_least, bits(v));
      norm_most = hn::Max(norm_most, bits(v));
    }
    /// The sign says that a limit is nearer than the error.
    HWY_INLINE void keep_near(F error, F distance) {
      near = hn::Min(near, bits(hn::Sub(distance, error)));
    }
  };

  std::int32_t steps() const { return static_cast<std::int32_t>(ask_.second.count); }

  HWY_INLINE bool is_sure(const Worst& worst) const {
    const FloatTag<T> tag;
    const auto number = [&](I bits) HWY_ATTR { return hn::BitCast(tag, bits); };
    auto sure = hn::Lt(number(worst.off), hn::Set(tag, farthest_));
    if constexpr (Kind != PairKind::projected)
      sure = hn::And(sure, hn::Ge(number(worst.least), hn::Set(tag, kLeast)));
    if constexpr (kByNorms) {
      const auto floor = hn::Mul(number(worst.norm_most), hn::Set(tag, 0x1p-44F));
      sure = hn::And(sure, hn::Le(number(worst.most), number(worst.norm_least)));
      sure = hn::And(sure, hn::Ge(number(worst.least), floor));
    }
    if constexpr (kByQuotient) {
      sure = hn::And(sure, hn::Gt(number(worst.near), hn::Zero(tag)));
      if constexpr (kByNorms)
        sure = hn::And(sure, hn::Le(number(worst.norm_most), hn::Set(tag, most_l2_)));
    }
    return hn::AllTrue(tag, sure);
  }

  HWY_INLINE Row guess(const Sources& sources, std::size_t r, Worst& worst) const {
    const Tag<T> tag;
    Vec<T> y[D];
    for (int axis = 0; axis < D; ++axis)
      y[axis] = hn::Set(tag, sources.y[r / kTogether][axis][r % kTogether * kLanes]);
    Row row;
    row.limits.reset();
    if constexpr (kIsSurvey<Kind>) {
      guess_survey(sources, y, r, row, worst);
    } else {
      auto sum = hn::Zero(tag);
      for (int axis = 0; axis < D - 1; ++axis)
        sum = add_square(sum, pair_gap<Wrap>(sources.x[axis], y[axis], side_[axis]), axis);
      const auto along = pair_gap<Wrap>(sources.x[D - 1], y[D - 1], side_[D - 1]);
      const auto pi = hn::Abs(to_floats<T>(along));
      if constexpr (Kind == PairKind::angle) {
        sum = hn::Add(sum, hn::Mul(along, along));
        const auto under = to_floats<T>(sum);
        worst.keep_least(under);
        set_second(over_root(pi, under), row, worst);
      } else {
        set_second(hn::Mul(pi, hn::Set(FloatTag<T>(), inverse_)), row, worst);
      }
      row.first = sum;
    }
    return row;
  }

  /// a / root of x, in bins: one step of Newton's method, to 21 bits.
  HWY_INLINE F over_root(F a, F x) const {
    const FloatTag<T> tag;
    const auto y = hn::ApproximateReciprocalSqrt(x);
    const auto xyy = hn::Mul(hn::Mul(x, y), y);
    const auto factor =
        hn::NegMulAdd(xyy, hn::Set(tag, 0.5F * inverse_), hn::Set(tag, 1.5F * inverse_));
    return hn::Mul(hn::Mul(a, y), factor);
  }

  HWY_INLINE void set_second(F value, Row& row, Worst& worst) const {
    const FloatTag<T> tag;
    const auto shift = hn::Set(tag, kShift);
    const auto inside = hn::Sub(value, hn::Set(tag, 0.5F));
    row.shifted = hn::Add(inside, shift);
    worst.keep_off(hn::Sub(inside, hn::Sub(row.shifted, shift)));
  }

  /// s l and l2 of a pair, with l the sum of both positions and s their difference.
  ///
  /// By norms, s l = x^2 - y^2 and l2 = 2 n - s2 with n = x^2 + y^2, and errors of a few units in
  /// the last place of n, in double. They are small beside s l and l2 if 2^-44 n <= s2 <= n, and
  /// beside pi if l is not 2^25 times as long as all bins of pi together.
  HWY_INLINE void guess_survey(const Sources& sources, const Vec<T>* y, std::size_t r, Row& row,
                               Worst& worst) const {
    const Tag<T> tag;
    auto s2 = hn::Zero(tag), along = s2, l2 = s2;
    for (int axis = 0; axis < D; ++axis) {
      const auto s = hn::Sub(sources.x[axis], y[axis]);
      s2 = add_square(s2, s, axis);
      if constexpr (!kByNorms) {
        const auto l = hn::Add(sources.x[axis], y[axis]);
        along = hn::Add(along, hn::Mul(s, l));
        l2 = add_square(l2, l, axis);
      }
    }
    const auto s2_float = to_floats<T>(s2);
    auto l2_float = to_floats<T>(l2);
    if constexpr (kByNorms) {
      const auto y_norm2 = hn::Set(tag, sources.norm2[r]);
      along = hn::Sub(sources.x_norm2, y_norm2);
      const auto n = to_floats<T>(hn::Add(sources.x_norm2, y_norm2));
      l2_float = hn::Sub(hn::Add(n, n), s2_float);
      worst.keep_norm(n);
      worst.keep_most(s2_float);
      worst.keep_least(s2_float);
    } else {
      worst.keep_least(hn::Min(s2_float, l2_float));
    }
    auto under = l2_float;
    if constexpr (Kind == PairKind::survey_angle) {
      under = hn::Mul(under, s2_float);
      worst.keep_least(under);
    }
    const auto value = over_root(hn::Abs(to_floats<T>(along)), under);
    set_second(value, row, worst);
    row.first = s2;
    if constexpr (kByQuotient) {
      const FloatTag<T> floats;
      const auto pi = hn::Mul(value, hn::Set(floats, width_));
      row.guess = hn::NegMulAdd(pi, pi, s2_float);
      row.error = hn::Mul(s2_float, hn::Set(floats, 0x1p-18F));
      row.near = hn::Set(floats, std::numeric_limits<float>::infinity());
    }
  }

  HWY_INLINE void compare(Row* row, T limit) const {
    const auto exact = hn::Set(Tag<T>(), limit);
    const auto guessed = hn::Set(FloatTag<T>(), static_cast<float>(limit));
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kLanes; ++r) {
      if constexpr (kByQuotient) {
        const auto over = hn::Sub(row[r].guess, guessed);
        row[r].near = hn::Min(row[r].near, hn::Abs(over));
        row[r].limits.add(above_zero(over), ask_.second.count);
      } else {
        row[r].limits.add(hn::Lt(exact, row[r].first), ask_.second.count);
      }
    }
  }

  /// As a mask for LimitCount.
  HWY_INLINE static auto above_zero(F v) {
#if HWY_TARGET <= HWY_AVX3
    return hn::Gt(v, hn::Zero(FloatTag<T>()));
#else
    if constexpr (sizeof(T) == 4)
      return hn::Gt(v, hn::Zero(FloatTag<T>()));
    else
      return hn::Gt(hn::PromoteTo(Tag<T>(), v), hn::Zero(Tag<T>()));
#endif
  }

  const PairBatch<D, T>& batch_;
  const ScatterQuestion<T>& ask_;
  Vec<T> side_[D];
  float inverse_, width_;
  float end_;       ///< the first number beyond all bins, + kShift
  float farthest_;  ///< from the middle of a bin, where it is sure
  float most_l2_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
