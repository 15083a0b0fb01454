#include <algorithm>
#include <cmath>

#include <kith/box.hpp>

#include "base/fail.hpp"

namespace kith {
namespace {

void check_count(const char* what, std::size_t count) {
  if (count < 1 || count > std::size_t{kMaxDimension})
    refuse("box: {} {}; give one per axis, 1 to {}", count, what, kMaxDimension);
}

void check_sides(std::span<const double> sides) {
  for (std::size_t axis = 0; axis < sides.size(); ++axis)
    if (!std::isfinite(sides[axis]) || sides[axis] < 0)
      refuse("box: side {} of axis {}; a side is positive and finite, or 0 for an open axis",
             sides[axis], axis);
}

void check_origins(std::span<const double> origins) {
  for (std::size_t axis = 0; axis < origins.size(); ++axis)
    if (!std::isfinite(origins[axis]))
      refuse("box: origin {} of axis {}; an origin is finite", origins[axis], axis);
}

std::size_t checked_axis(int axis) {
  if (axis < 0 || axis >= kMaxDimension)
    refuse("box: axis {}; axes are numbered 0 to {}", axis, kMaxDimension - 1);
  return static_cast<std::size_t>(axis);
}

}  // namespace

Box Box::periodic(double side) {
  check_sides({&side, 1});
  Box box;
  box.side_.fill(side);
  return box;
}

Box Box::periodic(std::initializer_list<double> sides) {
  return periodic(std::span<const double>(sides.begin(), sides.size()));
}

Box Box::periodic(std::span<const double> sides) {
  check_count("sides", sides.size());
  check_sides(sides);
  Box box;
  box.dimension_ = static_cast<int>(sides.size());
  std::copy(sides.begin(), sides.end(), box.side_.begin());
  return box;
}

Box Box::with_origin(double origin) const {
  check_origins({&origin, 1});
  Box box = *this;
  box.origin_.fill(origin);
  return box;
}

Box Box::with_origin(std::initializer_list<double> origin) const {
  return with_origin(std::span<const double>(origin.begin(), origin.size()));
}

Box Box::with_origin(std::span<const double> origin) const {
  check_count("origins", origin.size());
  check_origins(origin);
  if (dimension_ != 0 && origin.size() != static_cast<std::size_t>(dimension_))
    refuse("box: {} origins for {} sides; give as many of both", origin.size(), dimension_);
  Box box = *this;
  box.dimension_ = static_cast<int>(origin.size());
  box.origin_.fill(0);
  std::copy(origin.begin(), origin.end(), box.origin_.begin());
  return box;
}

double Box::side(int axis) const { return side_[checked_axis(axis)]; }
double Box::origin(int axis) const { return origin_[checked_axis(axis)]; }

bool Box::is_periodic() const {
  for (const double side : side_)
    if (side > 0) return true;
  return false;
}

}  // namespace kith
