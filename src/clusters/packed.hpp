// The planes of a packed tree over the blocks of any tree.
#pragma once

#include <vector>

#include "tree/builders.hpp"

namespace kith {

/// Those of the tree itself if it is packed, else made here.
template <class T>
class PackedTree {
 public:
  PackedTree(const Planes<T>& planes, const Workers& workers) : tree_(planes) {
    if (!planes.is_implicit) made_ = packed_planes(workers, planes);
  }
  PlanesView<T> view() const { return made_.empty() ? tree_.view() : tree_.view(made_); }

 private:
  const Planes<T>& tree_;
  std::vector<Plane<T>> made_;
};

}  // namespace kith
