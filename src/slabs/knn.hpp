// The k nearest neighbors of the points of slabs, one slab after the other: what ranks do at once
// (mpi/neighbors/search.cpp).
//
// A slab is searched by itself. A row whose last d2 is below the distance to every other slab is
// final: not at equality, since a tie may have a lower index. The others look at the points of
// other slabs within their reach, and their rows are merged by (d2, index).
#pragma once

#include <functional>

#include "slabs/column.hpp"
#include "slabs/ghosts.hpp"

namespace kith::slabs {

/// A number that is computed from the row of a point: its distances and, if there are masses, those
/// of its neighbors.
template <class T>
struct Reduction {
  std::function<double(std::size_t count, const T* distance, const double* mass)> value;
  const Column* to;
};

/// Where rows go: any of these may be empty.
template <class T>
struct RowTargets {
  const Column *index = nullptr, *distance = nullptr;
  std::vector<Reduction<T>> reductions;
};

/// Bytes of the results of a point while its slab is in memory.
std::uint64_t knn_bytes(const StoredPoints& points, const KnnOptions& options, bool has_mass);

/// Index: of the indices that are written.
template <class T, class Index>
void search_slabs(const SlabStore<T>& store, const KnnOptions& options,
                  const RowTargets<T>& targets, const Budget& budget, const Execution& execution,
                  Workers& workers);

}  // namespace kith::slabs
