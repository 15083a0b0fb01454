// The Hilbert curve in any number of dimensions, and tables that follow it (or z-order) quickly in
// 2-D and 3-D.
//
// A curve visits the 2^d halves-in-every-axis of a cell in an order that depends on the cell's
// state: where the curve enters it and along which axis it leaves (Hamilton's entry and direction).
// Digits are d bits wide, axis 0 the most significant.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/dispatch.hpp"

namespace kith {

struct HilbertState {
  std::uint32_t entry = 0;
  int direction = 0;
};

/// The place on the curve of the sub-cell `digit` of a cell; moves `state` on to that sub-cell.
std::uint32_t hilbert_step(std::uint32_t digit, int dimension, HilbertState& state);

/// The digit's place by tables, in four to six dimensions: a quarter of the time, and small enough
/// for the cache.
class HilbertSteps {
 public:
  /// Null for other dimensions.
  static const HilbertSteps* of(int dimension);

  /// The place on the curve of a cell, from `digits` (at most 16) digits on each axis.
  std::uint64_t place(const std::uint64_t* cell, int digits) const {
    std::uint64_t morton = 0, place = 0;
    for (int axis = 0; axis < dimension_; ++axis)
      morton |= (spread_[cell[axis] & 255] | spread_[cell[axis] >> 8 & 255] << (8 * dimension_))
                << (dimension_ - 1 - axis);
    const std::uint64_t mask = (std::uint64_t{1} << dimension_) - 1;
    unsigned state = 0;
    for (int shift = (digits - 1) * dimension_; shift >= 0; shift -= dimension_) {
      const unsigned next = step_[state << dimension_ | (morton >> shift & mask)];
      place = place << dimension_ | (next & 63);
      state = next >> 6;
    }
    return place;
  }

 private:
  explicit HilbertSteps(int dimension);

  int dimension_;
  std::vector<std::uint16_t> step_;          ///< [state][digit]: place | next state << 6
  std::array<std::uint64_t, 256> spread_{};  ///< eight digits of one axis, `dimension` bits apart
};

/// Curve positions by table, for D = 2 and 3. A grid of 2^10 (3-D) or 2^15 (2-D) cells an axis has
/// 30-bit positions: 12 bits choose a bucket, 18 bits the place in it.
template <int D>
struct CurveTables {
  static constexpr int kTopBits = 12, kLowBits = 18;
  static constexpr int kTopDigits = kTopBits / D, kLowDigits = kLowBits / D;  ///< per axis
  static constexpr int kStates = D << D;

  std::array<std::array<std::uint16_t, 64>, kStates>
      step;                                      ///< 6 Morton bits -> 6 curve bits | state << 6
  std::array<std::uint16_t, 1 << kTopBits> top;  ///< Morton -> curve, from the first state
  std::array<std::uint8_t, 1 << kTopBits> top_state;  ///< by place on the curve
  std::array<std::uint32_t, 1 << kLowDigits> spread;  ///< digits of one axis, D bits apart

  static const CurveTables& hilbert();
  static const CurveTables& z();

  /// The Morton position of a cell from its digits on each axis, at most kLowDigits of them.
  template <class Cell>
  std::uint32_t morton(const Cell& cell) const {
    std::uint32_t position = 0;
    for (int axis = 0; axis < D; ++axis) position |= spread[cell[axis]] << (D - 1 - axis);
    return position;
  }

  /// The place in a bucket on the curve of 18 Morton bits.
  std::uint32_t low(std::uint32_t morton_position, unsigned state) const {
    const unsigned a = step[state][morton_position >> 12];
    const unsigned b = step[a >> 6][morton_position >> 6 & 63];
    const unsigned c = step[b >> 6][morton_position & 63];
    return (a & 63) << 12 | (b & 63) << 6 | (c & 63);
  }

 private:
  explicit CurveTables(bool is_hilbert);
};

extern template struct CurveTables<2>;
extern template struct CurveTables<3>;

}  // namespace kith
