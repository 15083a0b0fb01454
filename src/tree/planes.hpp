// THE data layout: builders write it; walks, kernels, files and devices read it.
//
// Points lie in tree order in blocks of 8: for each axis 8 coordinates, then 8 original indices.
// Nodes lie in planes; plane 0 holds the leaves, each node of plane p > 0 is a run of nodes of
// plane p - 1, and the last plane is one root. Boxes are tight and stored in chunks of 8
// neighboring nodes: for each axis 8 lower ends, then for each axis 8 upper ends. So one aligned
// load fetches the same axis of 8 points or 8 nodes. Unused lanes hold points that are NaN with
// index kNoIndex, and empty boxes (+inf, -inf).
//
// In a packed tree node i of plane p has the children 8 i ... 8 i + 7: nothing but boxes and
// indices is stored. In a cells tree `first` and `begin` say where children and points start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <kith/tree.hpp>

#include "base/array.hpp"
#include "tree/planes_view.hpp"

namespace kith {

/// Builders whose planes store nothing about children.
inline bool is_implicit(Builder builder) { return builder == Builder::packed; }

template <class T>
struct Plane {
  std::size_t nodes = 0;
  Array<T> boxes;                 ///< chunks of 8 nodes
  Array<std::uint32_t> smallest;  ///< original index, per node; unused lanes: kNoIndex
  Array<std::uint32_t> largest;   ///< unused lanes: 0
  Array<std::uint32_t> first;     ///< cells: first child (plane 0: first point), nodes + 1 values
  Array<std::uint32_t> begin;     ///< cells, above plane 0: first point, nodes + 1 values

  PlaneView<T> view() const {
    const Array<std::uint32_t>& points = begin.empty() ? first : begin;
    return {nodes,
            boxes.data(),
            smallest.data(),
            largest.data(),
            first.empty() ? nullptr : first.data(),
            points.empty() ? nullptr : points.data()};
  }
};

template <class T>
struct Planes {
  int dimension = 0;
  std::size_t points = 0;
  /// Node i of each plane has the children 8 i ... 8 i + 7; if not, `first` and `begin` say.
  bool is_implicit = true;
  Array<T> blocks;
  std::vector<Plane<T>> planes;

  /// The view of this tree that all code but its builders uses.
  PlanesView<T> view() const { return view(planes); }
  /// The same points under other planes.
  PlanesView<T> view(const std::vector<Plane<T>>& over) const {
    PlanesView<T> view{dimension, static_cast<int>(over.size()), points, blocks.data()};
    for (std::size_t i = 0; i < over.size(); ++i) view.planes[i] = over[i].view();
    return view;
  }

  static std::size_t lanes_up(std::size_t n) { return kith::lanes_up(n); }
  std::size_t block_count() const { return (points + kLanes - 1) / kLanes; }
  std::size_t block_stride() const { return kith::block_stride<T>(axes()); }

  /// A block's coordinates: [axis * 8 + lane].
  T* block(std::size_t i) const { return blocks.data() + i * block_stride(); }
  std::uint32_t* block_index(std::size_t i) const {
    return const_cast<std::uint32_t*>(indices_of<kAnyDimension, T>(block(i), axes()));
  }
  T& coordinate(std::size_t point, int axis) const {
    return blocks[coordinate_at<T>(point, axis, axes())];
  }
  std::uint32_t& index(std::size_t point) const {
    return block_index(point / kLanes)[point % kLanes];
  }

  /// A chunk of 8 boxes: lower ends [axis * 8 + lane], upper ends [(dimension + axis) * 8 + lane].
  T* chunk(const Plane<T>& plane, std::size_t i) const {
    return plane.boxes.data() + i * chunk_stride(axes());
  }
  T& lower(const Plane<T>& plane, std::size_t node, int axis) const {
    return plane.boxes[lower_at(node, axis, axes())];
  }
  T& upper(const Plane<T>& plane, std::size_t node, int axis) const {
    return plane.boxes[upper_at(node, axis, axes())];
  }

  /// The same functions as in PlanesView.
  IndexRange children(int plane, std::size_t node) const {
    const auto p = static_cast<std::size_t>(plane);
    return planes[p].view().children(node, p == 0 ? points : planes[p - 1].nodes);
  }
  IndexRange points_of(int plane, std::size_t node) const {
    return planes[static_cast<std::size_t>(plane)].view().points_of(node, plane, points);
  }

  std::size_t memory() const {
    std::size_t bytes = blocks.bytes();
    for (const Plane<T>& plane : planes)
      bytes += plane.boxes.bytes() + plane.smallest.bytes() + plane.largest.bytes() +
               plane.first.bytes() + plane.begin.bytes();
    return bytes;
  }

 private:
  Axes<kAnyDimension> axes() const { return Axes<kAnyDimension>(dimension); }
};

}  // namespace kith
