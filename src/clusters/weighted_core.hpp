// Squared core distances of points with weights.
#pragma once

#include <span>

#include <kith/tree.hpp>

#include "base/array.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// The least squared distance within which the weights, the point's own included, add up to
/// `least`, without rounding. By position, whole blocks, infinite in unused lanes, as
/// core_distances2. `weight` is positive, one per input point. Throws Error (invalid_argument) if
/// all weights together do not reach `least`.
template <class T>
Array<T> weighted_core_distances2(const AnyTree& tree, std::span<const double> weight,
                                  std::size_t least, Workers& workers);

}  // namespace kith
