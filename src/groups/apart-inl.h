// Separating-plane test: proves that two nodes have no pair in range although their boxes do.
// Two surfaces that almost touch have many such nodes: a plane between them decides in one look
// what takes thousands of pairs of leaves otherwise.
//
// The plane is found by steps towards the point nearest to the origin in the convex hull of all
// differences of a point of one node and a point of the other (Mitchell, Dem'yanov and Malozemov
// 1974; Gilbert 1966). Any direction is as good as exact: along d, which need not have length 1,
// the points of one node end before those of the other begin, by at least
// G = (difference of the projections) - (bound of their rounding), so no pair is nearer than
// G / |d|. Why nothing is lost to rounding: in D dimensions and with the rounding unit u, a
// projection of x - o is off by less than (D + 2) u sum |d| |x - o|, to first order in u, a squared
// distance by less than (D + 3) u of itself and |d|^2 by less than D u. The margin, (D + 13) u, is
// more than the first, and twice the margin more than the sum of the others. Products do not
// vanish, as the squared reach is not small (`is_usable`) and |d|^2 is larger.
//
// Included once per SIMD target.
#if defined(KITH_GROUPS_APART_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_GROUPS_APART_INL_H_
#undef KITH_GROUPS_APART_INL_H_
#else
#define KITH_GROUPS_APART_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/near-inl.h"
#include "tree/planes_view.hpp"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// A search for a plane between two runs of full blocks, in a space without edges.
template <int D, class T>
class Apart {
 public:
  struct Points {
    const T* blocks;
    std::size_t count;
    Bounds<D, T> box;
  };

  Apart(const Range<D, T>& range, const Points& a, const Points& b)
      : axes_(range.axes),
        reach2_(range.reach2),
        margin_(static_cast<T>(axes_.count() + 13) * std::numeric_limits<T>::epsilon() / 2),
        a_(a),
        b_(b) {
    load_lane(b.blocks, 0, axes_, origin_);
    for (int axis = 0; axis < axes_.count(); ++axis)
      extent_[axis] = std::max(std::max(a.box.hi[axis], b.box.hi[axis]) - origin_[axis],
                               origin_[axis] - std::min(a.box.lo[axis], b.box.lo[axis]));
  }

  /// Can the test be used with this reach?
  static bool is_usable(T reach2) {
    using Limits = std::numeric_limits<T>;
    return reach2 >= std::ldexp(T(1), Limits::min_exponent / 2 + Limits::digits);
  }

  /// True is certain; false means nothing.
  bool run() {
    add(middle(a_), middle(b_), T(1));
    std::copy_n(difference_[0], axes_.count(), d_);
    for (int step = 0; step < kSteps; ++step) {
      if (!(norm2(d_) > reach2_)) return false;
      const Extreme from_a = least_along(a_, T(1)), from_b = least_along(b_, T(-1));
      const T gap = from_a.value + from_b.value - 2 * margin_ * largest_sum();
      if (gap > 0 && gap * gap > norm2(d_) * reach2_ * (1 + 2 * margin_)) return true;
      add(place_of(a_, from_a), place_of(b_, from_b), T(0));
      if (!(norm2(difference_[count_ - 1]) > reach2_)) return false;
      for (int i = 0; i < kInner && improve(); ++i) {
      }
    }
    return false;
  }

 private:
  /// Steps that look at all points: two decide nine of ten pairs of nodes.
  static constexpr int kSteps = 4;
  /// Steps among the differences that were found.
  static constexpr int kInner = 8;

  struct Place {
    const T* block;
    std::size_t lane;
  };
  /// The least projection of each lane's points, and of all; and in which block it is.
  struct Extreme {
    T value;
    alignas(64) T lanes[kLanes], block[kLanes];
  };

  Place middle(const Points& points) const {
    return {points.blocks + points.count / 2 * block_stride<T>(axes_), 0};
  }

