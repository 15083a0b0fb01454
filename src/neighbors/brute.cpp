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

template <class T>
struct Search {
  Metric<kAnyDimension, T> metric;
  T limit2;
  T unscale;
  std::size_t k;

  Search(const Frame<T>& frame, int dimension, const KnnOptions& options)
      : metric{axes_of(dimension)},
        limit2(kith::limit2(options.max_radius, options.strict, frame)),
        unscale(std::ldexp(T(1), -frame.exponent)),
        k(options.k) {
    std::copy_n(frame.side, dimension, metric.side);
  }

  /// All points but `self`, by (d2, index); the first k of them.
  BruteRow<T> nearest(const T* query, const Rows<T>& points, std::int64_t self) const {
    std::vector<std::pair<T, std::uint32_t>> near;
    for (std::size_t i = 0; i < points.index.size(); ++i) {
      const T d2 = metric.distance2(query, points.row(i));
      if (d2 <= limit2 && points.index[i] != self) near.emplace_back(d2, points.index[i]);
    }
    std::sort(near.begin(), near.end());
    near.resize(std::min(near.size(), k));
    BruteRow<T> row{std::vector<std::int64_t>(k, -1),
                    std::vector<T>(k, std::numeric_limits<T>::infinity())};
    for (std::size_t i = 0; i < near.size(); ++i) {
      row.index[i] = near[i].second;
      row.distance[i] = std::sqrt(near[i].first) * unscale;
    }
    return row;
  }
};

template <class T>
std::vector<BruteRow<T>> search_all(const Rows<T>& points, const Rows<T>& queries, std::size_t rows,
                                    const Search<T>& search, bool exclude_self) {
  const std::vector<std::int64_t> none(search.k, -1);
  std::vector<BruteRow<T>> result(
      rows, {none, std::vector<T>(search.k, std::numeric_limits<T>::infinity())});
  for (std::size_t i = 0; i < queries.index.size(); ++i)
    result[queries.index[i]] =
        search.nearest(queries.row(i), points, exclude_self ? std::int64_t{queries.index[i]} : -1);
  return result;
}

}  // namespace

template <class T>
std::vector<BruteRow<T>> brute_knn(PointsView points, const TreeOptions& options,
                                   const KnnOptions& knn_options) {
  const FloatEnvironment environment;
  const Execution execution{.threads = 1};
  const auto input = read_input<T>(points, options.box, options.non_finite, Workers(execution));
  const Rows<T> rows(input);
  return search_all(rows, rows, points.size, Search<T>(input.frame, points.dimension, knn_options),
                    knn_options.exclude_self);
}

template <class T>
std::vector<BruteRow<T>> brute_knn(PointsView points, const TreeOptions& options, PointsView queries,
                                   const KnnOptions& knn_options) {
  const FloatEnvironment environment;
  const Execution execution{.threads = 1};
  const Workers workers(execution);
  const auto input = read_input<T>(points, options.box, options.non_finite, workers);
  const auto asked = read_queries<T>(queries, input.frame, options.non_finite, workers);
  return search_all(Rows<T>(input), Rows<T>(asked), queries.size,
                    Search<T>(input.frame, points.dimension, knn_options), false);
}

template std::vector<BruteRow<float>> brute_knn(PointsView, const TreeOptions&, const KnnOptions&);
template std::vector<BruteRow<double>> brute_knn(PointsView, const TreeOptions&, const KnnOptions&);
template std::vector<BruteRow<float>> brute_knn(PointsView, const TreeOptions&, PointsView,
                                                const KnnOptions&);
template std::vector<BruteRow<double>> brute_knn(PointsView, const TreeOptions&, PointsView,
                                                 const KnnOptions&);

}  // namespace kith
