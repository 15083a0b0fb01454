// What a Tree holds.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include <kith/tree.hpp>

#include "geometry/frame.hpp"
#include "tree/planes.hpp"

namespace kith {

/// Planes and the frame of their coordinates.
template <class T>
struct TreeData {
  Planes<T> planes;
  Frame<T> frame;
};

class Tree::Impl {
 public:
  TreeOptions options;
  std::size_t input_size = 0;
  Scalar scalar = Scalar::float32;
  int dimension = 0;
  std::variant<TreeData<float>, TreeData<double>> data;
  /// Where the arrays of `data` lie if they are not their own: a mapped file or a block of memory.
  std::shared_ptr<const void> storage;

  template <class T>
  const TreeData<T>& as() const {
    return std::get<TreeData<T>>(data);
  }
  /// f(tree data of the right scalar type)
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), data);
  }

  /// Packed planes over the blocks of a cells tree, made once by the first search that wants them.
  template <class T>
  struct PackedPlanes {
    std::once_flag once;
    std::vector<Plane<T>> planes;
  };
  mutable PackedPlanes<float> packed_float;
  mutable PackedPlanes<double> packed_double;
};

}  // namespace kith
