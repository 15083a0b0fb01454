// New points and the points that they are tied to, and where those leave their clusters; see the
// definition at `predict` in <kith/hdbscan.hpp>.
#pragma once

#include <kith/hdbscan.hpp>

#include "base/exact_sum.hpp"
#include "base/fail.hpp"
#include "clusters/core_distance.hpp"
#include "clusters/labelling.hpp"
#include "clusters/search_until.hpp"
#include "tree/tree_impl.hpp"

namespace kith {

/// Core distances by index: those of the spanning tree, or of a search.
template <class T>
Array<T> core2_by_index(const AnyTree& tree, const SpanningTree::Impl& spanning, Workers& workers) {
  if (!spanning.weight.empty()) {
    const auto& core2 = std::get<Array<T>>(spanning.core2);
    return Array<T>::borrowed(core2.data(), core2.size());
  }
  const Array<T> by_position = core_distances2<T>(tree, spanning.core_k, workers);
  const Planes<T>& planes = impl_of(tree).as<T>().planes;
  Array<T> core2(tree.input_size(), workers.pool());
  workers.for_ranges(planes.points, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) core2[planes.index(at)] = by_position[at];
  });
  return core2;
}

/// The point that each query is tied to, and the squared length of the tie.
template <class T>
class Ties {
 public:
  Ties(const AnyTree& tree, const SpanningTree::Impl& spanning, std::size_t queries,
       Workers& workers)
      : tree_(tree),
        spanning_(spanning),
        core2_(core2_by_index<T>(tree, spanning, workers)),
        point(queries, kNoPoint),
        length2(queries, 0) {}

  void find(const PointsView& queries, Workers& workers) {
    const QueryTree<T> asked(queries, tree_, workers);
    if (asked.size() == 0) return;
    const Queries<T> all{asked.planes(), asked.planes().view(), queries.size};
    search_until<T>(tree_, all, 2 * std::min<std::size_t>(spanning_.core_k, kMostAtFirst),
                    "neighbors", workers, [&](const Found<T>& found) { return tie(found); });
  }

 private:
  static constexpr std::size_t kMostAtFirst = 64;

  /// The squared distance within which there are enough points, or -1 if these are too few.
  T own_core2(const Found<T>& found) const {
    if (spanning_.weight.empty())
      return found.count < spanning_.core_k ? T(-1) : found.distance[spanning_.core_k - 1];
    ExactSum sum;
    for (std::size_t n = 0; n < found.count; ++n) {
      sum.add(spanning_.weight[found.index[n]]);
      if (sum.reaches(static_cast<double>(spanning_.core_k))) return found.distance[n];
    }
    return T(-1);
  }

  /// Points beyond the last neighbor are at least as far: they cannot be better.
  bool tie(const Found<T>& found) {
    const T core2 = own_core2(found);
    if (core2 < 0) return false;
    T best = std::numeric_limits<T>::infinity();
    std::uint32_t first = found.index[0];
    for (std::size_t n = 0; n < found.count; ++n) {
      const T longest = std::max({core2, core2_[found.index[n]], found.distance[n]});
      if (longest >= best) continue;
      best = longest;
      first = found.index[n];
    }
    point[found.row] = first;
    length2[found.row] = best;
    return best <= found.distance[found.count - 1];
  }

  const AnyTree& tree_;
  const SpanningTree::Impl& spanning_;
  const Array<T> core2_;

 public:
  static constexpr std::uint32_t kNoPoint = ~std::uint32_t{0};
  std::vector<std::uint32_t> point;
  std::vector<T> length2;
};

/// Where each point leaves the condensed tree.
class Exits {
 public:
  Exits(const HdbscanClusters& clusters, const ClusterTree& tree, const Labelling& labelling,
        const Workers& workers)
      : tree_(tree), cluster_(clusters.label.size(), 0), lambda_(clusters.label.size(), 0) {
    const CondensedTree& rows = clusters.condensed_tree;
    for_each_in_order(workers, rows.rows(), [&](std::size_t row) {
      if (!labelling.is_point(rows, row)) return;
      const auto point = static_cast<std::size_t>(rows.child[row]);
      cluster_[point] = static_cast<std::size_t>(rows.parent[row] - tree.first);
      lambda_[point] = rows.lambda[row];
    });
  }

  std::size_t cluster(std::uint32_t point) const { return cluster_[point]; }
  double lambda(std::uint32_t point) const { return lambda_[point]; }

  /// The cluster of a new point that is tied to this one.
  std::size_t cluster(std::uint32_t point, double lambda) const {
    std::size_t at = cluster_[point];
    if (lambda_[point] > lambda)
      while (at > 0 && tree_.birth[at] >= lambda) at = tree_.parent[at];
    return at;
  }

 private:
  const ClusterTree& tree_;
  std::vector<std::size_t> cluster_;  // per point
  std::vector<double> lambda_;        // per point
};

inline void check_fit(const char* call, const AnyTree& tree, const SpanningTree::Impl& spanning,
                      const HdbscanClusters& clusters) {
  const bool has_floats = std::holds_alternative<Array<float>>(spanning.length2);
  if (tree.input_size() != spanning.input_size || tree.size() != spanning.points ||
      clusters.label.size() != spanning.input_size || tree.dimension() != spanning.dimension ||
      has_floats != (tree.scalar() == Scalar::float32))
    refuse(
        "{}: a tree of {} points, a hierarchy of {} and labels of {}; give those that were made "
        "from one another",
        call, tree.input_size(), spanning.input_size, clusters.label.size());
}

inline std::vector<std::uint8_t> taken_clusters(const HdbscanClusters& clusters,
                                                const ClusterTree& tree) {
  std::vector<std::uint8_t> is_taken(tree.count(), 0);
  for (const std::int64_t number : clusters.selected)
    is_taken[static_cast<std::size_t>(number - tree.first)] = 1;
  return is_taken;
}

}  // namespace kith
