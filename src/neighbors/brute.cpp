#include "neighbors/brute.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/float_environment.hpp"
#include "geometry/distance.hpp"
#include "neighbors/limits.hpp"
#include "tree/input.hpp"

namespace kith {
namespace {

constexpr Axes<kAnyDimension> axes_of(int dimension) { return Axes<kAnyDimension>(dimension); }

/// The points that count, in the tree's frame.
template <class T>
struct Rows {
  int dimension;
  std::vector<T> x;
  std::vector<std::uint32_t> index;

  explicit Rows(const Input<T>& input) : dimension(input.dimension) {
    T row[kMaxDimension];
    for (std::size_t i = 0; i < input.size; ++i) {
      input.load(i, axes_of(dimension), row);
      x.insert(x.end(), row, row + dimension);
      index.push_back(input.index(i));
    }
  }
  const T* row(std::size_t i) const { return x.data() + i * static_cast<std::size_t>(dimension); }
};

/// How far neighbors may be, and by which norm.
struct Limit {
  double radius;
  bool strict;
  double p;
};

template <class T>
struct Search {
  Frame<T> frame;
  Metric<kAnyDimension, T> metric;
  T unscale;

  Search(const Frame<T>& frame_of_tree, int dimension)
      : frame(frame_of_tree),
        metric{axes_of(dimension)},
        unscale(std::ldexp(T(1), -frame.exponent)) {
    std::copy_n(frame.side, dimension, metric.side);
  }

  /// All points within a limit but `self`, by (d2, index).
  BruteRow<T> near(const T* query, const Rows<T>& points, const Limit& limit,
                   std::int64_t self) const {
    if (limit.p != 2)
      return with_norm<T>(
          limit.p, [&](const auto& norm) { return near_by(norm, query, points, limit, self); });
    const T most = limit2(limit.radius, limit.strict, frame);
    std::vector<std::pair<T, std::uint32_t>> found;
    for (std::size_t i = 0; i < points.index.size(); ++i) {
      const T d2 = metric.distance2(query, points.row(i));
      if (d2 <= most && points.index[i] != self) found.emplace_back(d2, points.index[i]);
    }
    std::sort(found.begin(), found.end());
    BruteRow<T> row;
    for (const auto& [d2, index] : found) {
      row.index.push_back(index);
      row.distance.push_back(std::sqrt(d2) * unscale);
    }
    return row;
  }

  /// The same by another norm: (key, index).
  template <class Norm>
  BruteRow<T> near_by(const Norm& norm, const T* query, const Rows<T>& points, const Limit& limit,
                      std::int64_t self) const {
    NormMetric<kAnyDimension, T, Norm> by_norm{norm, metric.axes};
    std::copy_n(frame.side, metric.axes.count(), by_norm.side);
    const auto radius = norm.key_of(std::ldexp(static_cast<T>(limit.radius), frame.exponent));
    std::vector<std::pair<typename Norm::Key, std::uint32_t>> found;
    for (std::size_t i = 0; i < points.index.size(); ++i) {
      const auto key = by_norm.key(query, points.row(i));
      const bool is_near = limit.strict ? key < radius : key <= radius;
      if (is_near && points.index[i] != self) found.emplace_back(key, points.index[i]);
    }
    std::sort(found.begin(), found.end());
    BruteRow<T> row;
    for (const auto& [key, index] : found) {
      row.index.push_back(index);
      row.distance.push_back(norm.length_of(key) * unscale);
    }
    return row;
  }
};

/// Points and queries, read once.
template <class T>
struct Scene {
  Input<T> input;
  Rows<T> points, queries;
  std::size_t rows;
  Search<T> search;

  Scene(const PointsView& view, const TreeOptions& options, const PointsView* asked)
      : input(read_input<T>(view, options.box, options.non_finite, Workers(kOneThread))),
        points(input),
        queries(asked ? Rows<T>(read_queries<T>(*asked, input.frame, options.non_finite,
                                                Workers(kOneThread)))
                      : points),
        rows(asked ? asked->size : view.size),
        search(input.frame, view.dimension) {}

  /// One row per query; limit_of(query's index) bounds it.
  template <class F>
  std::vector<BruteRow<T>> all(bool exclude_self, F limit_of) const {
    std::vector<BruteRow<T>> result(rows);
    for (std::size_t i = 0; i < queries.index.size(); ++i) {
      const std::uint32_t id = queries.index[i];
      result[id] =
          search.near(queries.row(i), points, limit_of(id), exclude_self ? std::int64_t{id} : -1);
    }
    return result;
  }

