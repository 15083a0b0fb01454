// HDBSCAN*: clusters of varying density from the hierarchy by mutual reachability.
#pragma once

#include <cstddef>
#include <cstdint>
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
  std::size_t min_cluster_size = 5;  ///< smaller parts that split off are not clusters
  ClusterSelection selection = ClusterSelection::eom;
  /// Do not split clusters at distances below this.
  double selection_epsilon = 0;
  bool allow_single_cluster = false;  ///< all points may be one cluster
  /// eom does not select clusters of more points; 0 = no limit. This holds for all points as one
  /// cluster, too. (hdbscan and scikit-learn count only those of its points that are in clusters
  /// into which it splits.)
  std::size_t max_cluster_size = 0;
};

struct HdbscanOptions {
  Box box = {};  ///< for points; a tree already has one
  /// The neighbor that defines core distances, counting the point itself; 0 = min_cluster_size.
  std::size_t min_samples = 0;
  CondenseOptions condense = {};
  NonFinite non_finite = NonFinite::error;  ///< for points; fixed when a tree is built
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

  std::size_t count() const { return selected.size(); }
};

/// HDBSCAN* (Campello et al. 2013, 2015) from a hierarchy: condensed tree, selection, labels,
/// probabilities and outlier scores. Cost: O(n) after the hierarchy. Errors: invalid_argument.
KITH_API HdbscanClusters condense(const Hierarchy& hierarchy, const CondenseOptions& options = {},
                                  const Execution& execution = {});

/// The same from points: core distances, spanning tree, hierarchy, condense. The result depends
/// only on points and options, not on threads or the CPU. Errors: those of spanning_tree;
/// invalid_argument for min_cluster_size below 2 or more samples than points.
KITH_API HdbscanClusters hdbscan(PointsView points, const HdbscanOptions& options = {},
                                 const Execution& execution = {});
KITH_API HdbscanClusters hdbscan(const Tree& tree, const HdbscanOptions& options = {},
                                 const Execution& execution = {});

}  // namespace kith
