// The points of a rank that may have friends on other ranks.
#pragma once

#include "mpi/neighbors/ghosts.hpp"

namespace kith::mpi {

/// The points in blocks that lie within a distance of the boxes of other ranks than `rank`; each
/// reaches as far as that.
template <class T>
FarQueries<T> points_near_others(const Part<T>& part, T limit2, int rank, const Workers& workers);
/// The same with a distance for each point, by position.
template <class T>
FarQueries<T> points_near_others(const Part<T>& part, const Array<T>& reach2, int rank,
                                 const Workers& workers);

}  // namespace kith::mpi
