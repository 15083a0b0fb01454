// DBCV by its definition in docs/clusters.md, one number after the other.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/float_environment.hpp"
#include "clusters/brute.hpp"

namespace kith {
namespace {

class BruteValidity {
 public:
  BruteValidity(const PointsView& points, std::span<const std::int32_t> label)
      : points_(points), label_(label), core_(points.size, 0.0), is_inner_(points.size, false) {
    for (const std::int32_t one : label)
      if (one >= 0) clusters_ = std::max(clusters_, static_cast<std::size_t>(one) + 1);
  }

  Dbcv run() {
    for (std::size_t i = 0; i < points_.size; ++i) core_[i] = core_of(i);
    std::vector<double> sparseness;
    for (std::size_t c = 0; c < clusters_; ++c) sparseness.push_back(sparseness_of(c));
    Dbcv out;
    for (std::size_t c = 0; c < clusters_; ++c) {
      const double size = static_cast<double>(members(c).size());
      out.cluster.push_back(score(c, sparseness[c]));
      if (size > 0) out.index += size / static_cast<double>(points_.size) * out.cluster[c];
    }
    return out;
  }

 private:
  double coordinate(std::size_t i, int axis) const {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * points_.stride + axis;
    return points_.scalar == Scalar::float32 ? double{static_cast<const float*>(points_.data)[at]}
                                             : static_cast<const double*>(points_.data)[at];
  }
  double distance(std::size_t i, std::size_t j) const {
    double sum = 0;
    for (int axis = 0; axis < points_.dimension; ++axis) {
      const double difference = coordinate(i, axis) - coordinate(j, axis);
      sum += difference * difference;
    }
    return std::sqrt(sum);
  }
  double reachability(std::size_t i, std::size_t j) const {
    return std::max({distance(i, j), core_[i], core_[j]});
  }
  std::vector<std::size_t> members(std::size_t cluster) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < points_.size; ++i)
      if (label_[i] == static_cast<std::int32_t>(cluster)) found.push_back(i);
    return found;
  }

  double core_of(std::size_t i) const {
    if (label_[i] < 0) return 0;
    const std::vector<std::size_t> others = members(static_cast<std::size_t>(label_[i]));
    double sum = 0;
    for (const std::size_t j : others) {
      const double d = distance(i, j);
      if (d == 0) continue;  // itself, and its copies
      double power = 1 / d;
      for (int axis = 1; axis < points_.dimension; ++axis) power *= 1 / d;
      sum += power;
    }
    if (others.size() < 2) return 0;
    const double mean = sum / static_cast<double>(others.size() - 1);
    return mean > 0 ? std::pow(mean, -1.0 / points_.dimension) : 0;
  }

  /// Also finds the inner points.
  double sparseness_of(std::size_t cluster) {
    const std::vector<std::size_t> own = members(cluster);
    if (own.empty()) return 0;
    std::vector<std::tuple<double, std::size_t, std::size_t>> tree;  // length, new point, old point
    std::vector<bool> is_in(points_.size, false);
    is_in[own[0]] = true;
    while (tree.size() + 1 < own.size()) {
      std::tuple<double, std::size_t, std::size_t> best{std::numeric_limits<double>::infinity(),
                                                        points_.size, points_.size};
      for (const std::size_t i : own)
        for (const std::size_t j : own)
          if (is_in[i] && !is_in[j]) best = std::min(best, {reachability(i, j), j, i});
      is_in[std::get<1>(best)] = true;
      tree.push_back(best);
    }
    std::vector<int> edges(points_.size, 0);
    for (const auto& [length, i, j] : tree) ++edges[i], ++edges[j];
    double longest = 0, longest_inner = -1;
    for (const auto& [length, i, j] : tree) {
      longest = std::max(longest, length);
      if (edges[i] > 1 && edges[j] > 1) longest_inner = std::max(longest_inner, length);
    }
    bool has_inner = false;
    for (const std::size_t i : own) has_inner = has_inner || edges[i] > 1;
    for (const std::size_t i : own) is_inner_[i] = has_inner ? edges[i] > 1 : i == own[0];
    return longest_inner >= 0 ? longest_inner : longest;
  }

  double score(std::size_t cluster, double sparseness) const {
    const std::size_t size = members(cluster).size();
    if (size == 0) return std::numeric_limits<double>::quiet_NaN();
    double separation = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < points_.size; ++i)
      for (std::size_t j = 0; j < points_.size; ++j)
        if (is_inner_[i] && is_inner_[j] && label_[i] == static_cast<std::int32_t>(cluster) &&
            label_[j] != label_[i])
          separation = std::min(separation, reachability(i, j));
    const double most = std::max(separation, sparseness);
    return size == 1 || most == 0 ? 0 : (separation - sparseness) / most;
  }

  const PointsView& points_;
  std::span<const std::int32_t> label_;
  std::size_t clusters_ = 0;
  std::vector<double> core_;
  std::vector<bool> is_inner_;
};

}  // namespace

Dbcv brute_dbcv(const PointsView& points, std::span<const std::int32_t> label) {
  const FloatEnvironment environment;
  return BruteValidity(points, label).run();
}

}  // namespace kith