 private:
  static inline const Execution kOneThread{.threads = 1};
};

template <class T>
std::vector<BruteRow<T>> knn_rows(const Scene<T>& scene, const KnnOptions& options) {
  const Limit limit{options.max_radius, options.strict, options.p};
  auto rows = scene.all(options.exclude_self, [&](std::size_t) { return limit; });
  for (BruteRow<T>& row : rows) {
    row.index.resize(options.k, -1);
    row.distance.resize(options.k, std::numeric_limits<T>::infinity());
  }
  return rows;
}

template <class T>
std::vector<BruteRow<T>> radius_rows(const Scene<T>& scene, const RadiusOptions& options) {
  return scene.all(options.exclude_self, [&](std::size_t i) {
    return Limit{options.radii.empty() ? options.radius : options.radii[i], options.strict,
                 options.p};
  });
}

/// Which of the radii, in ascending order, is the first to hold a key; their number if none does.
template <class Key>
std::size_t bin_of(Key key, const std::vector<double>& limits) {
  std::size_t bin = 0;
  while (bin < limits.size() && !(static_cast<double>(key) <= limits[bin])) ++bin;
  return bin;
}

template <class T>
std::vector<double> pair_sums(const Rows<T>& receivers, const Rows<T>& sources,
                              const Frame<T>& frame, const PairWeights& weights,
                              const PairCountOptions& options) {
  const auto weight = [](std::span<const double> of, std::uint32_t i) {
    return of.empty() ? 1 : of[i];
  };
  std::vector<double> result(options.radii.size());
  with_norm<T>(options.p, [&]<class Norm>(const Norm& norm) {
    NormMetric<kAnyDimension, T, Norm> metric{norm, axes_of(sources.dimension)};
    std::copy_n(frame.side, sources.dimension, metric.side);
    for (std::size_t r = 0; r < options.radii.size(); ++r) {
      std::vector<double> limits{key_limit(options.radii[r], options.strict, options.p, frame)};
      if (!options.cumulative && r > 0)
        limits.insert(limits.begin(),
                      key_limit(options.radii[r - 1], options.strict, options.p, frame));
      for (std::size_t i = 0; i < receivers.index.size(); ++i)
        for (std::size_t j = 0; j < sources.index.size(); ++j)
          if (bin_of(metric.key(receivers.row(i), sources.row(j)), limits) + 1 == limits.size())
            result[r] += weight(weights.receivers, receivers.index[i]) *
                         weight(weights.sources, sources.index[j]);
    }
  });
  return result;
}

}  // namespace

template <class T>
std::vector<double> brute_pair_counts(PointsView receivers, PointsView sources,
                                      const TreeOptions& options, const PairWeights& weights,
                                      const PairCountOptions& pair_options) {
  const FloatEnvironment environment;
  const Scene<T> from(receivers, options, nullptr), to(sources, options, nullptr);
  Rows<T> rows = from.points;
  Frame<T> change;
  change.exponent = to.input.frame.exponent - from.input.frame.exponent;
  if (change.exponent != 0)
    for (T& x : rows.x) x = change.scaled(x);
  return pair_sums(rows, to.points, to.input.frame, weights, pair_options);
}

template <class T>
std::vector<BruteRow<T>> brute_knn(PointsView points, const TreeOptions& options,
                                   const KnnOptions& knn_options) {
  const FloatEnvironment environment;
  return knn_rows(Scene<T>(points, options, nullptr), knn_options);
}

template <class T>
std::vector<BruteRow<T>> brute_knn(PointsView points, const TreeOptions& options,
                                   PointsView queries, const KnnOptions& knn_options) {
  const FloatEnvironment environment;
  return knn_rows(Scene<T>(points, options, &queries), knn_options);
}

template <class T>
std::vector<BruteRow<T>> brute_radius(PointsView points, const TreeOptions& options,
                                      const RadiusOptions& radius_options) {
  const FloatEnvironment environment;
  return radius_rows(Scene<T>(points, options, nullptr), radius_options);
}

template <class T>
std::vector<BruteRow<T>> brute_radius(PointsView points, const TreeOptions& options,
                                      PointsView queries, const RadiusOptions& radius_options) {
  const FloatEnvironment environment;
  return radius_rows(Scene<T>(points, options, &queries), radius_options);
}

#define KITH_INSTANTIATE(T)                                                                       \
  template std::vector<BruteRow<T>> brute_knn(PointsView, const TreeOptions&, const KnnOptions&); \
  template std::vector<BruteRow<T>> brute_knn(PointsView, const TreeOptions&, PointsView,         \
                                              const KnnOptions&);                                 \
  template std::vector<BruteRow<T>> brute_radius(PointsView, const TreeOptions&,                  \
                                                 const RadiusOptions&);                           \
  template std::vector<BruteRow<T>> brute_radius(PointsView, const TreeOptions&, PointsView,      \
                                                 const RadiusOptions&);                           \
  template std::vector<double> brute_pair_counts<T>(PointsView, PointsView, const TreeOptions&,   \
                                                    const PairWeights&, const PairCountOptions&);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith
