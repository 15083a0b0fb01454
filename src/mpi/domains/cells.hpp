// The tree of cells over ranks (jz-tree paper, II.C and II.D).
#pragma once

#include "mpi/domains/domain.hpp"

namespace kith::mpi {

/// Rows of a rank, which are in a frame already, under planes of cells; row i has index i. The
/// cells that are too large are those of one process: ranks add up the levels of their nodes.
/// `is_in_order`: the rows of a rank come after those of the ranks before it along the curve, and
/// no leaf lies on two ranks; then the leaves are those of one process. Collective.
template <class T>
Planes<T> cells_of_rows(Call& call, const T* rows, std::size_t n, int dimension,
                        const TreeOptions& options, bool is_in_order);

}  // namespace kith::mpi
