// Leaves in groups that look for their surroundings together: those of one node of the plane above
// them, or all leaves if there is no such plane.
#pragma once

#include <cstddef>

#include "tree/planes_view.hpp"

namespace kith {

template <class T>
std::size_t leaf_groups(const PlanesView<T>& planes) {
  return planes.plane_count > 1 ? planes.plane(1).nodes : 1;
}

template <class T>
IndexRange leaves_of_group(const PlanesView<T>& planes, std::size_t group) {
  return planes.plane_count > 1 ? planes.children(1, group) : IndexRange{0, planes.plane(0).nodes};
}

}  // namespace kith
