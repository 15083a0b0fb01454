// A tree as the search kernels see it.
#pragma once

#include "kernels/block_view.hpp"
#include "tree/tree_impl.hpp"

namespace kith {

/// Blocks under planes of a packed tree.
template <class T>
BlockView<T> block_view(const Planes<T>& blocks, const std::vector<Plane<T>>& planes, Curve curve);

/// The blocks of a tree of either builder. The leaves of a cells tree are runs of any length, which
/// vectors of 8 do not fit; its blocks get packed planes of their own, made by the first search.
template <class T>
BlockView<T> block_view(const Tree::Impl& tree);

}  // namespace kith
