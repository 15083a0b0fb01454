// Displacements, distances and sums over lists of neighbors, and their derivatives.
#include <limits>

#include "gradients/pair_products.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

/// A call over pairs: the checks, the workers, the places.
template <class T, class Work>
void over_pairs(const char* call, const PairsOf& pairs, const Execution& execution, Work work) {
  public_call(call, execution, [&](Workers& workers) {
    check_pairs(call, pairs, scalar_of<T>, workers);
    const Stage stage(workers, call, pairs.lists.rows);
    work(PairPlaces<T>(pairs, workers), workers);
  });
}

/// Products with the derivative of the distances: each pair has one cotangent.
template <class T, class CotangentOf>
void distance_like_vjp(const PairPlaces<T>& places, const PairsOf& pairs, CotangentOf cotangent_of,
                       PairGradient<T> out, const Workers& workers) {
  PairGradientSum<T> sum(places, pairs.points.dimension, workers);
  sum.add(distance_vectors<T>(cotangent_of));
  sum.write(out);
}

}  // namespace

void check_pairs(const char* call, const PairsOf& pairs, Scalar scalar, const Workers& workers) {
  check_view(call, pairs.points, pairs.box);
  const bool has_queries = pairs.queries.data != nullptr;
  if (has_queries) check_view(call, pairs.queries, pairs.box);
  if (pairs.points.scalar != scalar || (has_queries && pairs.queries.scalar != scalar))
    refuse("{}: points and queries must be of the type of the result", call);
  if (has_queries && pairs.queries.dimension != pairs.points.dimension)
    refuse("{}: queries of dimension {} for points of dimension {}", call, pairs.queries.dimension,
           pairs.points.dimension);
  const std::size_t queries = has_queries ? pairs.queries.size : pairs.points.size;
  const ListsView& lists = pairs.lists;
  if (lists.rows != queries)
    refuse("{}: {} lists for {} queries; give one for each", call, lists.rows, queries);
  const auto size = static_cast<std::int64_t>(pairs.points.size);
  workers.for_ranges(lists.pairs(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t pair = begin; pair < end; ++pair)
      if (neighbor_of(lists, pair) >= size)
        refuse("{}: index {} in a list, but there are {} points", call, neighbor_of(lists, pair),
               size);
  });
}

template <Coordinate T>
void displacements(const PairsOf& pairs, T* out, const Execution& execution) {
  over_pairs<T>("displacements", pairs, execution, [&](const auto& places, const Workers& workers) {
    for_each_row(places, pairs.points.dimension, workers, [&]<int D>(const PairRow<D, T>& row) {
      const Axes<D> axes = row.metric.axes;
      visit_pairs_of(row, [&](std::size_t pair, std::int64_t neighbor, const T* between) {
        for (int axis = 0; axis < axes.count(); ++axis)
          out[pair * static_cast<std::size_t>(axes.count()) + static_cast<std::size_t>(axis)] =
              neighbor < 0 ? std::numeric_limits<T>::quiet_NaN() : between[axis] * places.unscale;
      });
    });
  });
}

template <Coordinate T>
void displacements_vjp(const PairsOf& pairs, const T* cotangent, PairGradient<T> out,
                       const Execution& execution) {
  over_pairs<T>("displacements_vjp", pairs, execution,
                [&](const auto& places, const Workers& workers) {
                  PairGradientSum<T> sum(places, pairs.points.dimension, workers);
                  sum.add([&]<int D>(const PairRow<D, T>& row, T* vectors) {
                    const auto d = static_cast<std::size_t>(row.metric.axes.count());
                    std::copy(cotangent + row.begin * d, cotangent + row.end * d, vectors);
                  });
                  sum.write(out);
                });
}

template <Coordinate T>
void displacements_jvp(const PairsOf& pairs, PairTangent<T> tangent, T* out,
                       const Execution& execution) {
  const TangentReader<T> read(tangent, pairs);
  over_pairs<T>(
      "displacements_jvp", pairs, execution, [&](const auto& places, const Workers& workers) {
        for_each_row(places, pairs.points.dimension, workers, [&]<int D>(const PairRow<D, T>& row) {
          const int d = row.metric.axes.count();
          for (std::size_t pair = row.begin; pair < row.end; ++pair)
            for (int axis = 0; axis < d; ++axis) {
              const std::int64_t neighbor = row.neighbor(pair);
              out[pair * static_cast<std::size_t>(d) + static_cast<std::size_t>(axis)] =
                  neighbor < 0 ? T(0) : static_cast<T>(read(neighbor, row.row, axis));
            }
        });
      });
}

