// Trees of every kind, for tests whose results must not depend on it.
#pragma once

#include <vector>

#include <kith/tree.hpp>

#include "support/property.hpp"

namespace kith::test {

/// Packed along one of the curves, or of cells.
inline TreeOptions any_tree(Draw& draw, const Box& box) {
  TreeOptions options{.box = box};
  switch (draw.below(7)) {
    case 0:
    case 1: options.builder = Builder::cells; break;
    case 2: options.curve = Curve::z; break;
    case 3:
    case 4: options.curve = Curve::kd; break;
    case 5: options.curve = Curve::hilbert; break;
    default: break;
  }
  options.split_axis = draw.one_of({SplitAxis::widest, SplitAxis::cyclic, SplitAxis::variance});
  return options;
}

/// One of each: Hilbert order, kd order, small cells.
inline std::vector<TreeOptions> tree_kinds(const Box& box, NonFinite non_finite) {
  return {{.box = box, .curve = Curve::hilbert, .non_finite = non_finite},
          {.box = box, .curve = Curve::kd, .non_finite = non_finite},
          {.box = box, .builder = Builder::cells, .non_finite = non_finite, .max_leaf_size = 6}};
}

}  // namespace kith::test
