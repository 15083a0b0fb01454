// DBCV by its definition: all pairs inside each cluster, and all pairs of inner points.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <kith/validity.hpp>

#include "base/fail.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"
#include "tree/input.hpp"

namespace kith {
namespace {

constexpr double kNowhereNear = std::numeric_limits<double>::infinity();

/// Points as columns.
struct Places {
  std::vector<std::vector<double>> x;
  std::vector<double> core;  ///< the all-points core distance

  std::size_t size() const { return core.size(); }
  double distance(std::size_t i, const Places& others, std::size_t j) const {
    double d2 = 0;
    for (std::size_t axis = 0; axis < x.size(); ++axis) {
      const double dx = x[axis][i] - others.x[axis][j];
      d2 = d2 + dx * dx;
    }
    return std::sqrt(d2);
  }
  double reachability(std::size_t i, const Places& others, std::size_t j) const {
    return std::max({distance(i, others, j), core[i], others.core[j]});
  }
};

/// All that the index needs of a cluster.
struct ValidityOfCluster {
  std::size_t size = 0;
  double sparseness = 0;  ///< the longest inner edge of the spanning tree
  Places inner;           ///< points with several edges
};

double coordinate(const PointsView& points, std::size_t i, std::size_t axis) {
  const std::ptrdiff_t at =
      static_cast<std::ptrdiff_t>(i) * points.stride + static_cast<std::ptrdiff_t>(axis);
  return points.scalar == Scalar::float32 ? double{static_cast<const float*>(points.data)[at]}
                                          : static_cast<const double*>(points.data)[at];
}

Places places_of(const PointsView& points, const std::vector<std::size_t>& members) {
  Places places;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(points.dimension); ++axis) {
    std::vector<double>& column = places.x.emplace_back();
    for (const std::size_t i : members) {
      column.push_back(coordinate(points, i, axis));
      if (!std::isfinite(column.back()))
        fail(ErrorCode::non_finite, "dbcv: coordinate {} of point {} is {}; give it the label -1",
             axis, i, column.back());
    }
  }
  places.core.resize(members.size(), 0);
  return places;
}

/// Rows of all pairs, about as many pairs a task.
std::size_t row_grain(std::size_t columns) {
  return std::clamp<std::size_t>((std::size_t{1} << 18) / (columns + 1), 1, 4096);
}

void find_core_distances(Places& places, const Workers& workers) {
  const std::size_t n = places.size(), dimension = places.x.size();
  if (n < 2) return;
  workers.for_ranges(n, row_grain(n), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double d = places.distance(i, places, j);
        if (!(d > 0)) continue;
        double power = 1 / d;
        for (std::size_t axis = 1; axis < dimension; ++axis) power *= 1 / d;
        sum += power;
      }
      const double mean = sum / static_cast<double>(n - 1);
      places.core[i] = mean > 0 ? std::pow(mean, -1.0 / static_cast<double>(dimension)) : 0;
    }
  });
}

struct ValidityEdge {
  std::size_t from, to;
  double length;
};

/// The spanning tree of Prim's algorithm from the first point: of equally near points the lowest
/// joins, by an edge to the lowest one.
std::vector<ValidityEdge> prim_edges(const Places& places, const Workers& workers) {
  const std::size_t n = places.size();
  std::vector<ValidityEdge> best(n);
  for (std::size_t j = 1; j < n; ++j) best[j] = {0, j, kNowhereNear};
  std::vector<ValidityEdge> edges, open(best.begin() + 1, best.end());
  WorkMeter meter(workers, std::size_t{1} << 18);
  for (std::size_t last = 0; !open.empty();) {
    std::size_t nearest = 0;
    for (std::size_t k = 0; k < open.size(); ++k) {
      ValidityEdge& edge = open[k];
      const double length = places.reachability(last, places, edge.to);
      if (length < edge.length || (length == edge.length && last < edge.from))
        edge = {last, edge.to, length};
      if (edge.length < open[nearest].length) nearest = k;
    }
    meter.add(open.size());
    edges.push_back(open[nearest]);
    last = open[nearest].to;
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(nearest));
  }
  return edges;
}

Places inner_places(const Places& all, const std::vector<std::size_t>& chosen) {
  Places inner;
  for (const std::vector<double>& column : all.x) {
    std::vector<double>& own = inner.x.emplace_back();
    for (const std::size_t i : chosen) own.push_back(column[i]);
  }
  for (const std::size_t i : chosen) inner.core.push_back(all.core[i]);
  return inner;
}

ValidityOfCluster cluster_validity(Places places, const Workers& workers) {
  find_core_distances(places, workers);
  const std::vector<ValidityEdge> edges = prim_edges(places, workers);
  std::vector<std::size_t> degree(places.size(), 0), inner;
  for (const ValidityEdge& edge : edges) ++degree[edge.from], ++degree[edge.to];
  for (std::size_t i = 0; i < degree.size(); ++i)
    if (degree[i] > 1) inner.push_back(i);
  ValidityOfCluster out{.size = places.size()};
  double longest = 0, longest_inner = -1;
  for (const ValidityEdge& edge : edges) {
    longest = std::max(longest, edge.length);
    if (degree[edge.from] > 1 && degree[edge.to] > 1)
      longest_inner = std::max(longest_inner, edge.length);
  }
  out.sparseness = longest_inner >= 0 ? longest_inner : longest;
  if (inner.empty()) inner.push_back(0);
  out.inner = inner_places(places, inner);
  return out;
}

/// The least mutual reachability between inner points of a cluster and those of any other.
double separation(const std::vector<ValidityOfCluster>& clusters, std::size_t c,
                  const Workers& workers) {
  const Places& own = clusters[c].inner;
  std::size_t columns = 0;
  for (const ValidityOfCluster& each : clusters) columns += each.inner.size();
  return reduce(
      workers, own.size(), row_grain(columns), kNowhereNear,
      [&](std::size_t begin, std::size_t end) {
        double least = kNowhereNear;
        for (std::size_t i = begin; i < end; ++i)
          for (std::size_t other = 0; other < clusters.size(); ++other) {
            if (other == c) continue;
            const Places& theirs = clusters[other].inner;
            for (std::size_t j = 0; j < theirs.size(); ++j)
              least = std::min(least, own.reachability(i, theirs, j));
          }
        return least;
      },
      [](double a, double b) { return std::min(a, b); });
}

/// A single point has no spanning tree: 0.
double score(const ValidityOfCluster& cluster, double separation) {
  if (cluster.size == 0) return std::numeric_limits<double>::quiet_NaN();
  const double most = std::max(separation, cluster.sparseness);
  return cluster.size == 1 || most == 0 ? 0 : (separation - cluster.sparseness) / most;
}

std::vector<std::vector<std::size_t>> members_of(std::span<const std::int32_t> label,
                                                 const Workers& workers) {
  std::vector<std::vector<std::size_t>> members;
  for_each_in_order(workers, label.size(), [&](std::size_t i) {
    if (label[i] < 0) return;
    const auto cluster = static_cast<std::size_t>(label[i]);
    if (cluster >= label.size())
      refuse("dbcv: label {} of point {}; number the clusters of {} points from 0", label[i], i,
             label.size());
    if (cluster >= members.size()) members.resize(cluster + 1);
    members[cluster].push_back(i);
  });
  return members;
}

}  // namespace

Dbcv dbcv(PointsView points, std::span<const std::int32_t> label, const Execution& execution) {
  return public_call("dbcv", execution, [&](Workers& workers) {
    check_view("dbcv", points, Box());
    if (label.size() != points.size)
      refuse("dbcv: {} labels for {} points; give one for each", label.size(), points.size);
    const auto members = members_of(label, workers);
    if (members.empty())
      refuse("dbcv: no cluster among {} points; give at least one label of 0 or more", points.size);
    const Stage stage(workers, "clusters", members.size());
    std::vector<ValidityOfCluster> clusters;
    for (const std::vector<std::size_t>& each : members) {
      clusters.push_back(each.empty() ? ValidityOfCluster{}
                                      : cluster_validity(places_of(points, each), workers));
      workers.advance(1);
    }
    Dbcv out;
    for (std::size_t c = 0; c < clusters.size(); ++c) {
      out.cluster.push_back(score(clusters[c], separation(clusters, c, workers)));
      if (clusters[c].size > 0)
        out.index += static_cast<double>(clusters[c].size) / static_cast<double>(points.size) *
                     out.cluster[c];
    }
    return out;
  });
}

}  // namespace kith
