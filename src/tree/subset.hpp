// A separate tree of some points of a tree, without a new sort.
#pragma once

#include <cstdint>

#include "base/array.hpp"
#include "parallel/workers.hpp"
#include "tree/planes.hpp"

namespace kith {

/// A packed tree over some points of another tree, in the same order and with the same original
/// indices and frame.
template <class T>
struct Subset {
  Planes<T> planes;
  Array<std::uint32_t> position;  ///< in the other tree, of each point of this one; ascending
};

/// The tree of the points whose mask, in tree order, is not 0. Cost: one pass over the points
/// that are kept and their planes; 21 bytes and 4 per point kept (float in 3-D).
template <class T>
Subset<T> subset(const Planes<T>& planes, const Array<std::uint8_t>& mask, const Workers& workers);

}  // namespace kith
