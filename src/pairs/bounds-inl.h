// Bounds of the coordinates of pairs between a box and some others.
#if defined(KITH_PAIRS_BOUNDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_PAIRS_BOUNDS_INL_H_
#undef KITH_PAIRS_BOUNDS_INL_H_
#else
#define KITH_PAIRS_BOUNDS_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <hwy/highway.h>
#include <limits>

#include "kernels/lanes-inl.h"
#include "pairs/walk.hpp"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// Bounds of the first coordinate between a box and some others; whether pairs may be nearer the
/// other way round the box, and whether the second coordinate may be too large (`is_open`) or
/// surely is (`is_beyond`).
template <class T>
struct PairVerdict {
  Vec<T> lower, upper;
  hn::Mask<Tag<T>> wraps, is_open, is_beyond;
};

/// rp and pi of a survey, between the boxes' centers and for all their points.
///
/// With s = p - q and l = p + q, rp is the length of s across l. A change of s and of l by at most
/// R changes rp by at most R + |s| sin(angle by which l turns) <= R (1 + |s| / |l|), and pi, along
/// l, by at most R (1 + 2 |s| / |l|). Here R is the sum of both half diagonals. Margins for
/// rounding: in R for that of the centers, `kRounding` |s|^2 for that of rp2 and pi2, and
/// `kUnderflow` where products vanish; boxes for which these do not hold have no bounds.
template <int D, class T>
struct SurveyBounds {
  static constexpr T kEpsilon = std::numeric_limits<T>::epsilon();
  static constexpr T kRounding = 128 * kEpsilon;
  static constexpr T kLeast = sizeof(T) == 4 ? T(1e-18) : T(1e-150);  ///< of l2
  static constexpr T kMost = 1 / kLeast;                              ///< of l2 and s2
  static constexpr T kUnderflow = sizeof(T) == 4 ? T(1e-26) : T(1e-170);

  Vec<T> s2, along, l2, change;

  HWY_INLINE SurveyBounds(const Bounds<D, T>& q, const T* HWY_RESTRICT columns,
                          std::size_t stride) {
    const Tag<T> tag;
    const auto half = hn::Set(tag, T(0.5));
    auto diagonal2 = hn::Zero(tag), sizes = hn::Zero(tag);
    T own2 = 0;
    s2 = along = l2 = hn::Zero(tag);
    for (int axis = 0; axis < D; ++axis) {
      const auto lo = hn::LoadU(tag, columns + static_cast<std::size_t>(axis) * stride);
      const auto hi = hn::LoadU(tag, columns + static_cast<std::size_t>(D + axis) * stride);
      const auto center = hn::Mul(hn::Add(lo, hi), half);
      const auto own = hn::Set(tag, (q.lo[axis] + q.hi[axis]) * T(0.5));
      const auto s = hn::Sub(center, own), l = hn::Add(center, own);
      s2 = add_square(s2, s, axis);
      l2 = add_square(l2, l, axis);
      along = hn::Add(along, hn::Mul(s, l));
      diagonal2 = add_square(diagonal2, hn::Sub(hi, lo), axis);
      sizes = hn::Add(sizes, hn::Add(hn::Abs(center), hn::Abs(own)));
      own2 += (q.hi[axis] - q.lo[axis]) * (q.hi[axis] - q.lo[axis]);
    }
    const auto radii = hn::Mul(half, hn::Add(hn::Sqrt(diagonal2), hn::Set(tag, std::sqrt(own2))));
    change = hn::Add(hn::Mul(radii, hn::Set(tag, 1 + 16 * kEpsilon)),
                     hn::Mul(sizes, hn::Set(tag, 32 * kEpsilon)));
  }

  /// Bounds of a square whose root at the centers is that of `center2`, given the largest s2.
  HWY_INLINE void widen(Vec<T> center2, Vec<T> by, Vec<T> most, Vec<T>& low, Vec<T>& high) const {
    const Tag<T> tag;
    const auto zero = hn::Zero(tag), rounding = hn::Set(tag, kRounding);
    const auto slack = hn::Add(hn::Mul(most, rounding), hn::Set(tag, kUnderflow));
    const auto least = hn::Sqrt(hn::Max(hn::Sub(center2, slack), zero));
    const auto largest = hn::Sqrt(hn::Add(center2, slack));
    const auto a = hn::Max(hn::Sub(least, by), zero), b = hn::Add(largest, by);
    low = hn::Max(hn::Sub(hn::Mul(a, a), slack), zero);
    high = hn::Add(hn::Mul(hn::Mul(b, b), hn::Set(tag, 1 + kRounding)), slack);
  }

