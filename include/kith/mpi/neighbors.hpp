// Neighbors, densities and pairs over MPI ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mpi.h>
#include <span>
#include <vector>

#include <kith/density.hpp>
#include <kith/mpi/domains.hpp>
#include <kith/neighbors.hpp>
#include <kith/pair_counts.hpp>
#include <kith/radius.hpp>

namespace kith::mpi {

/// The k nearest neighbors of every point, by global index: the rows of one process, bit for bit.
/// T is the scalar type of the points.
///
/// Rows: RowOrder::input, those of the points that this rank gave; RowOrder::tree, those of the
/// points that it has (Domains::global_index). Errors: as kith::knn.
template <Coordinate T = float>
KITH_API Neighbors<T, std::int64_t> knn(const Domains& domains, const KnnOptions& options,
                                        const Execution& execution = {});
/// Neighbors of other points; each rank passes some, or none, and gets their rows.
template <Coordinate T = float>
KITH_API Neighbors<T, std::int64_t> knn(const Domains& domains, PointsView queries,
                                        const KnnOptions& options, const Execution& execution = {});

/// Both steps in one call, for points that are searched only once.
template <Coordinate T = float>
Neighbors<T, std::int64_t> knn(MPI_Comm comm, PointsView points, const KnnOptions& options,
                               const DomainOptions& domains = {}, const Execution& execution = {}) {
  return knn<T>(Domains::curve(comm, points, domains, execution), options, execution);
}

/// The number of points within a radius of every point, in the order asked for. `radii`: one for
/// each point that this rank gave. Errors: as kith::radius_count.
KITH_API std::vector<std::int64_t> radius_count(const Domains& domains,
                                                const RadiusOptions& options,
                                                RowOrder order = RowOrder::input,
                                                const Execution& execution = {});
/// The same for other points.
KITH_API std::vector<std::int64_t> radius_count(const Domains& domains, PointsView queries,
                                                const RadiusOptions& options,
                                                const Execution& execution = {});

/// The points within a radius of every point, by global index; lists are always sorted.
template <Coordinate T = float>
KITH_API NeighborLists<T, std::int64_t> radius(const Domains& domains, const RadiusOptions& options,
                                               RowOrder order = RowOrder::input,
                                               const Execution& execution = {});
/// The same for other points.
template <Coordinate T = float>
KITH_API NeighborLists<T, std::int64_t> radius(const Domains& domains, PointsView queries,
                                               const RadiusOptions& options,
                                               const Execution& execution = {});

/// Distance to the k-th neighbor of every point, as kith::kth_distance; options.order says whose.
KITH_API std::vector<double> kth_distance(const Domains& domains, const KnnOptions& options,
                                          const Execution& execution = {});
/// Mean distance to the neighbors, as kith::mean_distance.
KITH_API std::vector<double> mean_distance(const Domains& domains, const KnnOptions& options,
                                           const Execution& execution = {});
/// Density from the k nearest neighbors, as kith::sph_density. `mass`: one for each point that this
/// rank gave, on all ranks or on none.
KITH_API std::vector<double> sph_density(const Domains& domains, const DensityOptions& options,
                                         RowOrder order = RowOrder::input,
                                         const Execution& execution = {});

/// A point of this rank and its neighbors; valid only during the call of a visitor.
template <Coordinate T>
struct Neighborhood {
  std::size_t position = 0;  ///< of the point in tree order
  std::int64_t i = 0;        ///< its global index
  std::span<const std::int64_t> index;
  std::span<const T> distance;
};

/// Calls visit(neighborhood) for each point that this rank has, from several threads at once. An
/// exception from the visitor on one rank becomes an Error (cancelled) on all.
template <Coordinate T = float>
KITH_API void for_each_neighborhood(const Domains& domains, const KnnOptions& options,
                                    const std::function<void(const Neighborhood<T>&)>& visit,
                                    const Execution& execution = {});

/// For each radius the number of pairs of a point of `receivers` and one of `sources`, over all
/// ranks; the same numbers on every rank. Both must have the same communicator and the same
/// box. Points within the largest finite radius are imported. Errors: as kith::pair_counts, and
/// invalid_argument for sets that differ so much in size that one of them was scaled.
KITH_API std::vector<std::int64_t> pair_counts(const Domains& receivers, const Domains& sources,
                                               const PairCountOptions& options,
                                               const Execution& execution = {});

}  // namespace kith::mpi
