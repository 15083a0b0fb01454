// Memberships by their definition in docs/clusters.md, one number after the other.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/exact_sum.hpp"
#include "base/float_environment.hpp"
#include "clusters/brute.hpp"
#include "groups/brute_points.hpp"

namespace kith {
namespace {

constexpr double kWithoutBound = std::numeric_limits<double>::infinity();
constexpr double kGreatest = std::numeric_limits<double>::max();

/// A cluster of the condensed tree, by its number minus that of the root.
struct BruteCluster {
  std::size_t parent = 0;
  double birth = 0, death = 0;  ///< the lambda at which it splits off; M
  bool splits = false;
};

/// Where a point leaves the clusters.
struct BruteExit {
  std::size_t cluster = 0;
  double lambda = 0;
  bool is_there = false;
};

double quotient(double a, double b) { return std::isinf(a) && std::isinf(b) ? 1 : a / b; }

/// The points, followed by the queries, in T.
template <class T>
std::vector<T> rows_of(const PointsView& points, const PointsView& queries) {
  std::vector<T> rows;
  for (const PointsView* part : {&points, &queries})
    for (std::size_t i = 0; i < part->size; ++i)
      for (int axis = 0; axis < part->dimension; ++axis)
        rows.push_back(static_cast<const T*>(
            part->data)[static_cast<std::ptrdiff_t>(i) * part->stride + axis]);
  return rows;
}

template <class T>
class BruteMembership {
 public:
  BruteMembership(const PointsView& points, const HdbscanOptions& options,
                  const HdbscanClusters& clusters, const PointsView& queries)
      : options_(options),
        found_(clusters),
        size_(points.size),
        rows_(rows_of<T>(points, queries)),
        all_(view(rows_.data(), size_ + queries.size, points.dimension), options.box,
             options.non_finite),
        place_(size_ + queries.size, kNowhere),
        exit_(size_) {
    for (std::size_t i = 0; i < all_.size(); ++i) place_[all_.index(i)] = i;
    read_tree();
  }

  std::vector<double> of_points() {
    std::vector<double> rows;
    for (std::size_t i = 0; i < size_; ++i) add_row(i, exit_[i], false, rows);
    return rows;
  }
  std::vector<double> of_queries() {
    std::vector<double> rows;
    for (std::size_t i = size_; i < place_.size(); ++i) add_row(i, exit_of_query(i), true, rows);
    return rows;
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  void read_tree() {
    const CondensedTree& tree = found_.condensed_tree;
    const auto root = static_cast<std::int64_t>(size_);
    for (std::size_t row = 0; row < tree.rows(); ++row) {
      const auto parent = static_cast<std::size_t>(tree.parent[row] - root);
      cluster_.resize(std::max(cluster_.size(), parent + 1));
      cluster_[parent].death = std::max(cluster_[parent].death, tree.lambda[row]);
      if (tree.child[row] >= root) {
        const auto child = static_cast<std::size_t>(tree.child[row] - root);
        cluster_.resize(std::max(cluster_.size(), child + 1));
        cluster_[child].parent = parent;
        cluster_[child].birth = tree.lambda[row];
        cluster_[parent].splits = true;
      } else if (tree.size[row] > 0) {  // not of the other copies of a point
        exit_[static_cast<std::size_t>(tree.child[row])] = {parent, tree.lambda[row], true};
      }
    }
    for (const std::int64_t number : found_.selected)
      selected_.push_back(static_cast<std::size_t>(number - root));
  }

  /// Whether a is b or a cluster around it.
  bool contains(std::size_t a, std::size_t b) const {
    while (b != a && b != 0) b = cluster_[b].parent;
    return a == b;
  }
  /// The number of the smallest selected cluster around a cluster.
  std::size_t selected_around(std::size_t cluster) const {
    for (;; cluster = cluster_[cluster].parent) {
      const auto at = std::find(selected_.begin(), selected_.end(), cluster);
      if (at != selected_.end()) return static_cast<std::size_t>(at - selected_.begin());
      if (cluster == 0) return kNowhere;
    }
  }
  bool is_exemplar(std::size_t point, std::size_t i) const {
    const BruteExit& exit = exit_[point];
    return exit.is_there && !cluster_[exit.cluster].splits &&
           exit.lambda == cluster_[exit.cluster].death && selected_around(exit.cluster) == i;
  }

  double length(T distance2) const {
    return static_cast<double>(std::sqrt(distance2) * std::ldexp(T(1), -all_.frame().exponent));
  }
  /// 0 without exemplars.
  double to_exemplar(std::size_t point, std::size_t i) const {
    T least = std::numeric_limits<T>::infinity();
    for (std::size_t p = 0; p < size_; ++p)
      if (place_[p] != kNowhere && is_exemplar(p, i))
        least = std::min(least, all_.distance2(place_[point], place_[p]));
    return std::isinf(least) ? 0 : length(least);
  }

  /// The lambda at which a point that leaves cluster q at lambda and selected cluster i part.
  double height(const BruteExit& exit, std::size_t i) const {
    const std::size_t q = exit.cluster, c = selected_[i];
    if (contains(q, c) || contains(c, q)) return exit.lambda;
    std::size_t part = c;  // the largest cluster around c, but not around q
    while (!contains(cluster_[part].parent, q)) part = cluster_[part].parent;
    return cluster_[part].birth;
  }

  void add_row(std::size_t point, const BruteExit& exit, bool is_new, std::vector<double>& rows) {
    const std::size_t count = selected_.size();
    if (!exit.is_there) return rows.resize(rows.size() + count, 0);
    if (count == 0) return;
    const double death = cluster_[exit.cluster].death;
    std::vector<double> near(count), rise(count), score(count), row(count);
    double sum = 0;
    const double nearest = kGreatest / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double distance = to_exemplar(point, i);
      near[i] = distance > 0 ? std::min(1 / distance, nearest) : nearest;
      sum += near[i];
    }
    for (double& value : near) value /= sum;
    for (std::size_t i = 0; i < count; ++i) {
      const double h = height(exit, i);
      if (!is_new)
        score[i] = std::exp(-quotient(death + 1e-8, h));
      else if (std::isinf(death))
        score[i] = std::isinf(h) ? kWithoutBound : 1;
      else
        score[i] = death / (death > h ? death - h : 1e-8);
    }
    const double largest = *std::max_element(score.begin(), score.end());
    sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      rise[i] =
          std::isinf(largest) ? (score[i] == largest ? 1.0 : 0.0) : std::exp(score[i] - largest);
      sum += rise[i];
    }
    for (double& value : rise) value /= sum;
    sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      row[i] = is_new ? std::sqrt(near[i]) * (rise[i] * rise[i]) : near[i] * rise[i];
      sum += row[i];
    }
    std::size_t highest = 0;
    for (std::size_t i = 1; i < count; ++i)
      if (height(exit, i) > height(exit, highest)) highest = i;
    const double most =
        std::max(exit.lambda, cluster_[selected_[highest]].death) + (is_new ? 1e-8 : 0);
    const double any = quotient(height(exit, highest), most);
    for (const double value : row) rows.push_back(sum > 0 ? value / sum * any : 0);
  }

