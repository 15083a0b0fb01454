#include "gpu/packed_tree.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "walk/device_source.hpp"

namespace kith::gpu {
namespace {

/// Planes and the room that they take.
std::vector<PlaneAt> planes_over(std::size_t points, int dimension, std::size_t& boxes,
                                 std::size_t& ranges) {
  std::vector<PlaneAt> planes;
  for (std::size_t nodes = (points + kLanes - 1) / kLanes;; nodes = (nodes + kLanes - 1) / kLanes) {
    planes.push_back({static_cast<std::uint32_t>(nodes), boxes, ranges});
    boxes += lanes_up(nodes) * 2 * static_cast<std::size_t>(dimension);
    ranges += 2 * lanes_up(nodes);
    if (nodes <= 1 && planes.size() >= 2) return planes;
  }
}

}  // namespace

template <class T>
std::size_t PackedTree<T>::bytes(int dimension, std::size_t points) {
  std::size_t boxes = 0, ranges = 0;
  planes_over(points, dimension, boxes, ranges);
  return (points + kLanes - 1) / kLanes * block_stride<T>(dimension) * sizeof(T) +
         boxes * sizeof(T) + ranges * sizeof(std::uint32_t);
}

template <class T>
PackedTree<T>::PackedTree(OpenDevice& device, int dimension, std::size_t points)
    : device_(device),
      dimension_(dimension),
      points_(points),
      planes_(planes_over(points, dimension, box_room_, range_room_)),
      blocks_(device, (points + kLanes - 1) / kLanes * block_stride<T>(dimension)),
      boxes_(device, box_room_),
      ranges_(device, range_room_) {}

template <class T>
void PackedTree<T>::fill(const Buffer<T>& rows, const Uints& order, const Uints* live) {
  const ProgramKey planes = program("planes");
  device_.launch(planes, "fill_blocks", lanes_up(points_), rows, order, live ? *live : order,
                 std::uint32_t{live != nullptr}, blocks_, std::uint64_t{points_});
  const PlaneAt& leaves = planes_[0];
  device_.launch(planes, "fill_leaves", lanes_up(leaves.nodes), blocks_, boxes_, leaves.box,
                 ranges_, leaves.range, leaves.nodes, std::uint64_t{points_});
  fill_planes_from(1);
}

template <class T>
void PackedTree<T>::fill_planes_from(int first) {
  for (int p = first; p <= top(); ++p) {
    const PlaneAt &children = plane(p - 1), &nodes = plane(p);
    device_.launch(program("planes"), "fill_nodes", lanes_up(nodes.nodes), boxes_, children.box,
                   nodes.box, ranges_, children.range, children.nodes, nodes.range, nodes.nodes);
  }
}

template <class T>
void PackedTree<T>::write(const PlanesView<T>& from) {
  if (points_ == 0) return;
  blocks_.write(from.blocks, blocks_.size());
  const int planes = std::min(from.plane_count, static_cast<int>(planes_.size()));
  for (int p = 0; p < planes; ++p) {
    const PlaneView<T>& source = from.plane(p);
    const PlaneAt& at = plane(p);
    const std::size_t room = lanes_up(at.nodes);
    boxes_.write(source.boxes, room * 2 * static_cast<std::size_t>(dimension_), at.box);
    ranges_.write(source.smallest, room, at.range);
    ranges_.write(source.largest, room, at.range + room);
  }
  fill_planes_from(planes);
}

template <class T>
void PackedTree<T>::copy_to(const AnyTree::Impl& tree) const {
  Planes<T>& planes = std::get<TreeData<T>>(tree.data).planes;
  planes.is_implicit = true;
  if (points_ == 0) return;
  Array<T> blocks(blocks_.size());
  blocks_.read(blocks.data(), blocks.size());
  for (std::size_t p = 0; p < planes_.size() && (p == 0 || planes_[p - 1].nodes > 1); ++p) {
    const PlaneAt& at = planes_[p];
    const std::size_t room = lanes_up(at.nodes);
    Plane<T> plane;
    plane.nodes = at.nodes;
    plane.boxes = Array<T>(room * 2 * static_cast<std::size_t>(dimension_));
    plane.smallest = Array<std::uint32_t>(room);
    plane.largest = Array<std::uint32_t>(room);
    boxes_.read(plane.boxes.data(), plane.boxes.size(), at.box);
    ranges_.read(plane.smallest.data(), room, at.range);
    ranges_.read(plane.largest.data(), room, at.range + room);
    planes.planes.push_back(std::move(plane));
  }
  planes.blocks = std::move(blocks);
}

template <class T>
std::shared_ptr<const PackedTree<T>> tree_on(OpenDevice& device, const AnyTree::Impl& tree) {
  using Packed = PackedTree<T>;
  if (auto origin = std::dynamic_pointer_cast<const Packed>(tree.origin);
      origin && &origin->device() == &device)
    return origin;
  DeviceCopies& copies = tree.copies;
  const std::lock_guard lock(copies.mutex);
  for (const auto& [name, copy] : copies.trees)
    if (name == device.facts().name) return std::dynamic_pointer_cast<const Packed>(copy);
  const PlanesView<T> view = DeviceSource<T>::view(tree);
  auto made = std::make_shared<Packed>(device, view.dimension, view.points);
  made->write(view);
  copies.trees.emplace_back(device.facts().name, made);
  return made;
}

template class PackedTree<float>;
template class PackedTree<double>;
template std::shared_ptr<const PackedTree<float>> tree_on(OpenDevice&, const AnyTree::Impl&);
template std::shared_ptr<const PackedTree<double>> tree_on(OpenDevice&, const AnyTree::Impl&);

}  // namespace kith::gpu
