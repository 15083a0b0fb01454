// Memberships: the nearness to the densest points of each cluster, times how the density falls on
// the way to it in the condensed tree.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <kith/membership.hpp>

#include "clusters/tied_points.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

constexpr const char* kMemberships = "memberships";
constexpr double kNoBound = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();
/// Added to densities that a number is divided by, as in hdbscan.
constexpr double kSmall = 1e-8;
constexpr std::size_t kNowhere = ~std::size_t{0};

/// Where a row's point leaves the clusters, or is tied to one that does.
struct Exit {
  std::size_t cluster = kNowhere;
  double lambda = 0;
};

/// The label of the selected cluster around each cluster, or -1.
std::vector<std::int32_t> owners(const HdbscanClusters& clusters, const ClusterTree& all) {
  std::vector<std::int32_t> owner(all.count(), -1);
  const std::vector<std::uint8_t> is_taken = taken_clusters(clusters, all);
  std::int32_t next = 0;
  for (std::size_t c = 0; c < all.count(); ++c)
    owner[c] = is_taken[c] ? next++ : c > 0 ? owner[all.parent[c]] : -1;
  return owner;
}

/// Exemplars: the points that leave the leaves of a selected cluster last. The label of the cluster
/// that each point is one of, or -1.
std::vector<std::int32_t> exemplars(const HdbscanClusters& clusters, const ClusterTree& all,
                                    const Exits& exits, const Labelling& labelling,
                                    const Workers& workers) {
  const std::vector<std::int32_t> owner = owners(clusters, all);
  std::vector<std::int32_t> label(clusters.label.size(), -1);
  const CondensedTree& rows = clusters.condensed_tree;
  for_each_in_order(workers, rows.rows(), [&](std::size_t row) {
    if (!labelling.is_point(rows, row)) return;
    const auto point = static_cast<std::uint32_t>(rows.child[row]);
    const std::size_t leaf = exits.cluster(point);
    if (!all.splits[leaf] && exits.lambda(point) == all.death[leaf]) label[point] = owner[leaf];
  });
  return label;
}

/// The distance of each query to the nearest exemplar of each cluster, in rows.
template <class T>
void find_distances(const AnyTree& tree, const SpanningTree::Impl& spanning,
                    const PlanesView<T>& queries, const std::vector<std::int32_t>& exemplar,
                    std::size_t count, std::vector<double>& rows, Workers& workers) {
  const Planes<T>& planes = impl_of(tree).as<T>().planes;
  for (std::size_t c = 0; c < count; ++c) {
    Array<std::uint8_t> mask(planes.points, workers.pool());
    workers.for_ranges(planes.points, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; ++at)
        mask[at] = exemplar[planes.index(at)] == static_cast<std::int32_t>(c);
    });
    const Subset<T> own = subset(planes, mask, workers);
    if (own.planes.points == 0) continue;
    KnnJob<T> job;
    set_source(job, tree);
    job.source = own.planes.view();
    job.queries = queries;
    job.is_grouped = own.planes.points / 32 <= queries.points;
    job.k = 1;
    job.limit2 = std::numeric_limits<T>::infinity();
    job.wants_d2 = true;
    const auto note = [&](const Found<T>& found) {
      rows[found.row * count + c] = spanning.length(found.distance[0]);
    };
    const FunctionRef<void(const Found<T>&)> visitor(note);
    job.visit = &visitor;
    run_search(job, "exemplars", 1, workers);
  }
}

/// For the points that leave one cluster: the density at which they and a selected cluster part, or
/// -1 if one is inside the other, so that they part where the point leaves.
class PartingDensities {
 public:
  PartingDensities(const HdbscanClusters& clusters, const ClusterTree& all)
      : all_(all), part_(all.count()), of_selected_(clusters.count()) {
    for (const std::int64_t number : clusters.selected)
      selected_.push_back(static_cast<std::size_t>(number - all.first));
  }

