// Clusters of new points; see the definition at `predict` in <kith/hdbscan.hpp>.
#include <kith/hdbscan.hpp>

#include "clusters/tied_points.hpp"
#include "parallel/public_call.hpp"

namespace kith {

HdbscanPrediction predict(const AnyTree& tree, const Hierarchy& hierarchy,
                          const HdbscanClusters& clusters, PointsView points,
                          const Execution& execution) {
  return public_call("predict", execution, [&](Workers& workers) {
    const SpanningTree::Impl& spanning = impl_of(impl_of(hierarchy).tree);
    check_fit("predict", tree, spanning, clusters);
    check_queries("predict", searched(tree), points);
    HdbscanPrediction out{std::vector<std::int32_t>(points.size, Labelling::kNone),
                          std::vector<double>(points.size, 0)};
    if (clusters.condensed_tree.rows() == 0) return out;
    const ClusterTree all = cluster_tree(clusters.condensed_tree, spanning, workers);
    const Labelling labelling(all, taken_clusters(clusters, all), clusters.selection_epsilon);
    const Exits exits(clusters, all, labelling, workers);
    with_scalar(tree.scalar(), [&]<class T>() {
      Ties<T> ties(tree, spanning, points.size, workers);
      ties.find(points, workers);
      workers.for_ranges(points.size, kPointGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          if (ties.point[i] == Ties<T>::kNoPoint) continue;
          const double length = spanning.length(ties.length2[i]);
          const double lambda = length > 0 ? 1 / length : std::numeric_limits<double>::infinity();
          out.label[i] = labelling.label(exits.cluster(ties.point[i], lambda), lambda);
          out.probability[i] = labelling.probability(out.label[i], lambda);
        }
      });
    });
    return out;
  });
}

}  // namespace kith
