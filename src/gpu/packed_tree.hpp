// A packed tree in the memory of a device: the layout of tree/planes.hpp in three flat arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/steps.hpp"
#include "tree/device.hpp"
#include "tree/planes_view.hpp"

namespace kith::gpu {

/// Where a plane is in the arrays of boxes and ranges.
struct PlaneAt {
  std::uint32_t nodes = 0;
  std::uint64_t box = 0;    ///< first scalar
  std::uint64_t range = 0;  ///< first smallest index; the largest ones follow
};

/// Walks end at receivers and sources of 64 points, so plane 1 is always there, even for the few
/// points for which the CPU's tree ends with plane 0.
template <class T>
class PackedTree : public DeviceTree {
 public:
  PackedTree(OpenDevice& device, int dimension, std::size_t points);

  /// All planes from the points in their order; live: the original index of each row, or empty.
  void fill(const Buffer<T>& rows, const Uints& order, const Uints* live);
  /// The arrays of a tree of the host.
  void write(const PlanesView<T>& from);

  void copy_to(const AnyTree::Impl& tree) const override;

  OpenDevice& device() const { return device_; }
  int dimension() const { return dimension_; }
  std::size_t points() const { return points_; }
  std::uint32_t block_count() const { return planes_[0].nodes; }
  const Buffer<T>& blocks() const { return blocks_; }
  const Buffer<T>& boxes() const { return boxes_; }
  const Uints& ranges() const { return ranges_; }
  int top() const { return static_cast<int>(planes_.size()) - 1; }
  const PlaneAt& plane(int p) const { return planes_[static_cast<std::size_t>(p)]; }

  ProgramKey program(std::string_view file, int k = 0) const {
    return {file, sizeof(T) == 8, dimension_, k};
  }

  /// Bytes of a tree.
  static std::size_t bytes(int dimension, std::size_t points);

 private:
  void fill_planes_from(int plane);

  OpenDevice& device_;
  int dimension_;
  std::size_t points_;
  std::size_t box_room_ = 0, range_room_ = 0;  // counted by the planes, which come after them
  std::vector<PlaneAt> planes_;
  Buffer<T> blocks_, boxes_;
  Uints ranges_;
};

/// Points checked, in a frame, along a curve, under planes. Sets the facts.
template <class T>
std::shared_ptr<PackedTree<T>> build_tree(OpenDevice& device, const DeviceInput<T>& input,
                                          TreeData<T>& facts, Workers& workers);

/// The tree on the device: where it was built, or a copy that is made once.
template <class T>
std::shared_ptr<const PackedTree<T>> tree_on(OpenDevice& device, const AnyTree::Impl& tree);

}  // namespace kith::gpu
