// The source nodes that a receiver has to look at (the paper's ilist), with copies of their boxes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/array.hpp"
#include "tree/planes_view.hpp"

namespace kith {

/// Boxes are in columns, so that refining a list for a smaller receiver is one pass of full
/// vectors; they are padded to whole vectors with boxes that nothing reaches.
template <class T>
struct InteractionList {
  std::size_t size = 0, stride = 0;
  Array<T> boxes;               ///< 2 d columns
  Array<std::uint32_t> source;  ///< the node of each box, ascending

  /// Contents are lost when the list grows.
  void reserve(std::size_t count, int dimension) {
    if (count + 2 * kLanes <= stride) return;
    const std::size_t wider = (2 * count + 4 * kLanes) / kLanes * kLanes;
    Array<T> new_boxes(2 * static_cast<std::size_t>(dimension) * wider);
    source = Array<std::uint32_t>(wider);  // without memory the list stays as wide as it was
    boxes = std::move(new_boxes);
    stride = wider;
  }
  void close(std::size_t count, int dimension) {
    size = count;
    const T inf = std::numeric_limits<T>::infinity();
    for (std::size_t column = 0; column < 2 * static_cast<std::size_t>(dimension); ++column)
      std::fill_n(boxes.data() + column * stride + count, kLanes,
                  column < static_cast<std::size_t>(dimension) ? inf : -inf);
  }
};

}  // namespace kith