  // ---- new points

  /// The squared distance within which the points around a place count enough.
  T core2(std::size_t point) const {
    std::vector<std::pair<T, std::size_t>> near;
    for (std::size_t p = 0; p < size_; ++p)
      if (place_[p] != kNowhere) near.push_back({all_.distance2(place_[point], place_[p]), p});
    std::sort(near.begin(), near.end());
    ExactSum sum;
    for (const auto& [d2, p] : near) {
      sum.add(options_.sample_weight.empty() ? 1 : options_.sample_weight[p]);
      if (sum.reaches(static_cast<double>(options_.min_samples))) return d2;
    }
    return std::numeric_limits<T>::infinity();
  }

  BruteExit exit_of_query(std::size_t query) {
    if (core2_.empty())
      for (std::size_t p = 0; p < size_; ++p)
        core2_.push_back(place_[p] == kNowhere ? T(0) : core2(p));
    const T own = core2(query);
    struct Tie {
      T longest, d2;
      std::size_t point;
      auto operator<=>(const Tie&) const = default;
    };
    std::vector<Tie> ties;
    for (std::size_t p = 0; p < size_; ++p) {
      if (place_[p] == kNowhere) continue;
      const T d2 = all_.distance2(place_[query], place_[p]);
      ties.push_back({std::max({own, core2_[p], d2}), d2, p});
    }
    const Tie best = *std::min_element(ties.begin(), ties.end());
    const double tied = length(best.longest);
    const double lambda = tied > 0 ? 1 / tied : kWithoutBound;
    const BruteExit& exit = exit_[best.point];
    return {exit.cluster, std::min(lambda, exit.lambda), true};
  }

  const HdbscanOptions& options_;
  const HdbscanClusters& found_;
  std::size_t size_;
  std::vector<T> rows_;
  BrutePoints<T> all_;
  std::vector<std::size_t> place_;  ///< among all_ of each row
  std::vector<BruteExit> exit_;     ///< of each point
  std::vector<BruteCluster> cluster_;
  std::vector<std::size_t> selected_;
  std::vector<T> core2_;
};

}  // namespace

std::vector<double> brute_memberships(const PointsView& points, const HdbscanOptions& options,
                                      const HdbscanClusters& clusters) {
  const FloatEnvironment environment;
  return with_scalar(points.scalar, [&]<class T>() {
    return BruteMembership<T>(points, options, clusters,
                              {nullptr, 0, points.dimension, points.dimension, points.scalar})
        .of_points();
  });
}

std::vector<double> brute_memberships(const PointsView& points, const HdbscanOptions& options,
                                      const HdbscanClusters& clusters, const PointsView& queries) {
  const FloatEnvironment environment;
  return with_scalar(points.scalar, [&]<class T>() {
    return BruteMembership<T>(points, options, clusters, queries).of_queries();
  });
}

}  // namespace kith