  void find(std::size_t cluster) {
    std::fill(part_.begin(), part_.end(), 0.0);
    for (std::size_t c = cluster;; c = all_.parent[c]) {
      part_[c] = kInside;
      if (c == 0) break;
    }
    for (std::size_t c = 1; c < all_.count(); ++c) {
      if (part_[c] == kInside) continue;
      const std::size_t parent = all_.parent[c];
      const bool splits_off = part_[parent] == kInside && parent < cluster;
      part_[c] = splits_off ? all_.birth[c] : part_[parent];
    }
    for (std::size_t i = 0; i < selected_.size(); ++i) of_selected_[i] = part_[selected_[i]];
  }

  double height(std::size_t i, double lambda) const {
    return of_selected_[i] == kInside ? lambda : of_selected_[i];
  }
  double death(std::size_t i) const { return all_.death[selected_[i]]; }

 private:
  static constexpr double kInside = -1;

  const ClusterTree& all_;
  std::vector<std::size_t> selected_;
  std::vector<double> part_;  // per cluster
  std::vector<double> of_selected_;
};

/// The share of each number in their sum, which must be positive.
void normalize(std::span<double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  for (double& value : values) value /= sum;
}

/// exp of each number as a share; of infinite ones, all of it.
void normalize_exponents(std::span<double> values) {
  const double most = *std::max_element(values.begin(), values.end());
  for (double& value : values)
    value = std::isinf(most) ? (value == most ? 1.0 : 0.0) : std::exp(value - most);
  normalize(values);
}

/// From distances to the nearest exemplars: shares in inverse proportion.
void share_by_distance(std::span<double> distance) {
  const double nearest = kLargest / static_cast<double>(distance.size());
  for (double& value : distance) value = value > 0 ? std::min(1 / value, nearest) : nearest;
  normalize(distance);
}

double ratio(double a, double b) { return std::isinf(a) && std::isinf(b) ? 1 : a / b; }

/// One row, from distances to memberships. Points of the clusters and new ones have different
/// formulas in hdbscan.
class RowFormula {
 public:
  RowFormula(const PartingDensities& parting, double death, bool is_new, std::size_t count)
      : parting_(parting), death_(death), is_new_(is_new), score_(count) {}

  void apply(std::span<double> row, double lambda) {
    for (std::size_t i = 0; i < row.size(); ++i)
      score_[i] = is_new_ ? new_score(parting_.height(i, lambda))
                          : std::exp(-ratio(death_ + kSmall, parting_.height(i, lambda)));
    normalize_exponents(score_);
    share_by_distance(row);
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = is_new_ ? std::sqrt(row[i]) * (score_[i] * score_[i]) : row[i] * score_[i];
      sum += row[i];
    }
    const double any = in_any(lambda);
    for (double& value : row) value = sum > 0 ? value / sum * any : 0;
  }

 private:
  double new_score(double height) const {
    if (std::isinf(death_)) return std::isinf(height) ? kNoBound : 1;
    return death_ > height ? death_ / (death_ - height) : death_ / kSmall;
  }

  /// The probability that the point belongs to any of the clusters.
  double in_any(double lambda) const {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < score_.size(); ++i)
      if (parting_.height(i, lambda) > parting_.height(nearest, lambda)) nearest = i;
    const double most = std::max(lambda, parting_.death(nearest)) + (is_new_ ? kSmall : 0);
    return ratio(parting_.height(nearest, lambda), most);
  }

  const PartingDensities& parting_;
  double death_;
  bool is_new_;
  std::vector<double> score_;
};

/// The rows of each cluster together, since they share the densities at which they part from
/// others.
void apply_formula(const HdbscanClusters& clusters, const ClusterTree& all,
                   const std::vector<Exit>& exits, bool is_new, std::vector<double>& rows,
                   Workers& workers) {
  std::vector<std::vector<std::uint32_t>> leaving(all.count());
  for_each_in_order(workers, exits.size(), [&](std::size_t i) {
    if (exits[i].cluster == kNowhere) return;
    leaving[exits[i].cluster].push_back(static_cast<std::uint32_t>(i));
  });
  const Stage stage(workers, "memberships", exits.size());
  const std::size_t count = clusters.count();
  const std::size_t grain = std::clamp<std::size_t>((std::size_t{1} << 15) / count, 1, 256);
  PartingDensities parting(clusters, all);
  for (std::size_t c = 0; c < all.count(); ++c) {
    if (leaving[c].empty()) continue;
    workers.check_cancelled();
    parting.find(c);
    workers.for_ranges(leaving[c].size(), grain, [&](std::size_t begin, std::size_t end) {
      RowFormula formula(parting, all.death[c], is_new, count);
      for (std::size_t at = begin; at < end; ++at) {
        const std::size_t i = leaving[c][at];
        formula.apply(std::span(rows).subspan(i * count, count), exits[i].lambda);
      }
      workers.advance(end - begin);
    });
  }
}

