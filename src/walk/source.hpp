// A tree as the search kernels see it.
#pragma once

#include "tree/tree_impl.hpp"

namespace kith {

/// The blocks of a tree of either builder under implicit planes. The leaves of a cells tree are
/// runs of any length, which vectors of 8 do not fit; its blocks get separate packed planes,
/// made by the first search.
template <class T>
PlanesView<T> implicit_view(const AnyTree::Impl& tree);

}  // namespace kith
