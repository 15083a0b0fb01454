#include "clusters/condense.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

#include "clusters/copies.hpp"
#include "parallel/pieces.hpp"

namespace kith {
namespace {

/// Nodes are all over memory.
constexpr std::size_t kNodesBetweenChecks = std::size_t{1} << 14;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The weights of the nodes of a hierarchy, and how many points of the input they have.
class NodeWeights {
 public:
  NodeWeights(const Hierarchy::Impl& hierarchy, const WithCopies* copies, const Workers& workers)
      : hierarchy_(hierarchy), copies_(copies) {
    if (!copies) return;
    bundles_begin_ = hierarchy.points() - copies->point.size();
    weight_.reserve(hierarchy.merges());
    size_.reserve(hierarchy.merges());
    for_each_in_order(workers, hierarchy.merges(), [&](std::size_t merge) {
      const std::uint32_t* child = &hierarchy.dendrogram.child[2 * merge];
      weight_.push_back(weight(child[0]) + weight(child[1]));
      size_.push_back(size(child[0]) + size(child[1]));
    });
  }

  bool is_weighted() const { return copies_; }
  double weight(std::size_t node) const {
    if (!copies_) return static_cast<double>(hierarchy_.size(node));
    return node < hierarchy_.points() ? copies_->weight[node] : weight_[node - hierarchy_.points()];
  }
  /// A bundle has none.
  std::size_t size(std::size_t node) const {
    if (!copies_) return hierarchy_.size(node);
    if (node < hierarchy_.points()) return is_bundle(node) ? 0 : 1;
    return size_[node - hierarchy_.points()];
  }
  /// How many points leave a merge one by one: the copies in its bundle, if it has one.
  std::size_t levels(std::size_t node) const {
    const std::uint32_t* child = &hierarchy_.dendrogram.child[2 * (node - hierarchy_.points())];
    for (const int side : {0, 1})
      if (is_bundle(child[side]))
        return static_cast<std::size_t>(std::clamp(std::ceil(weight(child[side])), 1.0, 0x1p50));
    return 1;
  }

 private:
  bool is_bundle(std::size_t node) const {
    return node >= bundles_begin_ && node < hierarchy_.points();
  }

  const Hierarchy::Impl& hierarchy_;
  const WithCopies* copies_;
  std::size_t bundles_begin_ = 0;
  std::vector<double> weight_;     // per merge
  std::vector<std::size_t> size_;  // per merge
};

class Condensing {
 public:
  Condensing(const Hierarchy::Impl& hierarchy, const WithCopies* copies, double min_weight,
             const Workers& workers)
      : workers_(workers),
        meter_(workers, kNodesBetweenChecks),
        hierarchy_(hierarchy),
        nodes_(hierarchy, copies, workers),
        min_weight_(min_weight),
        points_(hierarchy.points()),
        cluster_(hierarchy.merges()),
        entry_(hierarchy.merges()),
        place_(hierarchy.points() + hierarchy.merges()) {
    const std::size_t rows = hierarchy.merges() + 1;
    out_.parent.reserve(rows);
    out_.child.reserve(rows);
    out_.lambda.reserve(rows);
    out_.size.reserve(rows);
  }

  CondensedTree run() {
    if (hierarchy_.merges() == 0) return {};
    workers_.check_cancelled();
    const std::size_t root = points_ + hierarchy_.merges() - 1;
    place_leaves();
    entry_.back() = first_point();
    next_cluster_ = static_cast<std::int64_t>(points_);
    cluster_.back() = next_cluster_++;
    if (nodes_.is_weighted())
      go_down_by_copies(root);
    else
      go_down(root);
    return std::move(out_);
  }

 private:
  void go_down(std::size_t root) {
    std::vector<std::size_t> level{root}, below;
    while (!level.empty()) {
      below.clear();
      for (const std::size_t node : level) split(node, below);
      level.swap(below);
    }
  }

  /// The same order of clusters as if the copies of a point left one by one, each a level: by
  /// level, and from left to right.
  void go_down_by_copies(std::size_t root) {
    using Place = std::array<std::size_t, 3>;  // level, leaves to the left, node
    std::priority_queue<Place, std::vector<Place>, std::greater<>> open;
    rank_.assign(hierarchy_.merges(), 0);
    workers_.check_cancelled();
    open.push({0, 0, root});
    std::vector<std::size_t> below;
    while (!open.empty()) {
      const auto [level, rank, node] = open.top();
      open.pop();
      below.clear();
      split(node, below);
      const std::size_t next = level + nodes_.levels(node);
      for (const std::size_t part : below) open.push({next, rank_[part - points_], part});
    }
  }

  bool is_merge(std::size_t node) const { return node >= points_; }
  bool is_cluster(std::size_t node) const {
    return is_merge(node) && nodes_.weight(node) >= min_weight_;
  }

