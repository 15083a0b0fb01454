// THE data layout: what builders make and what walks, kernels, files and other devices read.
//
// Points lie in tree order in blocks of 8: for each axis 8 coordinates, then 8 original indices.
// Nodes lie in planes; plane 0 holds the leaves, each node of plane p > 0 is a run of nodes of
// plane p - 1, and the last plane is one root. Boxes are tight and stored in chunks of 8
// neighbouring nodes: for each axis 8 lower ends, then for each axis 8 upper ends. So one aligned
// load fetches the same axis of 8 points or 8 nodes. Unused lanes hold points that are NaN with
// index kNoIndex, and empty boxes (+inf, -inf).
//
// In a packed tree node i of plane p has the children 8 i ... 8 i + 7: nothing but boxes and
// indices is stored. In a cells tree `first` and `begin` say where children and points start.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <kith/tree.hpp>

#include "base/array.hpp"
#include "base/lanes.hpp"
#include "geometry/bounds.hpp"

namespace kith {

/// Index of a lane without a point. The largest tree has fewer points.
inline constexpr std::uint32_t kNoIndex = 0xffffffff;
inline constexpr std::size_t kMaxPoints = 0xfffffff0;

/// Builders whose planes store nothing about children.
inline bool is_implicit(Builder builder) { return builder == Builder::packed; }

struct IndexRange {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

template <class T>
struct Plane {
  std::size_t nodes = 0;
  Array<T> boxes;                 ///< chunks of 8 nodes
  Array<std::uint32_t> smallest;  ///< original index, per node; unused lanes: kNoIndex
  Array<std::uint32_t> largest;   ///< unused lanes: 0
  Array<std::uint32_t> first;     ///< cells: first child (plane 0: first point), nodes + 1 values
  Array<std::uint32_t> begin;     ///< cells, above plane 0: first point, nodes + 1 values
};

template <class T>
struct Planes {
  int dimension = 0;
  std::size_t points = 0;
  /// Node i of each plane has the children 8 i ... 8 i + 7; if not, `first` and `begin` say.
  bool is_implicit = true;
  Array<T> blocks;
  std::vector<Plane<T>> planes;

  static std::size_t lanes_up(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }
  std::size_t block_count() const { return (points + kLanes - 1) / kLanes; }
  /// Scalars from one block to the next.
  static std::size_t block_stride(int dimension) {
    return kLanes * (static_cast<std::size_t>(dimension) * sizeof(T) + sizeof(std::uint32_t)) /
           sizeof(T);
  }
  std::size_t block_stride() const { return block_stride(dimension); }
  std::size_t chunk_stride() const { return 2 * kLanes * static_cast<std::size_t>(dimension); }

  /// A block's coordinates: [axis * 8 + lane].
  T* block(std::size_t i) const { return blocks.data() + i * block_stride(); }
  std::uint32_t* block_index(std::size_t i) const {
    return reinterpret_cast<std::uint32_t*>(block(i) +
                                            kLanes * static_cast<std::size_t>(dimension));
  }
  T& coordinate(std::size_t point, int axis) const {
    return block(point / kLanes)[static_cast<std::size_t>(axis) * kLanes + point % kLanes];
  }
  std::uint32_t& index(std::size_t point) const {
    return block_index(point / kLanes)[point % kLanes];
  }

  /// A chunk of 8 boxes: lower ends [axis * 8 + lane], upper ends [(dimension + axis) * 8 + lane].
  T* chunk(const Plane<T>& plane, std::size_t i) const {
    return plane.boxes.data() + i * chunk_stride();
  }
  T& lower(const Plane<T>& plane, std::size_t node, int axis) const {
    return chunk(plane, node / kLanes)[static_cast<std::size_t>(axis) * kLanes + node % kLanes];
  }
  T& upper(const Plane<T>& plane, std::size_t node, int axis) const {
    return lower(plane, node, axis + dimension);
  }

  /// Children of a node in the plane below; the points of a leaf.
  IndexRange children(int plane, std::size_t node) const {
    const Plane<T>& at = planes[static_cast<std::size_t>(plane)];
    if (!at.first.empty()) return {at.first[node], at.first[node + 1]};
    const std::size_t below =
        plane == 0 ? points : planes[static_cast<std::size_t>(plane) - 1].nodes;
    return {node * kLanes, std::min(below, (node + 1) * kLanes)};
  }

  /// The points of a node.
  IndexRange points_of(int plane, std::size_t node) const {
    const Plane<T>& at = planes[static_cast<std::size_t>(plane)];
    if (!at.begin.empty()) return {at.begin[node], at.begin[node + 1]};
    if (!at.first.empty()) return {at.first[node], at.first[node + 1]};
    const int shift = 3 * (plane + 1);
    return {node << shift, std::min(points, (node + 1) << shift)};
  }

  std::size_t memory() const {
    std::size_t bytes = blocks.bytes();
    for (const Plane<T>& plane : planes)
      bytes += plane.boxes.bytes() + plane.smallest.bytes() + plane.largest.bytes() +
               plane.first.bytes() + plane.begin.bytes();
    return bytes;
  }
};

}  // namespace kith
