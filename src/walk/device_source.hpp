// The planes of a tree for a copy on a device.
#pragma once

#include "base/shared.hpp"
#include "tree/tree_impl.hpp"

namespace kith {

template <class T>
struct KITH_SHARED DeviceSource {
  /// As in walk/source.hpp, visible to the other libraries of kith.
  static PlanesView<T> view(const Tree::Impl& tree);
};

}  // namespace kith
