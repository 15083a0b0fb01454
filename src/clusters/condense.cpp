#include "clusters/condense.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "parallel/pieces.hpp"

namespace kith {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Condensing {
 public:
  Condensing(const Hierarchy::Impl& hierarchy, std::size_t min_size, const Workers& workers)
      : meter_(workers),
        hierarchy_(hierarchy),
        min_size_(min_size),
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
    const std::size_t root = points_ + hierarchy_.merges() - 1;
    place_leaves();
    entry_.back() = first_point();
    next_cluster_ = static_cast<std::int64_t>(points_);
    cluster_.back() = next_cluster_++;
    std::vector<std::size_t> level{root}, below;
    while (!level.empty()) {
      below.clear();
      for (const std::size_t node : level) split(node, below);
      level.swap(below);
    }
    return std::move(out_);
  }

 private:
  bool is_merge(std::size_t node) const { return node >= points_; }

  std::uint32_t first_point() const {
    const auto& is_dropped = hierarchy_.tree.impl().is_dropped;
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
    const std::uint32_t* end = &hierarchy_.tree.impl().index[2 * merge];
    const bool is_turned = !contains(child[0], entry_[merge]);
    const std::size_t first = child[is_turned ? 1 : 0], second = child[is_turned ? 0 : 1];
    if (is_merge(first)) entry_[first - points_] = entry_[merge];
    if (is_merge(second)) entry_[second - points_] = end[is_turned ? 0 : 1];
    return {first, second};
  }

  void split(std::size_t node, std::vector<std::size_t>& below) {
    const double length = hierarchy_.length(node - points_);
    const double lambda = length > 0 ? 1 / length : kInfinity;
    const std::int64_t cluster = cluster_[node - points_];
    const std::array<std::size_t, 2> parts = sides(node);
    const bool is_large[] = {hierarchy_.size(parts[0]) >= min_size_,
                             hierarchy_.size(parts[1]) >= min_size_};
    for (const std::size_t side : {0, 1}) {
      const std::size_t part = parts[side];
      if (!is_large[side]) {
        drop(part, cluster, lambda);
        continue;
      }
      std::int64_t of_part = cluster;
      if (is_large[1 - side]) {
        of_part = next_cluster_++;
        add(cluster, of_part, lambda, hierarchy_.size(part));
      }
      if (!is_merge(part)) continue;  // a cluster of one point: min_size_ is 1
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
        add(cluster, static_cast<std::int64_t>(node), lambda, 1);
      }
    }
  }

  void add(std::int64_t parent, std::int64_t child, double lambda, std::size_t size) {
    meter_.add(1);
    out_.parent.push_back(parent);
    out_.child.push_back(child);
    out_.lambda.push_back(lambda);
    out_.size.push_back(static_cast<std::int64_t>(size));
  }

  WorkMeter meter_;
  const Hierarchy::Impl& hierarchy_;
  std::size_t min_size_, points_;
  std::int64_t next_cluster_ = 0;
  std::vector<std::int64_t> cluster_;  // per merge
  std::vector<std::uint32_t> entry_;   // per merge: the point at which Prim's algorithm enters
  std::vector<std::uint32_t> place_;   // per node, in a list of the points
  std::vector<std::size_t> falling_;
  CondensedTree out_;
};

/// The clusters with the largest total stability, none inside another.
void select_eom(const ClusterTree& clusters, const CondenseOptions& options, std::size_t least,
                std::vector<std::uint8_t>& is_taken) {
  const std::size_t most = options.max_cluster_size > 0 ? options.max_cluster_size
                                                        : std::numeric_limits<std::size_t>::max();
  std::vector<double> best = clusters.stability, below(clusters.count(), 0);
  std::fill(is_taken.begin() + static_cast<std::ptrdiff_t>(least), is_taken.end(), 1);
  for (std::size_t c = clusters.count(); c-- > least;) {
    if (below[c] > best[c] || clusters.size[c] > most) {
      is_taken[c] = 0;
      best[c] = below[c];
    }
    if (c > 0) below[clusters.parent[c]] += best[c];
  }
  // What lies inside a cluster that is taken is not.
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

CondensedTree condensed(const Hierarchy::Impl& hierarchy, std::size_t min_cluster_size,
                        const Workers& workers) {
  return Condensing(hierarchy, min_cluster_size, workers).run();
}

ClusterTree cluster_tree(const CondensedTree& tree, std::size_t input_size, std::size_t points,
                         const Workers& workers) {
  ClusterTree out;
  out.first = static_cast<std::int64_t>(input_size);
  if (tree.rows() == 0) return out;
  const auto count = static_cast<std::size_t>(
      *std::max_element(tree.parent.begin(), tree.parent.end()) - out.first + 1);
  out.parent.assign(count, 0);
  out.birth.assign(count, 0);
  out.stability.assign(count, 0);
  out.death.assign(count, 0);
  out.size.assign(count, points);
  out.splits.assign(count, 0);
  for_each_in_order(workers, tree.rows(), [&](std::size_t row) {
    const auto parent = static_cast<std::size_t>(tree.parent[row] - out.first);
    out.death[parent] = std::max(out.death[parent], tree.lambda[row]);
    if (tree.child[row] >= out.first) {
      const auto child = static_cast<std::size_t>(tree.child[row] - out.first);
      out.parent[child] = parent;
      out.birth[child] = tree.lambda[row];
      out.size[child] = static_cast<std::size_t>(tree.size[row]);
      out.splits[parent] = 1;
    }
    out.stability[parent] +=
        (tree.lambda[row] - out.birth[parent]) * static_cast<double>(tree.size[row]);
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
