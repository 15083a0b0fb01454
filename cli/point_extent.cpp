#include "point_extent.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include <kith/error.hpp>

namespace kith::cli {

template <class T>
Extent extent_of(std::span<const T> positions, int dimension) {
  const auto d = static_cast<std::size_t>(dimension);
  Extent extent{std::vector<double>(d, std::numeric_limits<double>::infinity()),
                std::vector<double>(d, -std::numeric_limits<double>::infinity())};
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const auto x = static_cast<double>(positions[k]);
    if (!std::isfinite(x)) continue;
    extent.low[k % d] = std::min(extent.low[k % d], x);
    extent.high[k % d] = std::max(extent.high[k % d], x);
  }
  return extent;
}

template Extent extent_of(std::span<const float>, int);
template Extent extent_of(std::span<const double>, int);

bool contains(const Extent& extent, std::size_t axis, double origin, double side) {
  return extent.low[axis] >= origin - kOutside * side &&
         extent.high[axis] <= origin + (1 + kOutside) * side;
}

namespace {

/// The option that describes points which leave the box on an axis.
std::string remedy(const Extent& extent, std::size_t axis, double side) {
  if (contains(extent, axis, -side / 2, side))
    return fmt::format("the box seems to be centered on 0: give --origin {:.6g}", -side / 2);
  if (extent.high[axis] - extent.low[axis] <= side)
    return fmt::format("they fit into a box of this size: give --origin {:.6g}", extent.low[axis]);
  return fmt::format(
      "they extend over {:.3g} sides: give --wrap if they left a periodic box, --box open if the "
      "box is "
      "not periodic, or the right --box",
      (extent.high[axis] - extent.low[axis]) / side);
}

}  // namespace

void check_inside(const Extent& extent, const Box& box, const std::string& path) {
  for (std::size_t axis = 0; axis < extent.low.size(); ++axis) {
    const double side = box.side(static_cast<int>(axis));
    const double origin = box.origin(static_cast<int>(axis));
    if (!(side > 0) || !extent.has_points(axis) || contains(extent, axis, origin, side)) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: points lie between {:.6g} and {:.6g} on axis {}, outside of the "
                            "box from {:.6g} to {:.6g}; {}",
                            path, extent.low[axis], extent.high[axis], axis, origin, origin + side,
                            remedy(extent, axis, side)));
  }
}

}  // namespace kith::cli
