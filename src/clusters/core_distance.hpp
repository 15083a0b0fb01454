// Squared core distances: how far the k-th nearest point is, the point itself included.
#pragma once

#include <kith/tree.hpp>

#include "base/array.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// By position in the tree, whole blocks, infinite in unused lanes; in the tree's frame. k is at
/// most the number of points.
template <class T>
Array<T> core_distances2(const AnyTree& tree, std::size_t k, Workers& workers);

}  // namespace kith
