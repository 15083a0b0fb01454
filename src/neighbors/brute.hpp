// The definition of every answer about neighbors: all pairs, no tree, no vectors.
#pragma once

#include <cstdint>
#include <vector>

#include <kith/pair_counts.hpp>
#include <kith/radius.hpp>

namespace kith {

template <class T>
struct BruteRow {
  std::vector<std::int64_t> index;
  std::vector<T> distance;
  bool operator==(const BruteRow&) const = default;
};

/// The result of knn(AnyTree(points, options), knn_options) in input order, one row per point,
/// padded to k.
template <class T>
std::vector<BruteRow<T>> brute_knn(PointsView points, const TreeOptions& options,
                                   const KnnOptions& knn_options);

/// The same for other queries.
template <class T>
std::vector<BruteRow<T>> brute_knn(PointsView points, const TreeOptions& options,
                                   PointsView queries, const KnnOptions& knn_options);

/// The result of radius(AnyTree(points, options), radius_options), one list per point, all
/// neighbors in order.
template <class T>
std::vector<BruteRow<T>> brute_radius(PointsView points, const TreeOptions& options,
                                      const RadiusOptions& radius_options);
template <class T>
std::vector<BruteRow<T>> brute_radius(PointsView points, const TreeOptions& options,
                                      PointsView queries, const RadiusOptions& radius_options);

/// The result of weighted_pair_counts; without weights, that of pair_counts.
template <class T>
std::vector<double> brute_pair_counts(PointsView receivers, PointsView sources,
                                      const TreeOptions& options, const PairWeights& weights,
                                      const PairCountOptions& pair_options);

}  // namespace kith