  Place place_of(const Points& points, const Extreme& extreme) const {
    std::size_t lane = 0;
    while (lane + 1 < kLanes && extreme.lanes[lane] != extreme.value) ++lane;
    const auto block = static_cast<std::size_t>(extreme.block[lane]);
    return {points.blocks + block * block_stride<T>(axes_), lane};
  }

  /// The most that sum |d| |x - o| can be.
  T largest_sum() const {
    T sum = 0;
    for (int axis = 0; axis < axes_.count(); ++axis) sum += std::abs(d_[axis]) * extent_[axis];
    return sum;
  }

  T norm2(const T* x) const { return dot(x, x); }
  T dot(const T* x, const T* y) const {
    T sum = 0;
    for (int axis = 0; axis < axes_.count(); ++axis) sum += x[axis] * y[axis];
    return sum;
  }

  void add(const Place& a, const Place& b, T weight) {
    T x[kAxisRoom<D>], y[kAxisRoom<D>];
    load_lane(a.block, a.lane, axes_, x);
    load_lane(b.block, b.lane, axes_, y);
    for (int axis = 0; axis < axes_.count(); ++axis) difference_[count_][axis] = x[axis] - y[axis];
    weight_[count_++] = weight;
  }

  /// The least place of the points along sign * d.
  HWY_INLINE Extreme least_along(const Points& points, T sign) const {
    const Tag<T> tag;
    Extreme found;
    auto all = hn::Set(tag, std::numeric_limits<T>::infinity());
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
      auto least = hn::Set(tag, std::numeric_limits<T>::infinity());
      auto where = hn::Zero(tag);
      const T* HWY_RESTRICT block = points.blocks + lane;
      for (std::size_t i = 0; i < points.count; ++i, block += block_stride<T>(axes_)) {
        auto projection = hn::Zero(tag);
        for (int axis = 0; axis < axes_.count(); ++axis) {
          const auto x =
              hn::Sub(hn::LoadU(tag, block + column_at(axis)), hn::Set(tag, origin_[axis]));
          projection = hn::Add(projection, hn::Mul(x, hn::Set(tag, sign * d_[axis])));
        }
        const auto is_less = hn::Lt(projection, least);
        least = hn::IfThenElse(is_less, projection, least);
        where = hn::IfThenElse(is_less, hn::Set(tag, static_cast<T>(i)), where);
      }
      hn::Store(least, tag, found.lanes + lane);
      hn::Store(where, tag, found.block + lane);
      all = hn::Min(all, least);
    }
    found.value = hn::GetLane(hn::MinOfLanes(tag, all));
    return found;
  }

  /// Moves weight from the difference that is farthest along d to the one that is least far.
  /// Returns false once there is nothing to gain.
  bool improve() {
    int least = 0, most = 0;
    T lowest = std::numeric_limits<T>::infinity(), highest = -lowest;
    for (int i = 0; i < count_; ++i) {
      const T along = dot(d_, difference_[i]);
      if (along < lowest) lowest = along, least = i;
      if (weight_[i] > 0 && along > highest) highest = along, most = i;
    }
    T step[kAxisRoom<D>];
    for (int axis = 0; axis < axes_.count(); ++axis)
      step[axis] = difference_[least][axis] - difference_[most][axis];
    const T gain = highest - lowest;
    if (!(gain > margin_ * norm2(d_))) return false;
    const T part = std::min(gain / norm2(step), weight_[most]);
    weight_[most] -= part;
    weight_[least] += part;
    for (int axis = 0; axis < axes_.count(); ++axis) d_[axis] += part * step[axis];
    return true;
  }

  Axes<D> axes_;
  T reach2_, margin_;
  Points a_, b_;
  T origin_[kAxisRoom<D>], extent_[kAxisRoom<D>], d_[kAxisRoom<D>];
  /// Points of the hull, and d as their mean with these weights.
  T difference_[kSteps + 1][kAxisRoom<D>], weight_[kSteps + 1];
  int count_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
