// From the clusters that are selected in a condensed tree to labels and probabilities.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "clusters/condense.hpp"
#include "parallel/pieces.hpp"

namespace kith {

/// From the clusters that are taken to the label and the probability of every point.
class Labelling {
 public:
  Labelling(const ClusterTree& clusters, const std::vector<std::uint8_t>& is_taken,
            double selection_epsilon)
      : clusters_(clusters), epsilon_(selection_epsilon), taken_(clusters.count(), kNone) {
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

  static constexpr std::int32_t kNone = -1;

  void fill(HdbscanClusters& out, const Workers& workers) const {
    const std::vector<double> deepest = deepest_lambdas();
    const CondensedTree& tree = out.condensed_tree;
    for_each_in_order(workers, tree.rows(), [&](std::size_t row) {
      if (!is_point(tree, row)) return;
      const auto point = static_cast<std::size_t>(tree.child[row]);
      const auto cluster = static_cast<std::size_t>(tree.parent[row] - clusters_.first);
      const double lambda = tree.lambda[row];
      out.label[point] = label(cluster, lambda);
      out.probability[point] = probability(out.label[point], lambda);
      out.outlier_score[point] = 1 - share(lambda, deepest[cluster]);
    });
    for (const std::size_t c : selected_) {
      out.selected.push_back(clusters_.first + static_cast<std::int64_t>(c));
      out.stability.push_back(clusters_.stability[c]);
    }
  }

  /// Whether the row is of a point itself, not of a cluster or of the other copies of a point.
  bool is_point(const CondensedTree& tree, std::size_t row) const {
    return tree.child[row] < clusters_.first && tree.size[row] > 0;
  }

  /// Of a point that leaves the cluster at this density.
  std::int32_t label(std::size_t cluster, double lambda) const {
    // With all points in one cluster, early leavers are noise.
    if (is_root_alone_ && lambda < root_threshold()) return kNone;
    const std::int32_t taken = taken_[cluster];
    // If there are other clusters, the root holds the points outside of them.
    const bool is_rest = taken != kNone && selected_[static_cast<std::size_t>(taken)] == 0;
    return is_rest && !is_root_alone_ ? kNone : taken;
  }
  double probability(std::int32_t label, double lambda) const {
    if (label == kNone) return 0;
    return share(lambda, clusters_.death[selected_[static_cast<std::size_t>(label)]]);
  }

 private:
  double root_threshold() const { return epsilon_ > 0 ? 1 / epsilon_ : clusters_.death[0]; }

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

  const ClusterTree& clusters_;
  double epsilon_;
  std::vector<std::int32_t> taken_;  // the label of the cluster, or of the one that holds it
  std::vector<std::size_t> selected_;
  bool is_root_alone_ = false;
};

}  // namespace kith