  /// From bounds of s2 to those of rp2.
  HWY_INLINE void apply(PairVerdict<T>& verdict, T s2_reach, T pi_limit) const {
    const Tag<T> tag;
    const auto zero = hn::Zero(tag), far2 = hn::Set(tag, pi_limit * pi_limit);
    const auto most = hn::Max(verdict.upper, s2);
    const auto is_far = hn::Gt(verdict.lower, hn::Set(tag, s2_reach));
    const auto has_bounds =
        hn::And(hn::And(hn::Ge(l2, hn::Set(tag, kLeast)), hn::Le(l2, hn::Set(tag, kMost))),
                hn::Le(most, hn::Set(tag, kMost)));
    const auto pi2 = hn::Div(hn::Mul(along, along), l2);
    const auto rp2 = hn::Max(hn::Sub(s2, pi2), zero);
    const auto turn = hn::Sqrt(hn::Div(s2, l2));
    const auto by = hn::Mul(change, hn::Add(hn::Set(tag, 1 + kRounding), hn::Add(turn, turn)));
    auto lower = zero, upper = zero, pi_lower = zero, pi_upper = zero;
    widen(rp2, by, most, lower, upper);
    widen(pi2, by, most, pi_lower, pi_upper);
    verdict.lower = hn::IfThenElse(has_bounds, lower, zero);
    verdict.upper =
        hn::IfThenElse(has_bounds, upper, hn::Set(tag, std::numeric_limits<T>::infinity()));
    verdict.is_open = hn::Le(zero, zero);
    verdict.is_beyond = hn::Or(is_far, hn::And(has_bounds, hn::Gt(pi_lower, far2)));
  }
};

template <PairMeasure Measure, int D, class T>
struct PairGeometry {
  using Key = T;
  const PairBins<T>& bins;
  Axes<D> axes;
  int order[kAxisRoom<D>] = {};  ///< of the axes, as squares are added
  T side[kAxisRoom<D>] = {};     ///< 0 = open
  T second_limit = 0;            ///< of the last axis, or of pi in a survey
  T s2_reach = 0;                ///< in a survey

  explicit PairGeometry(const PairJob<T>& job)
      : bins(job.first),
        axes(job.receivers->view.dimension),
        second_limit(job.second_limit()),
        s2_reach(job.reach2) {
    std::copy_n(job.order, axes.count(), order);
    std::copy_n(job.side, axes.count(), side);
  }

  std::size_t bin(T key) const { return bins.bin(key); }

  /// One box and the 8 of a chunk.
  HWY_NOINLINE void look(const Bounds<D, T>& q, const T* HWY_RESTRICT chunk,
                         PairLook<T>& look) const {
    const Tag<T> tag;
    look.near = look.open = 0;
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
      const auto verdict = bounds(q, chunk + lane, kLanes);
      hn::Store(verdict.lower, tag, look.lower + lane);
      hn::Store(verdict.upper, tag, look.upper + lane);
      look.near |= in_reach(verdict) << lane;
      look.open |= bits_of(tag, verdict.is_open) << lane;
    }
  }

  /// One bit per box.
  HWY_INLINE unsigned in_reach(const PairVerdict<T>& verdict) const {
    const Tag<T> tag;
    const auto is_near = hn::Le(verdict.lower, hn::Set(tag, bins.last()));
    return bits_of(tag, hn::AndNot(verdict.is_beyond, is_near));
  }

  /// Boxes in columns: lower ends, then upper ends, `stride` apart.
  HWY_INLINE PairVerdict<T> bounds(const Bounds<D, T>& q, const T* HWY_RESTRICT columns,
                                   std::size_t stride) const {
    const Tag<T> tag;
    const auto none = hn::FirstN(tag, 0);
    PairVerdict<T> result{hn::Zero(tag), hn::Zero(tag), none, none, none};
    const int count = axes.count();
    for (int place = 0; place < count; ++place) {
      const int axis = order[place];
      const auto lo = hn::LoadU(tag, columns + static_cast<std::size_t>(axis) * stride);
      const auto hi = hn::LoadU(tag, columns + static_cast<std::size_t>(count + axis) * stride);
      const auto q_lo = hn::Set(tag, q.lo[axis]), q_hi = hn::Set(tag, q.hi[axis]);
      auto least = gaps::least(q_lo, q_hi, lo, hi), most = gaps::most(q_lo, q_hi, lo, hi);
      if (side[axis] > 0) {
        const auto around = hn::Set(tag, side[axis]), gap = least, span = most;
        least = gaps::wrapped_least(gap, span, around);
        most = gaps::wrapped_most(gap, span, around);
        // Where no span exceeds the way around it, no pair is nearer that way.
        result.wraps = hn::Or(result.wraps, hn::Lt(hn::Sub(around, span), span));
      }
      if (Measure == PairMeasure::projected && place == count - 1) {
        const auto far = hn::Set(tag, second_limit);
        result.is_open = hn::Ge(most, far);
        result.is_beyond = hn::Ge(least, far);
      } else {
        result.lower = add_square(result.lower, least, place);
        result.upper = add_square(result.upper, most, place);
      }
    }
    if constexpr (Measure == PairMeasure::survey)
      SurveyBounds<D, T>(q, columns, stride).apply(result, s2_reach, second_limit);
    return result;
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