/// The clusters and their tree, for both calls.
class Memberships {
 public:
  Memberships(const AnyTree& tree, const Hierarchy& hierarchy, const HdbscanClusters& clusters,
              Workers& workers)
      : tree_(tree),
        clusters_(clusters),
        workers_(workers),
        spanning_(impl_of(impl_of(hierarchy).tree)),
        all_(cluster_tree(clusters.condensed_tree, spanning_, workers)),
        labelling_(all_, taken_clusters(clusters, all_), clusters.selection_epsilon),
        exits_(clusters, all_, labelling_, workers) {}

  std::vector<double> of_points() {
    std::vector<Exit> exit(clusters_.label.size());
    auto rows = filled<double>(workers_, exit.size() * clusters_.count());
    with_scalar(tree_.scalar(), [&]<class T>() {
      const Planes<T>& planes = impl_of(tree_).as<T>().planes;
      for_each_in_order(workers_, planes.points, [&](std::size_t at) {
        const std::uint32_t point = planes.index(at);
        exit[point] = {exits_.cluster(point), exits_.lambda(point)};
      });
      fill<T>(implicit_view<T>(impl_of(tree_)), exit, false, rows);
    });
    return rows;
  }

  std::vector<double> of_new(const PointsView& points) {
    std::vector<Exit> exit(points.size);
    auto rows = filled<double>(workers_, exit.size() * clusters_.count());
    with_scalar(tree_.scalar(), [&]<class T>() {
      Ties<T> ties(tree_, spanning_, points.size, workers_);
      ties.find(points, workers_);
      for_each_in_order(workers_, exit.size(), [&](std::size_t i) {
        if (ties.point[i] == Ties<T>::kNoPoint) return;
        const double length = spanning_.length(ties.length2[i]);
        const double lambda = length > 0 ? 1 / length : kNoBound;
        exit[i] = {exits_.cluster(ties.point[i]), std::min(lambda, exits_.lambda(ties.point[i]))};
      });
      const QueryTree<T> asked(points, tree_, workers_);
      if (asked.size() > 0) fill<T>(asked.planes().view(), exit, true, rows);
    });
    return rows;
  }

 private:
  template <class T>
  void fill(const PlanesView<T>& queries, const std::vector<Exit>& exit, bool is_new,
            std::vector<double>& rows) {
    if (rows.empty() || queries.points == 0) return;
    find_distances<T>(tree_, spanning_, queries,
                      exemplars(clusters_, all_, exits_, labelling_, workers_), clusters_.count(),
                      rows, workers_);
    apply_formula(clusters_, all_, exit, is_new, rows, workers_);
  }

  const AnyTree& tree_;
  const HdbscanClusters& clusters_;
  Workers& workers_;
  const SpanningTree::Impl& spanning_;
  ClusterTree all_;
  Labelling labelling_;
  Exits exits_;
};

}  // namespace

std::vector<double> memberships(const AnyTree& tree, const Hierarchy& hierarchy,
                                const HdbscanClusters& clusters, const Execution& execution) {
  return public_call(kMemberships, execution, [&](Workers& workers) {
    check_fit(kMemberships, tree, impl_of(impl_of(hierarchy).tree), clusters);
    return Memberships(tree, hierarchy, clusters, workers).of_points();
  });
}

std::vector<double> memberships(const AnyTree& tree, const Hierarchy& hierarchy,
                                const HdbscanClusters& clusters, PointsView points,
                                const Execution& execution) {
  return public_call(kMemberships, execution, [&](Workers& workers) {
    check_fit(kMemberships, tree, impl_of(impl_of(hierarchy).tree), clusters);
    check_queries(kMemberships, searched(tree), points);
    return Memberships(tree, hierarchy, clusters, workers).of_new(points);
  });
}

}  // namespace kith