  std::uint32_t first_point() const {
    const auto& is_dropped = impl_of(hierarchy_.tree).is_dropped;
    std::uint32_t point = 0;
    while (!is_dropped.empty() && is_dropped[point]) ++point;
    return point;
  }

  /// Lists the points so that each node has a run of them; `place_` is where it begins.
  void place_leaves() {
    for (std::size_t merge = hierarchy_.merges(); merge-- > 0;) {
      const std::uint32_t* child = &hierarchy_.dendrogram.child[2 * merge];
      place_[child[0]] = place_[points_ + merge];
      place_[child[1]] =
          place_[points_ + merge] + static_cast<std::uint32_t>(hierarchy_.size(child[0]));
      meter_.add(1);
    }
  }
  bool contains(std::size_t node, std::uint32_t point) const {
    return place_[point] >= place_[node] && place_[point] - place_[node] < hierarchy_.size(node);
  }

  /// The parts of a merge: first the one where Prim's algorithm enters, then the one that it
  /// reaches over the edge between them.
  std::array<std::size_t, 2> sides(std::size_t node) {
    const std::size_t merge = node - points_;
    const std::uint32_t* child = &hierarchy_.dendrogram.child[2 * merge];
    const std::uint32_t* end = &impl_of(hierarchy_.tree).index[2 * merge];
    const bool is_turned = !contains(child[0], entry_[merge]);
    const std::size_t first = child[is_turned ? 1 : 0], second = child[is_turned ? 0 : 1];
    if (is_merge(first)) entry_[first - points_] = entry_[merge];
    if (is_merge(second)) entry_[second - points_] = end[is_turned ? 0 : 1];
    if (!rank_.empty()) {
      if (is_merge(first)) rank_[first - points_] = rank_[merge];
      if (is_merge(second)) rank_[second - points_] = rank_[merge] + hierarchy_.size(first);
    }
    return {first, second};
  }

  void split(std::size_t node, std::vector<std::size_t>& below) {
    meter_.add(1);
    const double length = hierarchy_.length(node - points_);
    const double lambda = length > 0 ? 1 / length : kInfinity;
    const std::int64_t cluster = cluster_[node - points_];
    const std::array<std::size_t, 2> parts = sides(node);
    const bool is_large[] = {is_cluster(parts[0]), is_cluster(parts[1])};
    for (const std::size_t side : {0, 1}) {
      const std::size_t part = parts[side];
      if (!is_large[side]) {
        drop(part, cluster, lambda);
        continue;
      }
      std::int64_t of_part = cluster;
      if (is_large[1 - side]) {
        of_part = next_cluster_++;
        add(cluster, of_part, lambda, part);
      }
      cluster_[part - points_] = of_part;
      below.push_back(part);
    }
  }

  /// The points of a part, level by level.
  void drop(std::size_t part, std::int64_t cluster, double lambda) {
    falling_.assign(1, part);
    for (std::size_t i = 0; i < falling_.size(); ++i) {
      const std::size_t node = falling_[i];
      if (is_merge(node)) {
        const std::array<std::size_t, 2> parts = sides(node);
        falling_.insert(falling_.end(), parts.begin(), parts.end());
      } else {
        add(cluster, static_cast<std::int64_t>(node), lambda, node);
      }
    }
  }

  /// A row for the node of the hierarchy that leaves the cluster.
  void add(std::int64_t parent, std::int64_t child, double lambda, std::size_t node) {
    meter_.add(1);
    if (nodes_.is_weighted()) out_.weight.push_back(nodes_.weight(node));
    out_.parent.push_back(parent);
    out_.child.push_back(child);
    out_.lambda.push_back(lambda);
    out_.size.push_back(static_cast<std::int64_t>(nodes_.size(node)));
  }

