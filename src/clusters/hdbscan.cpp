#include <algorithm>
#include <cmath>

#include <kith/hdbscan.hpp>

#include "base/fail.hpp"
#include "clusters/condense.hpp"
#include "clusters/labelling.hpp"
#include "parallel/public_call.hpp"
#include "tree/input.hpp"

namespace kith {

void check_condense_options(const CondenseOptions& options) {
  if (options.min_cluster_size < 2)
    refuse("hdbscan: min_cluster_size = {}; a cluster has at least 2 points",
           options.min_cluster_size);
  if (!(options.selection_epsilon >= 0 && std::isfinite(options.selection_epsilon)))
    refuse("hdbscan: selection_epsilon = {}; give a finite length of 0 or more",
           options.selection_epsilon);
  if (!(options.min_cluster_weight >= 0 && std::isfinite(options.min_cluster_weight)))
    refuse("hdbscan: min_cluster_weight = {}; give a positive number, or 0 for min_cluster_size",
           options.min_cluster_weight);
}

SpanningTreeOptions spanning_options(const HdbscanOptions& options, std::size_t points) {
  const std::size_t core_k =
      options.min_samples > 0 ? options.min_samples : options.condense.min_cluster_size;
  if (options.sample_weight.empty() && core_k > points && points > 0)
    refuse("hdbscan: min_samples = {} of {} points; give at most their number", core_k, points);
  return {.box = options.box,
          .core_k = points > 0 ? core_k : 1,
          .sample_weight = options.sample_weight};
}

HdbscanClusters condense(const Hierarchy& hierarchy, const CondenseOptions& options,
                         const Execution& execution) {
  return public_call("hdbscan", execution, [&](Workers& workers) {
    check_condense_options(options);
    HdbscanClusters out;
    const Stage stage(workers, "condense", hierarchy.size());
    const std::size_t n = hierarchy.input_size();
    out.label.assign(n, -1);
    out.probability.assign(n, 0);
    out.outlier_score.assign(n, 0);
    out.selection_epsilon = options.selection_epsilon;
    const double least = options.min_cluster_weight > 0
                             ? options.min_cluster_weight
                             : static_cast<double>(options.min_cluster_size);
    out.condensed_tree = condensed(impl_of(hierarchy), least, workers);
    const ClusterTree clusters =
        cluster_tree(out.condensed_tree, impl_of(impl_of(hierarchy).tree), workers);
    Labelling(clusters, select_clusters(clusters, options), options.selection_epsilon)
        .fill(out, workers);
    return out;
  });
}

HdbscanClusters hdbscan(const AnyTree& tree, const HdbscanOptions& options,
                        const Execution& execution) {
  return public_call("hdbscan", execution, [&] {
    check_condense_options(options.condense);
    const SpanningTreeOptions spanning = spanning_options(options, tree.size());
    return condense(hierarchy(tree, spanning, execution), options.condense, execution);
  });
}

HdbscanClusters hdbscan(PointsView points, const HdbscanOptions& options,
                        const Execution& execution) {
  return public_call("hdbscan", execution, [&] {
    check_view("hdbscan", points, options.box);
    check_condense_options(options.condense);
    const AnyTree tree(points, {.box = options.box, .non_finite = options.non_finite}, execution);
    return hdbscan(tree, options, execution);
  });
}

}  // namespace kith
