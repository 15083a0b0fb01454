// HDBSCAN*: clusters of varying density from the hierarchy by mutual reachability.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kith/box.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/hierarchy.hpp>
#include <kith/points.hpp>
#include <kith/tree.hpp>

namespace kith {

/// Which clusters of the condensed tree are selected.
enum class ClusterSelection {
  eom,   ///< those with the largest total stability (excess of mass)
  leaf,  ///< those that do not split further
};

constexpr const char* name(ClusterSelection selection) {  ///< "eom"
  return selection == ClusterSelection::eom ? "eom" : "leaf";
}

/// How clusters are selected from a hierarchy.
struct CondenseOptions {
  /// Smaller parts that split off are not clusters. With weights, this is the sum of the weights.
  std::size_t min_cluster_size = 5;
  double min_cluster_weight = 0;  ///< instead, if it is not a whole number; 0 = min_cluster_size
  ClusterSelection selection = ClusterSelection::eom;
  /// Do not split clusters at distances below this.
  double selection_epsilon = 0;
  bool allow_single_cluster = false;  ///< all points may be one cluster
  /// eom does not select clusters of more points; 0 = no limit. This holds for all points as one
  /// cluster as well. (hdbscan and scikit-learn count only those of its points that are in clusters
  /// into which it splits.)
  std::size_t max_cluster_size = 0;
};

struct HdbscanOptions {
  Box box = {};  ///< for points; a tree already has one
  /// The neighbor that defines core distances, counting the point itself; 0 = min_cluster_size.
  std::size_t min_samples = 0;
  CondenseOptions condense = {};
  NonFinite non_finite = NonFinite::error;  ///< for points; fixed when a tree is built
  /// Positive, one per point; empty: 1 each. A point of weight w counts w times, in core distances
  /// and in the sizes of clusters: with whole weights, labels and probabilities are those of points
  /// that are repeated as often.
  std::span<const double> sample_weight = {};
};

/// The condensed tree: which points and clusters leave each cluster as the density grows. Numbers
/// below Hierarchy::input_size() are points, the others clusters, the root first. Rows are in the
/// order in which clusters are split, from the root down, level by level. Of the two parts of a
/// split the first is the one that Prim's algorithm, started at the first point, reaches first: the
/// one on the near side of the edge between them, seen from there along the spanning tree. This is
/// the order of scikit-learn.
struct CondensedTree {
  std::vector<std::int64_t> parent;  ///< the cluster
  std::vector<std::int64_t> child;   ///< a point or a cluster that leaves it
  std::vector<double> lambda;        ///< the density at which it leaves: 1 / length of the merge
  std::vector<std::int64_t> size;    ///< the number of points of the child
  /// The weight of the child; empty without weights. A point of weight w > 1 has two rows: one for
  /// itself, of weight 1, and one of size 0 for its other copies, of weight w - 1.
  std::vector<double> weight = {};

  std::size_t rows() const { return parent.size(); }
};

/// Clusters, numbered in the order of the condensed tree, as in scikit-learn.
struct HdbscanClusters {
  std::vector<std::int32_t> label;     ///< per input point; -1 for noise and dropped points
  std::vector<double> probability;     ///< per input point: membership from 0 (noise) to 1
  std::vector<double> outlier_score;   ///< per input point, 0 to 1 (GLOSH)
  std::vector<std::int64_t> selected;  ///< per cluster: its number in the condensed tree
  std::vector<double> stability;       ///< per cluster: its excess of mass
  CondensedTree condensed_tree;
  double selection_epsilon = 0;  ///< of the options

  std::size_t count() const { return selected.size(); }
};

/// HDBSCAN* (Campello et al. 2013, 2015) from a hierarchy: condensed tree, selection, labels,
/// probabilities and outlier scores. Cost: O(n) after the hierarchy. Errors: invalid_argument.
KITH_API HdbscanClusters condense(const Hierarchy& hierarchy, const CondenseOptions& options = {},
                                  const Execution& execution = {});

/// All steps from points: core distances, spanning tree, hierarchy, condense. The result depends
/// only on points and options, not on threads or the CPU. Errors: those of spanning_tree;
/// invalid_argument for min_cluster_size below 2 or more samples than points.
KITH_API HdbscanClusters hdbscan(PointsView points, const HdbscanOptions& options = {},
                                 const Execution& execution = {});
KITH_API HdbscanClusters hdbscan(const AnyTree& tree, const HdbscanOptions& options = {},
                                 const Execution& execution = {});

/// Clusters of new points, one per query; -1 for noise.
struct HdbscanPrediction {
  std::vector<std::int32_t> label;
  std::vector<double> probability;
};

/// Where new points would fall in clusters that exist: the clusters do not change.
///
/// Let c be the distance within which the points of the tree around the query, or their weights,
/// add up to min_samples. The query is tied to the point p with the least max(c, core distance of
/// p, distance to p), of equal ones the first in the order of (distance, index), at the density
/// lambda = 1 / that. It belongs to the cluster that p leaves, or, if p leaves it at a larger
/// lambda, to the smallest cluster around that was born before lambda. Its label and probability
/// are those of a point that leaves this cluster at lambda. This is approximate_predict of hdbscan,
/// which looks for p among the nearest 2 min_samples points only. A query at the place of a point
/// gets the label of the first point there.
///
/// `tree` has the points of the hierarchy, `clusters` are made from it. Cost: a search for a few
/// times min_samples neighbors. Errors: invalid_argument for a tree of other points; those of knn.
KITH_API HdbscanPrediction predict(const AnyTree& tree, const Hierarchy& hierarchy,
                                   const HdbscanClusters& clusters, PointsView points,
                                   const Execution& execution = {});

}  // namespace kith
