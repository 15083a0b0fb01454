// Ghosts: the points of other slabs within reach of a slab's queries, as ranks have them
// (mpi/neighbors/ghosts.hpp). They are read when their slab is searched, the nearest slabs first,
// some at a time.
#pragma once

#include "base/function_ref.hpp"
#include "neighbors/far_queries.hpp"
#include "neighbors/search_job.hpp"
#include "slabs/store.hpp"

namespace kith::slabs {

/// Some of them, numbered in the order of their indices.
template <class T>
struct Ghosts {
  Planes<T> planes;
  std::vector<std::uint64_t> index;
  std::vector<double> mass;  ///< if the store has them
};

/// A slab in memory.
template <class T>
struct SlabPart {
  std::size_t slab = 0;
  Planes<T> planes;                  ///< index: the place in the slab
  std::vector<std::uint64_t> index;  ///< of the input, by place
  std::vector<double> mass;          ///< if the store has them
};

/// The members of a search among points of slabs that all searches share.
template <class T>
void set_slab_job(SearchJob<T>& job, const SlabStore<T>& store, const PlanesView<T>& source,
                  const PlanesView<T>& queries, T limit2) {
  job.source = source;
  job.queries = queries;
  job.side = store.frame.side;
  for (int axis = 0; axis < store.dimension; ++axis)
    job.is_periodic = job.is_periodic || store.frame.side[axis] > 0;
  job.is_grouped = source.points / 32 <= queries.points;
  job.limit2 = limit2;
  job.limit = static_cast<double>(limit2);
}

template <class T>
SlabPart<T> read_slab(const SlabStore<T>& store, std::size_t slab, Workers& workers);

/// Sorts the points of each slab along the curve, so that only the runs near queries are read. For
/// searches whose results do not go back to the order of the input.
template <class T>
void sort_slabs(SlabStore<T>& store, const Budget& budget, Workers& workers);

/// The queries whose ball touches a box of another slab, of those from `first` on. reach2: by
/// position; negative: no ball.
template <class T>
FarQueries<T> far_queries(const SlabStore<T>& store, const SlabPart<T>& part,
                          const Array<T>& reach2, const Workers& workers, std::size_t first = 0);

/// Calls found(ghosts) with all points of other slabs, of those from `first` on, within reach of
/// the queries, once or several times. It may shorten their reach.
template <class T>
void each_ghosts(const SlabStore<T>& store, std::size_t slab, const FarQueries<T>& far,
                 const Budget& budget, Workers& workers, FunctionRef<void(const Ghosts<T>&)> found,
                 std::size_t first = 0);

}  // namespace kith::slabs
