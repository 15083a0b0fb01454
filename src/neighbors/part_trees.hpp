// Parts of a point set as trees that public calls take.
#pragma once

#include <memory>

#include "base/access.hpp"
#include "neighbors/parts.hpp"
#include "tree/tree_impl.hpp"

namespace kith {

/// Packed planes along the Hilbert curve as a tree.
template <class T>
AnyTree tree_of_planes(Planes<T> planes, const Frame<T>& frame, const TreeOptions& options) {
  auto impl = std::make_shared<AnyTree::Impl>();
  impl->options = options;
  impl->options.builder = Builder::packed;
  impl->options.curve = Curve::hilbert;
  impl->input_size = planes.points;
  impl->scalar = scalar_of<T>;
  impl->dimension = planes.dimension;
  impl->data = TreeData<T>{std::move(planes), frame};
  return wrap_impl<AnyTree>(std::move(impl));
}

/// The blocks of planes, which must live on, under packed planes.
template <class T>
Planes<T> borrowed_planes(const Planes<T>& from, const Workers& workers) {
  Planes<T> planes;
  planes.dimension = from.dimension;
  planes.points = from.points;
  planes.blocks = Array<T>::borrowed(from.blocks.data(), from.blocks.size());
  planes.planes = Parts<T>::packed(planes, workers);
  return planes;
}

}  // namespace kith
