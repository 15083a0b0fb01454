// The condensed tree of a hierarchy, and the choice of clusters in it.
#pragma once

#include <kith/hdbscan.hpp>

#include "base/shared.hpp"
#include "clusters/hierarchy_impl.hpp"

namespace kith {

/// Throws Error for wrong options.
KITH_SHARED void check_condense_options(const CondenseOptions& options);

/// The spanning tree that HDBSCAN* condenses. Throws if there are fewer points than min_samples.
KITH_SHARED SpanningTreeOptions spanning_options(const HdbscanOptions& options, std::size_t points);

/// Goes down from the root, level by level: a merge of two parts of at least `min_weight` each is a
/// split into two clusters; a smaller part falls out of its cluster point by point. Without weights
/// every point has 1. A single point is no cluster.
CondensedTree condensed(const Hierarchy::Impl& hierarchy, double min_weight,
                        const Workers& workers);

/// The tree of the clusters of a condensed tree; cluster 0 is the root. A cluster has a
/// higher number than its parent.
struct ClusterTree {
  std::int64_t first = 0;            ///< the number of the root in the condensed tree
  std::vector<std::size_t> parent;   ///< of each cluster; the root's own number for the root
  std::vector<double> birth;         ///< lambda
  std::vector<double> stability;     ///< excess of mass
  std::vector<double> death;         ///< the largest lambda at which a point leaves it
  std::vector<double> weight;        ///< at birth: of its points, or their number
  std::vector<std::uint8_t> splits;  ///< into two clusters

  std::size_t count() const { return parent.size(); }
};
ClusterTree cluster_tree(const CondensedTree& tree, const SpanningTree::Impl& points,
                         const Workers& workers);

/// Marks the clusters that are taken.
std::vector<std::uint8_t> select_clusters(const ClusterTree& clusters,
                                          const CondenseOptions& options);

}  // namespace kith
