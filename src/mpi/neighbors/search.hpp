// Neighbors of a rank's queries among the points of all ranks.
//
// The own tree is searched first. A query whose k-th neighbor is nearer than any box of another
// rank is done. The others form a subset; the points within their reach are imported, and their
// rows are merged from the own points and the imported ones by (d2, global index).
//
// Norms other than the Euclidean one have keys of another type, and lengths alone do not decide
// ties. For them a query near an edge also imports its rank's own points, all that a Euclidean
// sphere around its ball holds, and is searched for once more among these.
#pragma once

#include <cmath>
#include <limits>

#include <kith/mpi.hpp>

#include "geometry/norms.hpp"
#include "mpi/neighbors/ghosts.hpp"
#include "neighbors/search_job.hpp"

namespace kith::mpi {

/// The options of searches for the k nearest that all ranks must pass alike.
inline void agree_on_nearest(Call& call, const KnnOptions& options) {
  call.same().add("k", std::uint64_t{options.k});
  call.same().add("max_radius", options.max_radius);
  call.same().add("p", options.p);
  call.same().add("strict", std::uint64_t{options.strict});
  call.same().add("exclude_self", std::uint64_t{options.exclude_self});
  call.same().add("order", name_of(options.order));
}

/// Of points, in the rows that callers get.
using Index = std::int64_t;

/// The neighbors of one query.
template <class T>
struct Row {
  std::size_t position = 0;  ///< of the query, in the order of its tree
  std::size_t count = 0;
  const std::uint32_t* point =
      nullptr;            ///< local index, or points of this rank + number of a ghost
  const T* d2 = nullptr;  ///< for p other than 2 distances, see Sources::distance
};

/// Points of this rank, and those that were imported, under one numbering.
template <class T>
struct Sources {
  const Part<T>& part;
  Ghosts<T> ghosts;
  const double* value = nullptr;  ///< of local points
  double p = 2;                   ///< the norm

  std::size_t own() const { return part.global.size(); }
  std::uint64_t global(std::uint32_t point) const {
    return point < own() ? part.global[point] : ghosts.global[point - own()];
  }
  double value_of(std::uint32_t point) const {
    return point < own() ? value[point] : ghosts.value[point - own()];
  }
  T unscale() const { return std::ldexp(T(1), -part.frame.exponent); }
  bool is_euclidean() const { return p == 2; }
  /// The distance that callers get for a number of a row.
  T distance(T of_row) const { return is_euclidean() ? std::sqrt(of_row) * unscale() : of_row; }
  void distances(const Row<T>& row, T* to) const {
    if (!is_euclidean()) return static_cast<void>(std::copy_n(row.d2, row.count, to));
    const T factor = unscale();
    for (std::size_t i = 0; i < row.count; ++i) to[i] = std::sqrt(row.d2[i]) * factor;
  }

