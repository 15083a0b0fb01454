#include <algorithm>
#include <cmath>

#include <kith/hdbscan.hpp>

#include "base/fail.hpp"
#include "clusters/condense.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"
#include "tree/input.hpp"

namespace kith {
namespace {

void check(const CondenseOptions& options) {
  if (options.min_cluster_size < 2)
    refuse("hdbscan: min_cluster_size = {}; a cluster has at least 2 points",
           options.min_cluster_size);
  if (!(options.selection_epsilon >= 0 && std::isfinite(options.selection_epsilon)))
    refuse("hdbscan: selection_epsilon = {}; give a finite length of 0 or more",
           options.selection_epsilon);
}

/// From the clusters that are taken to what is said of every point.
class Labelling {
 public:
  Labelling(const CondensedTree& tree, const ClusterTree& clusters,
            const std::vector<std::uint8_t>& is_taken, const CondenseOptions& options)
      : tree_(tree), clusters_(clusters), options_(options), taken_(clusters.count(), kNone) {
    for (std::size_t c = 0; c < clusters.count(); ++c) {
      if (is_taken[c]) {
        taken_[c] = static_cast<std::int32_t>(selected_.size());
        selected_.push_back(c);
      } else if (c > 0) {
        taken_[c] = taken_[clusters.parent[c]];
      }
    }
    is_root_alone_ = selected_.size() == 1 && selected_[0] == 0;
  }

  void fill(HdbscanClusters& out, const Workers& workers) const {
    const std::vector<double> deepest = deepest_lambdas();
    for_each_in_order(workers, tree_.rows(), [&](std::size_t row) {
      if (tree_.child[row] >= clusters_.first) return;
      const auto point = static_cast<std::size_t>(tree_.child[row]);
      const auto cluster = static_cast<std::size_t>(tree_.parent[row] - clusters_.first);
      const double lambda = tree_.lambda[row];
      out.label[point] = label(cluster, lambda);
      if (out.label[point] != kNone)
        out.probability[point] =
            share(lambda, clusters_.death[selected_[static_cast<std::size_t>(out.label[point])]]);
      out.outlier_score[point] = 1 - share(lambda, deepest[cluster]);
    });
    for (const std::size_t c : selected_) {
      out.selected.push_back(clusters_.first + static_cast<std::int64_t>(c));
      out.stability.push_back(clusters_.stability[c]);
    }
  }

 private:
  static constexpr std::int32_t kNone = -1;

  std::int32_t label(std::size_t cluster, double lambda) const {
    // With all points in one cluster, those that leave it early are noise.
    if (is_root_alone_ && lambda < root_threshold()) return kNone;
    const std::int32_t taken = taken_[cluster];
    // Beside other clusters, the root is what is left of them.
    const bool is_rest = taken != kNone && selected_[static_cast<std::size_t>(taken)] == 0;
    return is_rest && !is_root_alone_ ? kNone : taken;
  }
  double root_threshold() const {
    return options_.selection_epsilon > 0 ? 1 / options_.selection_epsilon : clusters_.death[0];
  }

  /// lambda as a share of the largest, which is 1 for both infinite.
  static double share(double lambda, double most) {
    if (most == 0 || std::isinf(lambda)) return 1;
    return std::min(lambda, most) / most;
  }

  /// The largest lambda inside each cluster and all that it splits into.
  std::vector<double> deepest_lambdas() const {
    std::vector<double> deepest = clusters_.death;
    for (std::size_t c = clusters_.count(); c-- > 1;)
      deepest[clusters_.parent[c]] = std::max(deepest[clusters_.parent[c]], deepest[c]);
    return deepest;
  }

  const CondensedTree& tree_;
  const ClusterTree& clusters_;
  const CondenseOptions& options_;
  std::vector<std::int32_t> taken_;  // the label of the cluster, or of the one that holds it
  std::vector<std::size_t> selected_;
  bool is_root_alone_ = false;
};

std::size_t core_k_of(const HdbscanOptions& options) {
  return options.min_samples > 0 ? options.min_samples : options.condense.min_cluster_size;
}

}  // namespace

HdbscanClusters condense(const Hierarchy& hierarchy, const CondenseOptions& options,
                         const Execution& execution) {
  return public_call("hdbscan", execution, [&](Workers& workers) {
    check(options);
    HdbscanClusters out;
    const Stage stage(workers, "condense", hierarchy.size());
    const std::size_t n = hierarchy.input_size();
    out.label.assign(n, -1);
    out.probability.assign(n, 0);
    out.outlier_score.assign(n, 0);
    out.condensed_tree = condensed(hierarchy.impl(), options.min_cluster_size, workers);
    const ClusterTree clusters =
        cluster_tree(out.condensed_tree, n, hierarchy.impl().tree.impl().points, workers);
    Labelling(out.condensed_tree, clusters, select_clusters(clusters, options), options)
        .fill(out, workers);
    return out;
  });
}

HdbscanClusters hdbscan(const Tree& tree, const HdbscanOptions& options,
                        const Execution& execution) {
  return public_call("hdbscan", execution, [&] {
    check(options.condense);
    const std::size_t core_k = core_k_of(options);
    if (core_k > tree.size() && tree.size() > 0)
      refuse("hdbscan: min_samples = {} of {} points; give at most their number", core_k,
             tree.size());
    const SpanningTreeOptions spanning{.box = options.box, .core_k = tree.size() > 0 ? core_k : 1};
    return condense(hierarchy(tree, spanning, execution), options.condense, execution);
  });
}

HdbscanClusters hdbscan(PointsView points, const HdbscanOptions& options,
                        const Execution& execution) {
  return public_call("hdbscan", execution, [&] {
    check_view("hdbscan", points, options.box);
    check(options.condense);
    const Tree tree(points, {.box = options.box, .non_finite = options.non_finite}, execution);
    return hdbscan(tree, options, execution);
  });
}

}  // namespace kith
