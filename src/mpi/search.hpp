// Neighbors of a rank's queries among the points of all ranks.
//
// The own tree is searched first. A query whose k-th neighbor is nearer than any box of another
// rank is done. The others form a subset; what lies within their reach is imported, and their rows
// are merged from the own points and the imported ones by (d2, global index).
#pragma once

#include <cmath>

#include <kith/mpi.hpp>

#include "mpi/ghosts.hpp"
#include "neighbors/search_job.hpp"

namespace kith::mpi {

/// The neighbors of one query.
template <class T>
struct Row {
  std::size_t position = 0;  ///< of the query, in the order of its tree
  std::size_t count = 0;
  const std::uint32_t* point =
      nullptr;  ///< local index, or points of this rank + number of a ghost
  const T* d2 = nullptr;
};

/// Points of this rank, and those that were imported, under one numbering.
template <class T>
struct Sources {
  const Part<T>& part;
  Ghosts<T> ghosts;
  const double* value = nullptr;  ///< of local points

  std::size_t own() const { return part.global.size(); }
  std::uint64_t global(std::uint32_t point) const {
    return point < own() ? part.global[point] : ghosts.global[point - own()];
  }
  double value_of(std::uint32_t point) const {
    return point < own() ? value[point] : ghosts.value[point - own()];
  }
  T unscale() const { return std::ldexp(T(1), -part.frame.exponent); }
};

template <class T>
using Deliver = FunctionRef<void(const Row<T>&)>;

/// What all searches in `source` have in common.
template <class T, class Job>
Job job_in(const Part<T>& part, const PlanesView<T>& source, const PlanesView<T>& queries) {
  Job job;
  job.source = source;
  job.queries = queries;
  job.is_hilbert = true;
  job.side = part.frame.side;
  for (int axis = 0; axis < part.planes.dimension; ++axis)
    job.is_periodic = job.is_periodic || part.frame.side[axis] > 0;
  job.in_tree_order = true;
  job.wants_d2 = true;
  return job;
}

/// Delivers the k nearest neighbors of every query, from several threads at once. Collective.
template <class T>
void search_knn(Call& call, const Asked<T>& asked, const KnnOptions& options, Sources<T>& sources,
                Deliver<T> deliver);
/// The same as rows of global indices and distances, by position.
template <class T>
void search_knn(Call& call, const Asked<T>& asked, const KnnOptions& options, Sources<T>& sources,
                NeighborRows<T, std::int64_t> rows);

/// Balls around the queries: one limit for all, or one for each position.
template <class T>
struct Balls {
  T limit2 = 0;
  const T* limits2 = nullptr;
  bool exclude_self = false;
  std::size_t max_neighbors = 0;
  T limit_of(std::size_t position) const { return limits2 ? limits2[position] : limit2; }
};

/// A search within balls: what it needs is imported first, then it may run several times.
template <class T>
class BallSearch {
 public:
  /// Collective.
  BallSearch(Call& call, const Asked<T>& asked, const Balls<T>& balls, Sources<T>& sources);

  /// The number of neighbors of each query, by position.
  std::vector<std::int64_t> count(Workers& workers) const;
  /// Delivers the neighbors of every query, the nearest first; those of queries without any may be
  /// left out.
  void search(Workers& workers, Deliver<T> deliver) const;

 private:
  void prepare(int rank, Workers& workers);
  RadiusJob<T> own_job(const PlanesView<T>& queries) const;
  RadiusJob<T> ghost_job() const;
  void search_far(Workers& workers, Deliver<T> deliver) const;

  const Asked<T>& asked_;
  Balls<T> balls_;
  Sources<T>& sources_;
  Reaching<T> far_;
  Array<T> limits2_;            ///< by index of the query; empty: one for all
  Array<std::uint8_t> is_far_;  ///< by position
  Planes<T> numbered_;          ///< the far queries with their own numbers as indices
};

/// The same blocks and planes with indices 0, 1, 2, ... in tree order.
template <class T>
Planes<T> renumbered(const Planes<T>& planes, const Workers& workers);

/// Merges two rows by (d2, global index); keeps at most `most`.
template <class T>
struct MergedRow {
  std::vector<std::uint32_t> point;
  std::vector<T> d2;

  void merge(const Sources<T>& sources, const Row<T>& own, const Row<T>& ghosts, std::size_t most);
};

}  // namespace kith::mpi
