#include <algorithm>
#include <limits>

#include "mpi/neighbors/queries.hpp"
#include "mpi/neighbors/search.hpp"
#include "neighbors/checks.hpp"
#include "neighbors/empty_rows.hpp"
#include "parallel/public_call.hpp"

namespace kith::mpi {
namespace {

/// All neighbors of the queries, by position.
template <class T>
Neighbors<T, Index> knn_rows(Call& call, const Part<T>& part, const Queries<T>& asked,
                             const KnnOptions& options) {
  Neighbors<T, Index> result;
  call.quick([&] { result = Neighbors<T, Index>(asked.view.points, options.k, call.execution()); });
  Sources<T> sources{part, {}, nullptr, options.p};
  search_knn<T>(call, asked, options, sources, result.rows());
  return result;
}

/// Rows by position become rows of the input.
template <class T>
Neighbors<T, Index> return_rows(Call& call, const Route& route, const Planes<T>& planes,
                                std::size_t input_size, const Neighbors<T, Index>& rows) {
  Neighbors<T, Index> result;
  Array<std::uint32_t> position;
  call.phase([&](Workers& workers) {
    result = Neighbors<T, Index>(input_size, rows.k(), call.execution());
    if (route.size() < input_size) fill_empty(result.rows(), result.k(), workers);
    position = Array<std::uint32_t>(planes.points, workers.pool());
    for (std::size_t i = 0; i < planes.points; ++i)
      position[planes.index(i)] = static_cast<std::uint32_t>(i);
  });
  const std::size_t k = rows.k();
  return_values(
      call, route,
      [&](std::size_t local) -> const void* { return rows.indices() + position[local] * k; },
      k * sizeof(Index), result.rows().index);
  return_values(
      call, route,
      [&](std::size_t local) -> const void* { return rows.distances() + position[local] * k; },
      k * sizeof(T), result.rows().distance);
  call.note_traffic("rows");
  return result;
}

}  // namespace

template <Coordinate T>
Neighbors<T, Index> knn(const Domains& domains, const KnnOptions& options,
                        const Execution& execution) {
  return public_call("knn", [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call("knn", *impl.communicator, execution, Devices::used);
    agree_on_nearest(call, options);
    call.quick([&] { check_nearest<T>("knn", impl.scalar, options); });
    const Part<T>& part = impl.as<T>();
    const Queries<T> asked{&part.planes, part.view(), true};
    Neighbors<T, Index> rows = knn_rows(call, part, asked, options);
    if (options.order == RowOrder::tree) return rows;
    return return_rows(call, impl.route, part.planes, impl.input_size, rows);
  });
}

template <Coordinate T>
Neighbors<T, Index> knn(const Domains& domains, PointsView queries, const KnnOptions& options,
                        const Execution& execution) {
  return public_call("knn", [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call("knn", *impl.communicator, execution, Devices::used);
    agree_on_nearest(call, options);
    call.quick([&] {
      check_nearest<T>("knn", impl.scalar, options);
      check_not_self("knn", options.exclude_self);
    });
    const Part<T>& part = impl.as<T>();
    const RoutedQueries<T> asked = route_queries<T>(call, impl, queries);
    const Neighbors<T, Index> rows = knn_rows(call, part, asked.asked(), options);
    return return_rows(call, asked.route, asked.planes, queries.size, rows);
  });
}

#define KITH_INSTANTIATE(T)                                                              \
  template Neighbors<T, Index> knn(const Domains&, const KnnOptions&, const Execution&); \
  template Neighbors<T, Index> knn(const Domains&, PointsView, const KnnOptions&, const Execution&);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith::mpi
