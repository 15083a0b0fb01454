#include <algorithm>

#include "parallel/grains.hpp"
#include "tree/boxes.hpp"
#include "tree/builders.hpp"

namespace kith {
namespace {

template <class T>
T least(const T* lanes) {
  T value = lanes[0];
  for (std::size_t i = 1; i < kLanes; ++i) value = lanes[i] < value ? lanes[i] : value;
  return value;
}

template <class T>
T most(const T* lanes) {
  T value = lanes[0];
  for (std::size_t i = 1; i < kLanes; ++i) value = lanes[i] > value ? lanes[i] : value;
  return value;
}

/// The boxes of 8 full blocks make one chunk of leaves; NaN lanes never win a comparison with lane
/// 0.
template <class T>
void fill_leaves(const Planes<T>& planes, const Plane<T>& leaves, std::size_t begin,
                 std::size_t end) {
  for (std::size_t node = begin; node < end; ++node) {
    const T* block = planes.block(node);
    for (int axis = 0; axis < planes.dimension; ++axis) {
      planes.lower(leaves, node, axis) = least(block + static_cast<std::size_t>(axis) * kLanes);
      planes.upper(leaves, node, axis) = most(block + static_cast<std::size_t>(axis) * kLanes);
    }
    const std::uint32_t* index = planes.block_index(node);
    leaves.smallest[node] = least(index);  // kNoIndex in unused lanes is the largest number
    leaves.largest[node] =
        *std::max_element(index, index + std::min(kLanes, planes.points - node * kLanes));
  }
}

template <class T>
void fill_nodes(const Planes<T>& planes, const Plane<T>& children, const Plane<T>& nodes,
                std::size_t begin, std::size_t end) {
  for (std::size_t node = begin; node < end; ++node) {
    const T* chunk = planes.chunk(children, node);
    for (int axis = 0; axis < planes.dimension; ++axis) {
      planes.lower(nodes, node, axis) = least(chunk + static_cast<std::size_t>(axis) * kLanes);
      planes.upper(nodes, node, axis) =
          most(chunk + static_cast<std::size_t>(planes.dimension + axis) * kLanes);
    }
    nodes.smallest[node] = least(children.smallest.data() + node * kLanes);
    nodes.largest[node] = most(children.largest.data() + node * kLanes);
  }
}

}  // namespace

template <class T>
std::vector<Plane<T>> packed_planes(const Workers& workers, const Planes<T>& points) {
  std::vector<Plane<T>> planes;
  for (std::size_t nodes = points.block_count(); nodes > 0;) {
    Plane<T> plane = make_plane<T>(nodes, points.dimension, workers);
    workers.for_ranges(nodes, kNodeGrain, [&](std::size_t begin, std::size_t end) {
      if (planes.empty())
        fill_leaves(points, plane, begin, end);
      else
        fill_nodes(points, planes.back(), plane, begin, end);
    });
    pad_last_chunk(points, plane);
    planes.push_back(std::move(plane));
    if (nodes == 1) break;
    nodes = (nodes + kLanes - 1) / kLanes;
  }
  return planes;
}

template <class T>
void build_packed(const Workers& workers, Planes<T>& planes) {
  planes.is_implicit = true;
  planes.planes = packed_planes(workers, planes);
}

template void build_packed(const Workers&, Planes<float>&);
template void build_packed(const Workers&, Planes<double>&);
template std::vector<Plane<float>> packed_planes(const Workers&, const Planes<float>&);
template std::vector<Plane<double>> packed_planes(const Workers&, const Planes<double>&);

}  // namespace kith
