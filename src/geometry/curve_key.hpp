// Where points lie on a curve, as integers: the keys by which points are sorted on one machine and,
// with the bounds of all points agreed on, over many.
//
// A key is the place of the point's cell in a grid over some bounds (grid.hpp): EqualCells gives
// the Hilbert curve, DigitCells the z-curve. Keys of DigitCells are true prefixes of z_less. Points
// that share a key are ordered by a second key, relative to their own bounds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "geometry/bounds.hpp"
#include "geometry/grid.hpp"
#include "geometry/hilbert.hpp"

namespace kith {

/// Keys by table, for D = 2 and 3.
template <int D, class T, template <int, class> class Cells>
class CurveKey {
 public:
  using Tables = CurveTables<D>;
  static constexpr int kBits = Tables::kTopBits + Tables::kLowBits;
  static constexpr bool kIsExact = Cells<D, T>::kIsExact;

  static const Tables& tables() { return kIsExact ? Tables::z() : Tables::hilbert(); }

  /// Keys of 30 bits: 12 choose a bucket, 18 the place in it.
  static CurveKey long_key(const Bounds<D, T>& bounds) {
    return CurveKey(bounds, Tables::kTopDigits + Tables::kLowDigits);
  }
  /// Keys of 18 bits: the place in a single bucket.
  static CurveKey short_key(const Bounds<D, T>& bounds) {
    return CurveKey(bounds, Tables::kLowDigits);
  }

  /// False if no grid separates the points (see Cells); there are no keys then.
  bool can_split() const { return cells_.can_split(); }

  /// All bits of a long key.
  std::uint32_t operator()(const T* x) const {
    const std::uint32_t place = bucket(x);
    return place << Tables::kLowBits | low(x, tables_->top_state[place]);
  }
  /// The key's top bits. Defined for any x, also for one that is out of bounds because another
  /// thread of the caller changed it meanwhile.
  std::uint32_t bucket(const T* x) const {
    constexpr std::uint32_t kMask = (1u << Tables::kTopDigits) - 1;
    Cell cell;
    for (int axis = 0; axis < D; ++axis)
      cell.digit[axis] =
          static_cast<std::uint32_t>(cells_(x[axis], axis)) >> Tables::kLowDigits & kMask;
    return tables_->top[tables_->morton(cell)];
  }
  /// Low bits of a key, in a bucket of this state (Tables::top_state); all of a short key, state 0.
  std::uint32_t low(const T* x, unsigned state) const {
    constexpr std::uint32_t kMask = (1u << Tables::kLowDigits) - 1;
    Cell cell;
    for (int axis = 0; axis < D; ++axis)
      cell.digit[axis] = static_cast<std::uint32_t>(cells_(x[axis], axis)) & kMask;
    return tables_->low(tables_->morton(cell), state);
  }

 private:
  struct Cell {
    std::uint32_t digit[D];
    std::uint32_t operator[](int axis) const { return digit[axis]; }
  };

  CurveKey(const Bounds<D, T>& bounds, int digits)
      : cells_(bounds, digits, Axes<D>(D)), tables_(&tables()) {}

  Cells<D, T> cells_;
  const Tables* tables_;
};

/// Keys of up to 64 bits, digit by digit, for every dimension.
template <class T, template <int, class> class Cells>
class WideCurveKey {
 public:
  static constexpr bool kIsExact = Cells<kAnyDimension, T>::kIsExact;

  WideCurveKey(const Bounds<kAnyDimension, T>& bounds, int dimension)
      : axes_(dimension),
        // 60 digits in all keep a window of one axis within an integer's shift.
        digits_(std::max(1, std::min(60, 64 / dimension))),
        cells_(bounds, digits_, axes_),
        steps_(kIsExact ? nullptr : HilbertSteps::of(dimension)) {}

  bool can_split() const { return cells_.can_split(); }

  std::uint64_t operator()(const T* x) const {
    std::uint64_t cell[kMaxDimension];
    for (int axis = 0; axis < axes_.count(); ++axis) cell[axis] = cells_(x[axis], axis);
    if (steps_) return steps_->place(cell, digits_);
    std::uint64_t place = 0;
    HilbertState state;
    for (int bit = digits_ - 1; bit >= 0; --bit) {
      std::uint32_t digit = 0;
      for (int axis = 0; axis < axes_.count(); ++axis)
        digit = digit << 1 | static_cast<std::uint32_t>(cell[axis] >> bit & 1);
      if constexpr (!kIsExact) digit = hilbert_step(digit, axes_.count(), state);
      place = place << axes_.count() | digit;
    }
    return place;
  }

 private:
  Axes<kAnyDimension> axes_;
  int digits_;  ///< of the key, per axis
  Cells<kAnyDimension, T> cells_;
  const HilbertSteps* steps_;  ///< null where there are no tables
};

}  // namespace kith
