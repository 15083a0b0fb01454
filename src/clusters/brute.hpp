// Clusters, memberships and scores by their definitions: every pair of points is visited.
#pragma once

#include <cstdint>
#include <vector>

#include <kith/clusters.hpp>
#include <kith/hdbscan.hpp>
#include <kith/spanning_tree.hpp>
#include <kith/validity.hpp>

namespace kith {

struct BruteClusters {
  std::vector<std::int32_t> label;    ///< per input point
  std::vector<std::uint8_t> is_core;  ///< per input point
  std::vector<std::int64_t> size;     ///< per cluster
};

/// The result that dbscan must return, in O(n^2) time.
BruteClusters brute_dbscan(const PointsView& points, const DbscanOptions& options);

struct BruteEdge {
  double length2;  ///< in the frame of the tree
  std::size_t low, high;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14
  auto operator<=>(const BruteEdge&) const = default;
};

/// The result that spanning_tree must return: Kruskal over all pairs, in O(n^2 log n) time.
std::vector<BruteEdge> brute_spanning_tree(const PointsView& points,
                                           const SpanningTreeOptions& options);

/// The rows that memberships must return, of the points and of new ones, which are of the magnitude
/// of the points. `options` are those of the clusters; min_samples is given.
std::vector<double> brute_memberships(const PointsView& points, const HdbscanOptions& options,
                                      const HdbscanClusters& clusters);
std::vector<double> brute_memberships(const PointsView& points, const HdbscanOptions& options,
                                      const HdbscanClusters& clusters, const PointsView& queries);

/// The result that dbcv must return, in O(n^3) time.
Dbcv brute_dbcv(const PointsView& points, std::span<const std::int32_t> label);

}  // namespace kith