  const Workers& workers_;
  WorkMeter meter_;
  const Hierarchy::Impl& hierarchy_;
  const NodeWeights nodes_;
  double min_weight_;
  std::size_t points_;
  std::int64_t next_cluster_ = 0;
  std::vector<std::int64_t> cluster_;  // per merge
  std::vector<std::uint32_t> entry_;   // per merge: the point at which Prim's algorithm enters
  std::vector<std::uint32_t> place_;   // per node, in a list of the points
  std::vector<std::size_t> rank_;      // per merge: leaves to the left; with weights
  std::vector<std::size_t> falling_;
  CondensedTree out_;
};

/// The clusters with the largest total stability, none inside another.
void select_eom(const ClusterTree& clusters, const CondenseOptions& options, std::size_t least,
                std::vector<std::uint8_t>& is_taken) {
  const double most =
      options.max_cluster_size > 0 ? static_cast<double>(options.max_cluster_size) : kInfinity;
  std::vector<double> best = clusters.stability, below(clusters.count(), 0);
  std::fill(is_taken.begin() + static_cast<std::ptrdiff_t>(least), is_taken.end(), 1);
  for (std::size_t c = clusters.count(); c-- > least;) {
    if (below[c] > best[c] || clusters.weight[c] > most) {
      is_taken[c] = 0;
      best[c] = below[c];
    }
    if (c > 0) below[clusters.parent[c]] += best[c];
  }
  // Clusters inside a cluster that is taken are not taken.
  std::vector<std::uint8_t> is_inside(clusters.count(), 0);
  for (std::size_t c = std::max<std::size_t>(1, least); c < clusters.count(); ++c) {
    const std::size_t parent = clusters.parent[c];
    is_inside[c] = is_inside[parent] || is_taken[parent];
  }
  for (std::size_t c = 0; c < clusters.count(); ++c)
    if (is_inside[c]) is_taken[c] = 0;
}

/// Takes larger clusters instead of those that were born below `epsilon`.
std::vector<std::uint8_t> raised(const ClusterTree& clusters, double epsilon, bool allows_root,
                                 const std::vector<std::uint8_t>& is_taken) {
  std::vector<std::uint8_t> result(clusters.count(), 0);
  for (std::size_t c = 1; c < clusters.count(); ++c) {
    if (!is_taken[c]) continue;
    std::size_t at = c;
    if (1 / clusters.birth[c] < epsilon) {
      for (;;) {
        const std::size_t parent = clusters.parent[at];
        if (parent == 0) {
          if (allows_root) at = 0;
          break;
        }
        at = parent;
        if (1 / clusters.birth[at] > epsilon) break;
      }
    }
    result[at] = 1;
  }
  return result;
}

}  // namespace

CondensedTree condensed(const Hierarchy::Impl& hierarchy, double min_weight,
                        const Workers& workers) {
  if (impl_of(hierarchy.tree).weight.empty())
    return Condensing(hierarchy, nullptr, min_weight, workers).run();
  const WithCopies copies = with_copies(hierarchy.tree, workers);
  workers.check_cancelled();
  CondensedTree tree = Condensing(copies.hierarchy, &copies, min_weight, workers).run();
  // Bundles get the numbers of their points, and clusters follow the points.
  const auto points = static_cast<std::int64_t>(hierarchy.points());
  const auto bundles = static_cast<std::int64_t>(copies.point.size());
  const auto renumbered = [&](std::int64_t node) {
    if (node >= points + bundles) return node - bundles;
    return node < points ? node
                         : std::int64_t{copies.point[static_cast<std::size_t>(node - points)]};
  };
  for_each_in_order(workers, tree.rows(), [&](std::size_t row) {
    tree.parent[row] = renumbered(tree.parent[row]);
    tree.child[row] = renumbered(tree.child[row]);
  });
  return tree;
}

ClusterTree cluster_tree(const CondensedTree& tree, const SpanningTree::Impl& points,
                         const Workers& workers) {
  ClusterTree out;
  out.first = static_cast<std::int64_t>(points.input_size);
  if (tree.rows() == 0) return out;
  const auto count = static_cast<std::size_t>(
      *std::max_element(tree.parent.begin(), tree.parent.end()) - out.first + 1);
  out.parent.assign(count, 0);
  out.birth.assign(count, 0);
  out.stability.assign(count, 0);
  out.death.assign(count, 0);
  out.weight.assign(count, 0);
  out.splits.assign(count, 0);
  for_each_in_order(workers, tree.rows(), [&](std::size_t row) {
    const auto parent = static_cast<std::size_t>(tree.parent[row] - out.first);
    const double weight =
        tree.weight.empty() ? static_cast<double>(tree.size[row]) : tree.weight[row];
    out.death[parent] = std::max(out.death[parent], tree.lambda[row]);
    if (tree.child[row] >= out.first) {
      const auto child = static_cast<std::size_t>(tree.child[row] - out.first);
      out.parent[child] = parent;
      out.birth[child] = tree.lambda[row];
      out.weight[child] = weight;
      out.splits[parent] = 1;
    }
    if (parent == 0) out.weight[0] += weight;
    out.stability[parent] += (tree.lambda[row] - out.birth[parent]) * weight;
  });
  return out;
}

std::vector<std::uint8_t> select_clusters(const ClusterTree& clusters,
                                          const CondenseOptions& options) {
  std::vector<std::uint8_t> is_taken(clusters.count(), 0);
  if (clusters.count() == 0) return is_taken;
  const std::size_t least = options.allow_single_cluster ? 0 : 1;
  if (options.selection == ClusterSelection::eom) {
    select_eom(clusters, options, least, is_taken);
  } else {
    for (std::size_t c = 1; c < clusters.count(); ++c) is_taken[c] = !clusters.splits[c];
  }
  const bool is_root_alone = is_taken[0] != 0;
  if (options.selection_epsilon > 0 && !is_root_alone)
    is_taken = raised(clusters, options.selection_epsilon, options.allow_single_cluster, is_taken);
  return is_taken;
}

}  // namespace kith
