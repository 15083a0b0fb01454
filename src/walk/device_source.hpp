// The planes of a tree for a copy on a device.
#pragma once

#include "base/shared.hpp"
#include "tree/tree_impl.hpp"

namespace kith {

template <class T>
struct KITH_SHARED DeviceSource {
  /// The function of walk/source.hpp, exported to the other libraries of kith.
  static PlanesView<T> view(const AnyTree::Impl& tree);
};

}  // namespace kith
