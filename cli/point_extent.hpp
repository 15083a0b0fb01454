// How far points extend, compared with the box that they should lie in.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <kith/box.hpp>

namespace kith::cli {

inline constexpr double kOutside = 0.01;  // of a side: rounding and drift, not another box

/// Least and largest coordinate of each axis; finite ones alone.
struct Extent {
  std::vector<double> low, high;

  bool has_points(std::size_t axis) const { return low[axis] <= high[axis]; }
};

template <class T>
Extent extent_of(std::span<const T> positions, int dimension);

/// Whether the box, moved so that its lower corner is at `origin`, contains the points of an axis.
bool contains(const Extent& extent, std::size_t axis, double origin, double side);

/// Coordinates far outside of a periodic box mean that the box, its origin or the units are wrong.
/// Throws Error (invalid_argument) with the option that helps.
void check_inside(const Extent& extent, const Box& box, const std::string& path);

}  // namespace kith::cli
