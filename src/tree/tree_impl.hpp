// The implementation of AnyTree.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <kith/tree.hpp>

#include "base/access.hpp"
#include "base/shared.hpp"
#include "geometry/frame.hpp"
#include "tree/planes.hpp"

namespace kith {

/// Planes and the frame of their coordinates.
template <class T>
struct TreeData {
  Planes<T> planes;
  Frame<T> frame;
};

/// A tree in the memory of a device (tree/device.hpp).
class DeviceTree;

/// The copies of a tree on devices, by their names; made by the first search there.
struct DeviceCopies {
  std::mutex mutex;
  std::vector<std::pair<std::string, std::shared_ptr<const DeviceTree>>> trees;
};

class AnyTree::Impl {
 public:
  TreeOptions options;
  std::size_t input_size = 0;
  Scalar scalar = Scalar::float32;
  int dimension = 0;
  /// For a device tree only `facts` is set until `fetch()`.
  mutable std::variant<TreeData<float>, TreeData<double>> data;
  /// The memory of the arrays of `data` if they do not own it: a mapped file or a block of memory.
  std::shared_ptr<const void> storage;

  template <class T>
  const TreeData<T>& as() const {
    if (origin) fetch();
    return std::get<TreeData<T>>(data);
  }
  /// f(tree data of the right scalar type)
  template <class F>
  decltype(auto) visit(F&& f) const {
    if (origin) fetch();
    return std::visit(std::forward<F>(f), data);
  }
  /// f(tree data) of which only the number of points, the dimension and the frame may be read.
  template <class F>
  decltype(auto) facts(F&& f) const {
    return std::visit(std::forward<F>(f), data);
  }

  /// Where the tree was built, if that was on a device; its arrays come here once, when wanted.
  std::shared_ptr<const DeviceTree> origin;
  mutable std::once_flag fetched;
  KITH_SHARED void fetch() const;
  mutable DeviceCopies copies;

  /// Packed planes over the blocks of a cells tree, made once by the first search that wants them.
  template <class T>
  struct PackedPlanes {
    std::once_flag once;
    std::vector<Plane<T>> planes;
  };
  mutable PackedPlanes<float> packed_float;
  mutable PackedPlanes<double> packed_double;
};

/// The arrays of a tree of points of type T.
template <class T>
const TreeData<T>& data_of(const AnyTree& tree) {
  return impl_of(tree).as<T>();
}

}  // namespace kith
