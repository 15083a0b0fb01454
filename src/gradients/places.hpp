// Points and lists as the gradients read them: coordinates wrapped and scaled as in a tree, so that
// displacements have the bits of the searches' distances.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <kith/gradients.hpp>

#include "base/array.hpp"
#include "base/fail.hpp"
#include "geometry/distance.hpp"
#include "parallel/grains.hpp"
#include "parallel/workers.hpp"
#include "tree/input.hpp"

namespace kith {

/// The rows of a view in the frame of a tree over the points.
template <class T>
Array<T> places_of(const PointsView& view, const Frame<T>& frame, const Workers& workers) {
  const auto d = static_cast<std::size_t>(view.dimension);
  Array<T> places(view.size * d, workers.pool());
  const T* data = static_cast<const T*>(view.data);
  workers.for_ranges(view.size, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t axis = 0; axis < d; ++axis)
        places[i * d + axis] =
            frame(data[static_cast<std::ptrdiff_t>(i) * view.stride + static_cast<int>(axis)],
                  static_cast<int>(axis));
  });
  return places;
}

/// The neighbor of a pair, or a negative number.
inline std::int64_t neighbor_of(const ListsView& lists, std::size_t pair) {
  return lists.is_long ? static_cast<const std::int64_t*>(lists.index)[pair]
                       : static_cast<const std::int32_t*>(lists.index)[pair];
}

/// Both sides of the pairs of lists.
template <class T>
struct PairPlaces {
  Frame<T> frame;
  Array<T> point_places, query_places;
  const T *points, *queries;
  std::size_t size;      ///< of the points
  std::size_t rows;      ///< of the queries
  bool has_own_queries;  ///< they are not the points
  const ListsView& lists;
  T unscale;  ///< from the frame's lengths to the caller's

  PairPlaces(const PairsOf& pairs, const Workers& workers)
      : frame(read_input<T>(pairs.points, pairs.box, NonFinite::drop, workers).frame),
        point_places(places_of(pairs.points, frame, workers)),
        points(point_places.data()),
        size(pairs.points.size),
        rows(pairs.lists.rows),
        has_own_queries(pairs.queries.data != nullptr),
        lists(pairs.lists),
        unscale(std::ldexp(T(1), -frame.exponent)) {
    if (has_own_queries) query_places = places_of(pairs.queries, frame, workers);
    queries = has_own_queries ? query_places.data() : points;
  }
  /// Places that are in a frame already; without places of queries, those are the first points.
  PairPlaces(const Frame<T>& common, Array<T> of_points, std::size_t count, Array<T> of_queries,
             bool own_queries, const ListsView& of)
      : frame(common),
        point_places(std::move(of_points)),
        query_places(std::move(of_queries)),
        points(point_places.data()),
        queries(own_queries ? query_places.data() : points),
        size(count),
        rows(of.rows),
        has_own_queries(own_queries),
        lists(of),
        unscale(std::ldexp(T(1), -common.exponent)) {}

  template <int D>
  Metric<D, T> metric(Axes<D> axes) const {
    Metric<D, T> metric{axes};
    for (int axis = 0; axis < axes.count(); ++axis) metric.side[axis] = frame.side[axis];
    return metric;
  }
};

/// Checks the shapes and that no list points beyond the points. Errors: invalid_argument.
void check_pairs(const char* call, const PairsOf& pairs, Scalar scalar, const Workers& workers);

/// The factor that makes a displacement one of unit length; 0 for a displacement of 0. float64
/// holds the squares of floats; those of doubles of extreme size are taken in two steps.
template <int D, class T>
double inverse_length(const T* between, Axes<D> axes) {
  double sum = 0;
  for (int axis = 0; axis < axes.count(); ++axis)
    sum += static_cast<double>(between[axis]) * static_cast<double>(between[axis]);
  if (sum > 1e-280 && sum < 1e280) return 1 / std::sqrt(sum);
  double largest = 0;
  for (int axis = 0; axis < axes.count(); ++axis)
    largest = std::max(largest, std::abs(static_cast<double>(between[axis])));
  if (!(largest > 0)) return 0;
  sum = 0;
  for (int axis = 0; axis < axes.count(); ++axis) {
    const double part = static_cast<double>(between[axis]) / largest;
    sum += part * part;
  }
  return 1 / (std::sqrt(sum) * largest);
}

}  // namespace kith
