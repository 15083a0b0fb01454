// The planes of a tree as plain pointers, for walks and kernels, files, other ranks and devices.
// See planes.hpp for the layout, which is written out here and nowhere else: strides, the box of a
// node, its children and its points.
//
// Functions take the axes as an argument where a kernel knows their number at compile time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/lanes.hpp"
#include "geometry/bounds.hpp"

namespace kith {

/// Index of a lane without a point. The largest tree has fewer points.
inline constexpr std::uint32_t kNoIndex = 0xffffffff;
inline constexpr std::size_t kMaxPoints = 0xfffffff0;
/// More than any tree has: planes shrink by a factor of 2 at least.
inline constexpr std::size_t kMaxPlanes = 64;

struct IndexRange {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

/// The least multiple of a block that holds n.
constexpr std::size_t lanes_up(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

/// Where a column of 8 begins in a block or a chunk.
constexpr std::size_t column_at(int column) { return kLanes * static_cast<std::size_t>(column); }

/// Scalars from one block of points to the next.
template <class T, int D>
constexpr std::size_t block_stride(Axes<D> axes) {
  return column_at(axes.count()) + kLanes * sizeof(std::uint32_t) / sizeof(T);
}
template <class T>
constexpr std::size_t block_stride(int dimension) {
  return block_stride<T>(Axes<kAnyDimension>(dimension));
}

/// Scalars from one chunk of boxes to the next.
template <int D>
constexpr std::size_t chunk_stride(Axes<D> axes) {
  return 2 * column_at(axes.count());
}

/// The place of a number of a point or of a node in its array.
template <class T, int D>
constexpr std::size_t coordinate_at(std::size_t position, int axis, Axes<D> axes) {
  return position / kLanes * block_stride<T>(axes) + column_at(axis) + position % kLanes;
}
template <int D>
constexpr std::size_t lower_at(std::size_t node, int axis, Axes<D> axes) {
  return node / kLanes * chunk_stride(axes) + column_at(axis) + node % kLanes;
}
template <int D>
constexpr std::size_t upper_at(std::size_t node, int axis, Axes<D> axes) {
  return lower_at(node, axes.count() + axis, axes);
}

/// The original indices of a block.
template <int D, class T>
const std::uint32_t* indices_of(const T* block, Axes<D> axes) {
  return reinterpret_cast<const std::uint32_t*>(block + column_at(axes.count()));
}

/// The coordinates of one lane of a block.
template <int D, class T>
void load_lane(const T* block, std::size_t lane, Axes<D> axes, T* x) {
  for (int axis = 0; axis < axes.count(); ++axis) x[axis] = block[column_at(axis) + lane];
}

/// The box of one lane of a chunk.
template <int D, class T>
Bounds<D, T> box_of_lane(const T* chunk, std::size_t lane, Axes<D> axes) {
  Bounds<D, T> box;
  for (int axis = 0; axis < axes.count(); ++axis) {
    box.lo[axis] = chunk[column_at(axis) + lane];
    box.hi[axis] = chunk[column_at(axes.count() + axis) + lane];
  }
  return box;
}

template <class T>
struct PlaneView {
  std::size_t nodes = 0;
  const T* boxes = nullptr;                 ///< chunks of 8 nodes
  const std::uint32_t* smallest = nullptr;  ///< original index, per node
  const std::uint32_t* largest = nullptr;
  /// First child (plane 0: first point), nodes + 1 values; null in an implicit tree.
  const std::uint32_t* first = nullptr;
  /// First point, nodes + 1 values; null in an implicit tree.
  const std::uint32_t* begin = nullptr;

  /// Children of a node among the `below` nodes of the plane below, or points of a leaf.
  IndexRange children(std::size_t node, std::size_t below) const {
    if (first) return {first[node], first[node + 1]};
    return {node * kLanes, std::min(below, (node + 1) * kLanes)};
  }
  /// The points of a node of plane p.
  IndexRange points_of(std::size_t node, int p, std::size_t points) const {
    if (begin) return {begin[node], begin[node + 1]};
    const int shift = 3 * (p + 1);
    return {node << shift, std::min(points, (node + 1) << shift)};
  }
};

template <class T>
struct PlanesView {
  int dimension = 0;
  int plane_count = 0;
  std::size_t points = 0;
  const T* blocks = nullptr;
  PlaneView<T> planes[kMaxPlanes] = {};

  using AnyAxes = Axes<kAnyDimension>;
  AnyAxes any_axes() const { return AnyAxes(dimension); }
  const PlaneView<T>& plane(int p) const { return planes[p]; }
  int top() const { return plane_count - 1; }
  std::size_t block_count() const { return (points + kLanes - 1) / kLanes; }

  /// Is node i the parent of the nodes 8 i ... 8 i + 7, and leaf i block i?
  bool is_implicit() const { return plane_count == 0 || planes[0].first == nullptr; }
  /// The plane where walks down an implicit tree begin: all nodes of this plane are in one chunk,
  /// and above it there is nothing but the root.
  int entry() const { return std::max(0, plane_count - 2); }

  // ---- points

  /// A block's coordinates: [axis * 8 + lane].
  template <int D>
  const T* block(std::size_t i, Axes<D> axes) const {
    return blocks + i * block_stride<T>(axes);
  }
  const T* block(std::size_t i) const { return block(i, any_axes()); }
  std::size_t points_of_block(std::size_t i) const { return std::min(kLanes, points - i * kLanes); }
  template <int D>
  void load(std::size_t position, Axes<D> axes, T* x) const {
    load_lane(block(position / kLanes, axes), position % kLanes, axes, x);
  }
  T coordinate(std::size_t position, int axis) const {
    return blocks[coordinate_at<T>(position, axis, any_axes())];
  }
  std::uint32_t index(std::size_t position) const {
    return indices_of(block(position / kLanes), any_axes())[position % kLanes];
  }

  // ---- nodes

  /// A chunk of 8 boxes: lower ends [axis * 8 + lane], upper ends [(dimension + axis) * 8 + lane].
  template <int D>
  const T* chunk(int p, std::size_t i, Axes<D> axes) const {
    return planes[p].boxes + i * chunk_stride(axes);
  }
  template <int D>
  Bounds<D, T> box(int p, std::size_t node, Axes<D> axes) const {
    return box_of_lane(chunk(p, node / kLanes, axes), node % kLanes, axes);
  }

  /// Children of a node in the plane below; the points of a leaf.
  IndexRange children(int p, std::size_t node) const {
    return planes[p].children(node, p == 0 ? points : planes[p - 1].nodes);
  }
  /// The points of a node.
  IndexRange points_of(int p, std::size_t node) const {
    return planes[p].points_of(node, p, points);
  }
};

}  // namespace kith