template <Coordinate T>
void distances(const PairsOf& pairs, T* out, const Execution& execution) {
  over_pairs<T>("distances", pairs, execution, [&](const auto& places, const Workers& workers) {
    for_each_row(places, pairs.points.dimension, workers, [&]<int D>(const PairRow<D, T>& row) {
      const auto d = static_cast<std::size_t>(row.metric.axes.count());
      for (std::size_t pair = row.begin; pair < row.end; ++pair) {
        const std::int64_t neighbor = row.neighbor(pair);
        out[pair] = neighbor < 0 ? std::numeric_limits<T>::infinity()
                                 : std::sqrt(row.metric.distance2(
                                       places.queries + row.row * d,
                                       places.points + static_cast<std::size_t>(neighbor) * d)) *
                                       places.unscale;
      }
    });
  });
}

template <Coordinate T>
void distances_vjp(const PairsOf& pairs, const T* cotangent, PairGradient<T> out,
                   const Execution& execution) {
  over_pairs<T>("distances_vjp", pairs, execution, [&](const auto& places, const Workers& workers) {
    distance_like_vjp<T>(
        places, pairs, [&](std::size_t, std::size_t pair) { return cotangent[pair]; }, out,
        workers);
  });
}

template <Coordinate T>
void distances_jvp(const PairsOf& pairs, PairTangent<T> tangent, T* out,
                   const Execution& execution) {
  const TangentReader<T> read(tangent, pairs);
  over_pairs<T>("distances_jvp", pairs, execution, [&](const auto& places, const Workers& workers) {
    for_each_row(places, pairs.points.dimension, workers,
                 [&]<int D>(const PairRow<D, T>& row) { distance_tangents(row, read, out); });
  });
}

template <Coordinate T>
void pair_sums_vjp(const PairsOf& pairs, const T* derivative, const T* cotangent,
                   PairGradient<T> out, const Execution& execution) {
  over_pairs<T>("pair_sums_vjp", pairs, execution, [&](const auto& places, const Workers& workers) {
    distance_like_vjp<T>(
        places, pairs,
        [&](std::size_t row, std::size_t pair) {
          return static_cast<double>(derivative[pair]) * static_cast<double>(cotangent[row]);
        },
        out, workers);
  });
}

template <Coordinate T>
void pair_sums_jvp(const PairsOf& pairs, const T* derivative, PairTangent<T> tangent, T* out,
                   const Execution& execution) {
  const TangentReader<T> read(tangent, pairs);
  over_pairs<T>("pair_sums_jvp", pairs, execution, [&](const auto& places, const Workers& workers) {
    for_each_row(places, pairs.points.dimension, workers, [&]<int D>(const PairRow<D, T>& row) {
      double sum = 0;
      visit_pairs_of(row, [&](std::size_t pair, std::int64_t neighbor, const T* between) {
        if (neighbor < 0) return;
        sum += static_cast<double>(derivative[pair]) *
               read.along(neighbor, row.row, between, row.metric.axes);
      });
      out[row.row] = static_cast<T>(sum);
    });
  });
}

#define KITH_INSTANTIATE(T)                                                                     \
  template void displacements(const PairsOf&, T*, const Execution&);                            \
  template void displacements_vjp(const PairsOf&, const T*, PairGradient<T>, const Execution&); \
  template void displacements_jvp(const PairsOf&, PairTangent<T>, T*, const Execution&);        \
  template void distances(const PairsOf&, T*, const Execution&);                                \
  template void distances_vjp(const PairsOf&, const T*, PairGradient<T>, const Execution&);     \
  template void distances_jvp(const PairsOf&, PairTangent<T>, T*, const Execution&);            \
  template void pair_sums_vjp(const PairsOf&, const T*, const T*, PairGradient<T>,              \
                              const Execution&);                                                \
  template void pair_sums_jvp(const PairsOf&, const T*, PairTangent<T>, T*, const Execution&);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith
