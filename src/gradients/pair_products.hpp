// The terms of derivatives by distances, one row of pairs at a time: for one process and for ranks.
#pragma once

#include "gradients/pair_gradient.hpp"

namespace kith {

/// Every pair's neighbor and displacement, or none: visit(pair, neighbor, displacement).
template <int D, class T, class Visit>
void visit_pairs_of(const PairRow<D, T>& row, Visit visit) {
  T between[kAxisRoom<D>];
  for (std::size_t pair = row.begin; pair < row.end; ++pair) {
    const std::int64_t neighbor = row.neighbor(pair);
    if (neighbor >= 0) row.displacement(neighbor, between);
    visit(pair, neighbor, between);
  }
}

/// The vectors of PairGradientSum for the derivative of the distances: each pair has one cotangent.
template <class T, class CotangentOf>
auto distance_vectors(CotangentOf cotangent_of) {
  return [cotangent_of]<int D>(const PairRow<D, T>& row, T* vectors) {
    const Axes<D> axes = row.metric.axes;
    visit_pairs_of(row, [&](std::size_t pair, std::int64_t neighbor, const T* between) {
      T* vector = vectors + (pair - row.begin) * static_cast<std::size_t>(axes.count());
      if (neighbor < 0) return;
      const double inverse = inverse_length(between, axes);
      // A cotangent that is not finite must not reach pairs whose derivative is 0.
      const double factor =
          inverse > 0 ? static_cast<double>(cotangent_of(row.row, pair)) * inverse : 0;
      for (int axis = 0; axis < axes.count(); ++axis)
        vector[axis] = static_cast<T>(factor * static_cast<double>(between[axis]));
    });
  };
}

/// Tangents of a pair: that of its point minus that of its query.
template <class T>
struct TangentReader {
  const T *points, *queries;
  std::size_t d;

  TangentReader(const PairTangent<T>& tangent, const PairsOf& pairs)
      : points(tangent.points),
        queries(pairs.queries.data ? tangent.queries : tangent.points),
        d(static_cast<std::size_t>(pairs.points.dimension)) {}
  TangentReader(const T* of_points, const T* of_queries, int dimension)
      : points(of_points), queries(of_queries), d(static_cast<std::size_t>(dimension)) {}

  double operator()(std::int64_t neighbor, std::size_t row, int axis) const {
    const auto a = static_cast<std::size_t>(axis);
    const T to = points ? points[static_cast<std::size_t>(neighbor) * d + a] : T(0);
    const T from = queries ? queries[row * d + a] : T(0);
    return static_cast<double>(to) - static_cast<double>(from);
  }

  /// The tangent of the distance.
  template <int D>
  double along(std::int64_t neighbor, std::size_t row, const T* between, Axes<D> axes) const {
    double sum = 0;
    for (int axis = 0; axis < axes.count(); ++axis)
      sum += static_cast<double>(between[axis]) * (*this)(neighbor, row, axis);
    const double inverse = inverse_length(between, axes);
    return inverse > 0 ? sum * inverse : 0;
  }
};

/// The tangents of the distances of a row.
template <int D, class T>
void distance_tangents(const PairRow<D, T>& row, const TangentReader<T>& read, T* out) {
  visit_pairs_of(row, [&](std::size_t pair, std::int64_t neighbor, const T* between) {
    out[pair] = neighbor < 0
                    ? T(0)
                    : static_cast<T>(read.along(neighbor, row.row, between, row.metric.axes));
  });
}

}  // namespace kith
