#include "clusters/brute.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/exact_sum.hpp"
#include "base/float_environment.hpp"
#include "groups/brute_points.hpp"
#include "groups/reach.hpp"

namespace kith {
namespace {

using Numbers = std::vector<std::size_t>;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

template <class T>
class BruteDbscan {
 public:
  BruteDbscan(const PointsView& points, const DbscanOptions& options)
      : points_(points, options.box, options.non_finite),
        options_(options),
        reach2_(reach_of<T>(options.eps, false, points_.frame()).reach2),
        near_(points_.size()),
        lowest_core_(points_.size(), kNone) {}

  BruteClusters run(std::size_t input_size) {
    for (std::size_t i = 0; i < points_.size(); ++i)
      for (std::size_t j = 0; j < points_.size(); ++j)
        if (points_.distance2(i, j) <= reach2_) near_[i].push_back(j);
    for (std::size_t i = 0; i < points_.size(); ++i) is_core_.push_back(has_enough(i));
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (is_core(i) && lowest_core_[i] == kNone) spread(i);
    std::vector<std::size_t> cluster = lowest_core_;  // by its lowest core point
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (!is_core(i)) cluster[i] = cluster_of_border(i);
    return numbered(cluster, input_size);
  }

 private:
  bool is_core(std::size_t i) const { return is_core_[i]; }
  bool has_enough(std::size_t i) const {
    if (options_.sample_weight.empty()) return near_[i].size() >= options_.min_samples;
    ExactSum sum;
    for (const std::size_t j : near_[i]) sum.add(options_.sample_weight[points_.index(j)]);
    return sum.reaches(static_cast<double>(options_.min_samples));
  }

  void spread(std::size_t lowest) {
    Numbers asking{lowest};
    lowest_core_[lowest] = lowest;
    while (!asking.empty()) {
      const std::size_t i = asking.back();
      asking.pop_back();
      for (const std::size_t j : near_[i])
        if (is_core(j) && lowest_core_[j] == kNone) {
          lowest_core_[j] = lowest;
          asking.push_back(j);
        }
    }
  }

  std::size_t cluster_of_border(std::size_t i) const {
    if (options_.border == Border::none) return kNone;
    std::map<std::size_t, std::size_t> links;
    for (const std::size_t j : near_[i])
      if (is_core(j)) ++links[lowest_core_[j]];
    std::size_t best = kNone;
    for (const std::size_t j : near_[i]) {
      if (!is_core(j) || links[lowest_core_[j]] < options_.border_links) continue;
      const bool is_better =
          best == kNone || (options_.border == Border::sklearn
                                ? lowest_core_[j] < lowest_core_[best]
                                : points_.distance2(i, j) < points_.distance2(i, best));
      if (is_better) best = j;
    }
    return best == kNone ? kNone : lowest_core_[best];
  }

  BruteClusters numbered(const Numbers& cluster, std::size_t input_size) const {
    std::map<std::size_t, Numbers> members;
    for (std::size_t i = 0; i < cluster.size(); ++i)
      if (cluster[i] != kNone) members[cluster[i]].push_back(i);
    std::vector<const Numbers*> order;
    order.reserve(members.size());
    for (const auto& [lowest, points] : members) order.push_back(&points);
    std::sort(order.begin(), order.end(), [](const Numbers* a, const Numbers* b) {
      return a->size() != b->size() ? a->size() > b->size() : a->front() < b->front();
    });
    BruteClusters result{
        std::vector<std::int32_t>(input_size, -1), std::vector<std::uint8_t>(input_size, 0), {}};
    for (const Numbers* points : order) {
      for (const std::size_t i : *points)
        result.label[points_.index(i)] = static_cast<std::int32_t>(result.size.size());
      result.size.push_back(static_cast<std::int64_t>(points->size()));
    }
    for (std::size_t i = 0; i < cluster.size(); ++i) result.is_core[points_.index(i)] = is_core(i);
    return result;
  }

  BrutePoints<T> points_;
  const DbscanOptions& options_;
  T reach2_;
  std::vector<Numbers> near_;
  std::vector<bool> is_core_;
  Numbers lowest_core_;  // of the cluster of each core point
};

/// The squared distance of each point within which there are k points, itself included, or weights
/// that add up to k.
template <class T>
std::vector<T> core_distances2(const BrutePoints<T>& points, const SpanningTreeOptions& options) {
  std::vector<T> core2(points.size());
  std::vector<std::pair<T, std::size_t>> all(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) all[j] = {points.distance2(i, j), j};
    std::sort(all.begin(), all.end());
    if (options.sample_weight.empty()) {
      core2[i] = all[options.core_k - 1].first;
      continue;
    }
    ExactSum sum;
    for (std::size_t n = 0; !sum.reaches(static_cast<double>(options.core_k)); ++n) {
      const std::size_t index = points.index(all[n].second);
      sum.add(options.sample_weight[index]);
      core2[i] = all[n].first;
    }
  }
  return core2;
}

template <class T>
std::vector<BruteEdge> kruskal(const BrutePoints<T>& points, const SpanningTreeOptions& options) {
  const std::vector<T> core2 = core_distances2(points, options);
  std::vector<BruteEdge> edges, tree;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j)
      edges.push_back(
          {static_cast<double>(std::max({points.distance2(i, j), core2[i], core2[j]})), i, j});
  std::sort(edges.begin(), edges.end());
  Numbers set(points.size());
  std::iota(set.begin(), set.end(), std::size_t{0});
  auto find = [&](std::size_t i) {
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
  };
  for (const BruteEdge& edge : edges) {
    const std::size_t a = find(edge.low), b = find(edge.high);
    if (a == b) continue;
    set[a] = b;
    tree.push_back({edge.length2, points.index(edge.low), points.index(edge.high)});
  }
  return tree;
}

}  // namespace

std::vector<BruteEdge> brute_spanning_tree(const PointsView& points,
                                           const SpanningTreeOptions& options) {
  const FloatEnvironment environment;
  return with_scalar(points.scalar, [&]<class T>() {
    return kruskal(BrutePoints<T>(points, options.box, options.non_finite), options);
  });
}

BruteClusters brute_dbscan(const PointsView& points, const DbscanOptions& options) {
  const FloatEnvironment environment;
  return with_scalar(points.scalar,
                     [&]<class T>() { return BruteDbscan<T>(points, options).run(points.size); });
}

}  // namespace kith
