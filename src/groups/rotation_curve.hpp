// The largest circular velocity among the members of a group, which arrive by distance.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "groups/sums.hpp"

namespace kith {

inline double distance2_from(const Source& from, std::size_t member, const double* middle) {
  const RowReader position(from.position);
  double r2 = 0;
  for (std::size_t axis = 0; axis < from.d; ++axis) {
    const double dx = position(member, static_cast<int>(axis)) - middle[axis];
    const double side = from.side[axis];
    const double image = side > 0 ? minimum_image(dx, side, 1 / side) : dx;
    r2 += image * image;
  }
  return r2;
}

/// Masses are added up in blocks of fixed size, as all sums over members are, so that parts of a
/// curve can begin at any block.
class RotationCurve {
 public:
  /// `members` and `mass`: what lies inside already, whole blocks.
  explicit RotationCurve(double gravity, std::size_t members = 0, double mass = 0)
      : gravity_(gravity), members_(members), inside_(mass) {}

  void add(double r2, double mass) {
    block_ += mass;
    if (++members_ >= kLeastRank && r2 > 0)
      most_ = std::max(most_, gravity_ * (inside_ + block_) / std::sqrt(r2));
    if (members_ % kSumBlock != 0) return;
    inside_ += block_;
    block_ = 0;
  }

  /// The square of the largest velocity so far.
  double most() const { return most_; }

 private:
  /// A few members say nothing about a rotation curve: of those, the nearest one decides.
  static constexpr std::size_t kLeastRank = 10;

  double gravity_;
  std::size_t members_;
  double inside_, block_ = 0, most_ = 0;
};

}  // namespace kith
