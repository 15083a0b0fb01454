// The sides of a box as a list.
#pragma once

#include <cstddef>
#include <vector>

#include <kith/box.hpp>

namespace kith {

/// `of` is &Box::side or &Box::origin; open axes have a side of 0.
inline std::vector<double> on_axes(const Box& box, int dimension, double (Box::*of)(int) const) {
  std::vector<double> values(static_cast<std::size_t>(dimension));
  for (int axis = 0; axis < dimension; ++axis)
    values[static_cast<std::size_t>(axis)] = (box.*of)(axis);
  return values;
}

inline std::vector<double> sides_of(const Box& box, int dimension) {
  return on_axes(box, dimension, &Box::side);
}

}  // namespace kith
