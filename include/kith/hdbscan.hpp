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

/// Which clusters of the condensed tree are taken.
enum class ClusterSelection {
  eom,   ///< those of the largest total stability (excess of mass)
  leaf,  ///< those that split no further
};

constexpr const char* name(ClusterSelection selection) {  ///< "eom"
  return selection == ClusterSelection::eom ? "eom" : "leaf";
}

/// What is made of a hierarchy.
struct CondenseOptions {
  std::size_t min_cluster_size = 5;  ///< smaller parts are points that fall out of a cluster
  ClusterSelection selection = ClusterSelection::eom;
  /// Clusters that split off at a shorter distance than this are not taken apart.
  double selection_epsilon = 0;
  bool allow_single_cluster = false;  ///< all points may be one cluster
  std::size_t max_cluster_size = 0;   ///< larger clusters are not taken by eom; 0 = no limit
};

struct HdbscanOptions {
  Box box = {};                 ///< for points; a tree knows its own
  std::size_t min_samples = 0;  ///< core distances are to this neighbor, the point itself the
                                ///< first; 0 = min_cluster_size
  CondenseOptions condense = {};
  NonFinite non_finite = NonFinite::error;  ///< for points; a tree has decided already
};

/// The condensed tree: what leaves each cluster as the density grows. Clusters are numbered from
/// Hierarchy::input_size() on, the root first; lower numbers are points. Rows are in the order in
/// which clusters are split, from the root down.
struct CondensedTree {
  std::vector<std::int64_t> parent;  ///< the cluster
  std::vector<std::int64_t> child;   ///< a point or a cluster that leaves it
  std::vector<double> lambda;        ///< at this density: 1 / length of the merge; infinite for 0
  std::vector<std::int64_t> size;    ///< points of the child

  std::size_t rows() const { return parent.size(); }
};

/// Clusters are numbered in the order of the condensed tree, as hdbscan and scikit-learn do.
struct HdbscanClusters {
  std::vector<std::int32_t> label;     ///< per input point; -1 for noise and dropped points
  std::vector<double> probability;     ///< per input point, 0 to 1: how long it stays; 0 for noise
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

/// The same from points: core distances, spanning tree, hierarchy, condense. The result depends on
/// points and options alone, never on threads or the CPU. Errors: those of spanning_tree;
/// invalid_argument for min_cluster_size below 2 or more samples than points.
KITH_API HdbscanClusters hdbscan(PointsView points, const HdbscanOptions& options = {},
                                 const Execution& execution = {});
KITH_API HdbscanClusters hdbscan(const Tree& tree, const HdbscanOptions& options = {},
                                 const Execution& execution = {});

}  // namespace kith
