// The implementation of Hierarchy.
#pragma once

#include <kith/hierarchy.hpp>

#include "base/access.hpp"
#include "clusters/dendrogram.hpp"
#include "clusters/spanning_tree_impl.hpp"

namespace kith {

class Hierarchy::Impl {
 public:
  explicit Impl(const SpanningTree& spanning) : tree(spanning) {}
  SpanningTree tree;
  Dendrogram dendrogram;

  std::size_t points() const { return tree.input_size(); }  ///< nodes before the first merge
  std::size_t merges() const { return tree.size(); }
  /// The points of a node.
  std::size_t size(std::size_t node) const {
    return node < points() ? 1 : dendrogram.size[node - points()];
  }
  double length(std::size_t merge) const {
    return impl_of(tree).visit(
        [&](const auto& length2) { return impl_of(tree).length(length2[merge]); });
  }
};

}  // namespace kith
