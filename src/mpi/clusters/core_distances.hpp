// Squared core distances over ranks: how far the k-th nearest point of all ranks is, the point
// itself included, or the points whose weights add up to k.
#pragma once

#include "mpi/domains/domain.hpp"

namespace kith::mpi {

/// By position, whole blocks, infinite in unused lanes; in the frame. `weight`: by local index, or
/// null. Throws Error if there are fewer than k points, or all weights do not add up to k.
/// Collective.
template <class T>
Array<T> core_distances_of_ranks(Call& call, const Domains::Impl& domains, std::size_t k,
                                 const double* weight);

}  // namespace kith::mpi
