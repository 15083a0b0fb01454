// Tight boxes and index ranges of nodes from their points or their children.
#pragma once

#include <cstdint>
#include <limits>

#include "parallel/workers.hpp"
#include "tree/planes.hpp"

namespace kith {

/// Room for the boxes and indices of `nodes` nodes.
template <class T>
Plane<T> make_plane(std::size_t nodes, int dimension, const Workers& workers) {
  const std::size_t lanes = Planes<T>::lanes_up(nodes);
  Plane<T> plane;
  plane.nodes = nodes;
  plane.boxes = Array<T>(2 * static_cast<std::size_t>(dimension) * lanes, workers.pool());
  plane.smallest = Array<std::uint32_t>(lanes, workers.pool());
  plane.largest = Array<std::uint32_t>(lanes, workers.pool());
  return plane;
}

/// Makes the lanes after the last node empty boxes.
template <class T>
void pad_last_chunk(const Planes<T>& planes, const Plane<T>& plane) {
  for (std::size_t node = plane.nodes; node < plane.smallest.size(); ++node) {
    for (int axis = 0; axis < planes.dimension; ++axis) {
      planes.lower(plane, node, axis) = std::numeric_limits<T>::infinity();
      planes.upper(plane, node, axis) = -std::numeric_limits<T>::infinity();
    }
    plane.smallest[node] = kNoIndex;
    plane.largest[node] = 0;
  }
}

}  // namespace kith