  /// The square of a Euclidean radius, in the frame, that holds a ball of the norm with this radius
  /// of the caller, or with this distance of a row.
  ///
  /// Let S be the exact sum of the p-th powers of a point's differences, and u half an epsilon. Its
  /// key is off by 96 u and by kTiny subnormal numbers at most (norms.hpp), a distance by 18 u. As
  /// (a + b)^(1/p) <= a^(1/p) + b^(1/p), S^(1/p) <= r (1 + 114 u) + kTiny^(1/p). By Hoelder, the
  /// sum of squares is at most stretch2 S^(2/p). Its bits are off by 33 u, those here by 8 u: in
  /// all 269 u, less than 256 epsilon, and half a subnormal number for each of 32 axes, twice.
  T sphere2(T radius) const {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    constexpr double kTiny = 1024 * std::numeric_limits<double>::denorm_min();
    const double dimension = part.planes.dimension;
    const double stretch2 = p > 2 ? std::pow(dimension, 1 - 2 / p) : 1;
    // Subnormal distances are off by half a unit.
    T r = std::ldexp(std::nextafter(radius, kInfinity), part.frame.exponent);
    const double key = with_norm<T>(p, [&](const auto& norm) { return double(norm.key_of(r)); });
    if (std::isinf(key)) return kInfinity;  // keys that overflow are equal
    if (p > 1 && std::isfinite(p)) r += static_cast<T>(std::pow(kTiny, 1 / p));
    return r * r * static_cast<T>(stretch2) * (1 + 256 * std::numeric_limits<T>::epsilon()) +
           64 * std::numeric_limits<T>::denorm_min();
  }
};

template <class T>
using Deliver = FunctionRef<void(const Row<T>&)>;

/// A search in `source` with the fields that all searches share.
template <class T, class Job>
Job job_in(const Sources<T>& sources, const PlanesView<T>& source, const PlanesView<T>& queries) {
  const Part<T>& part = sources.part;
  Job job;
  job.source = source;
  job.queries = queries;
  job.is_hilbert = true;
  job.side = part.frame.side;
  for (int axis = 0; axis < part.planes.dimension; ++axis)
    job.is_periodic = job.is_periodic || part.frame.side[axis] > 0;
  job.in_tree_order = true;
  job.p = sources.p;
  job.wants_d2 = sources.is_euclidean();
  job.unscale = sources.unscale();
  return job;
}

/// Delivers the k nearest neighbors of every query, from several threads at once. Collective.
template <class T>
void search_knn(Call& call, const Queries<T>& asked, const KnnOptions& options, Sources<T>& sources,
                Deliver<T> deliver);
/// The same as rows of global indices and distances, by position.
template <class T>
void search_knn(Call& call, const Queries<T>& asked, const KnnOptions& options, Sources<T>& sources,
                NeighborRows<T, std::int64_t> rows);

/// Balls around the queries: one limit for all, or one for each position. For p other than 2,
/// `limit2` and `limits2` are those of spheres around them.
template <class T>
struct Balls {
  T limit2 = 0;
  const T* limits2 = nullptr;
  double limit = 0;                ///< of keys, for p other than 2
  const double* limits = nullptr;  ///< by index of the query
  bool exclude_self = false;
  std::size_t max_neighbors = 0;
  T limit_of(std::size_t position) const { return limits2 ? limits2[position] : limit2; }
};

template <class T>
struct OwnLists;

/// A search within balls: ghosts are imported once, then it may run several times.
template <class T>
class BallSearch {
 public:
  /// Collective.
  BallSearch(Call& call, const Queries<T>& asked, const Balls<T>& balls, Sources<T>& sources);

  /// The number of neighbors of each query, by position.
  std::vector<std::int64_t> count(Workers& workers) const;
  /// Delivers the neighbors of every query, the nearest first; those of queries without any may be
  /// left out.
  void search(Workers& workers, Deliver<T> deliver) const;

 private:
  void prepare(int rank, Workers& workers);
  void number_queries(const Workers& workers);
  RadiusJob<T> own_job(const PlanesView<T>& queries) const;
  RadiusJob<T> ghost_job() const;
  OwnLists<T> own_lists(Workers& workers) const;
  void search_far(Workers& workers, Deliver<T> deliver) const;

  const Queries<T>& asked_;
  Balls<T> balls_;
  Sources<T>& sources_;
  FarQueries<T> far_;
  Array<T> limits2_;            ///< by index of the query; empty: one for all
  Array<std::uint8_t> is_far_;  ///< by position
  Planes<T> numbered_;          ///< the far queries with new numbers as indices
  Array<double> ghost_limits_;  ///< of keys, by these numbers
};

/// The same blocks and planes with indices 0, 1, 2, ... in tree order.
template <class T>
Planes<T> renumbered(const Planes<T>& planes, const Workers& workers);
/// The far queries, numbered for the search among ghosts. Where ghosts contain the own points, the
/// index of a query that is one of them is its number there.
template <class T>
Planes<T> number_far_queries(const Sources<T>& sources, const Queries<T>& asked,
                             const Planes<T>& queries, const Workers& workers);

/// Merges two rows by (d2, global index); keeps at most `most`.
template <class T>
struct MergedRow {
  std::vector<std::uint32_t> point;
  std::vector<T> d2;

  void merge(const Sources<T>& sources, const Row<T>& own, const Row<T>& ghosts, std::size_t most);
};

}  // namespace kith::mpi
