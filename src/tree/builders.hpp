// The builders: from points in the order of a curve to planes of nodes.
#pragma once

#include "parallel/workers.hpp"
#include "tree/planes.hpp"

namespace kith {

/// 8 consecutive points to a leaf, 8 nodes to a node, up to one root.
template <class T>
void build_packed(const Workers& workers, Planes<T>& planes);

/// The planes of a packed tree over the blocks of any tree.
template <class T>
std::vector<Plane<T>> packed_planes(const Workers& workers, const Planes<T>& points);

/// The largest Morton cells within the size limits, plane by plane (jz-tree paper, II.C and II.D).
/// The points must be in z-order.
template <class T>
void build_cells(const TreeOptions& options, const Workers& workers, Planes<T>& planes);

}  // namespace kith
