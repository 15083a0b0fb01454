#include "mpi/neighbors/queries.hpp"

#include <numeric>
#include <utility>

#include "neighbors/checks.hpp"
#include "neighbors/parts.hpp"

namespace kith::mpi {
namespace {

/// The rank of each query of the input, by its place among the live ones.
template <class T>
std::vector<std::uint32_t> nearest_ranks(const Part<T>& part, const Input<T>& input, int mine,
                                         Workers& workers) {
  std::vector<std::uint32_t> rank(input.size, static_cast<std::uint32_t>(mine));
  if (input.size == 0 || part.boxes.size() == 0) return rank;
  const auto d = static_cast<std::size_t>(input.dimension);
  Array<T> rows(input.size * d, workers.pool());
  const Axes<kAnyDimension> axes(input.dimension);
  for (std::size_t i = 0; i < input.size; ++i) input.load(i, axes, rows.data() + i * d);
  const Planes<T> planes =
      Parts<T>::planes_of_rows(rows.data(), input.size, input.dimension, TreeOptions{}, workers);
  const Array<NearestBox<T>> nearest = nearest_boxes(part, planes.view(), -1, workers);
  for (std::size_t i = 0; i < planes.points; ++i)
    rank[planes.index(i)] = part.boxes.owner[nearest[i / kLanes].box];
  return rank;
}

void plan(const std::vector<std::uint32_t>& rank, int ranks, Route& route) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(ranks));
  for (const std::uint32_t to : rank) ++counts[to];
  std::vector<std::size_t> at(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), at.begin(), std::size_t{0});
  for (std::size_t r = 0; r < counts.size(); ++r)
    if (counts[r] > 0) route.out.add(static_cast<int>(r), counts[r]);
  route.row = Array<std::uint32_t>(rank.size());
  for (std::size_t i = 0; i < rank.size(); ++i)
    route.row[at[rank[i]]++] = static_cast<std::uint32_t>(i);
}

}  // namespace

template <class T>
RoutedQueries<T> route_queries(Call& call, const Domains::Impl& domains,
                               const PointsView& queries) {
  const Part<T>& part = domains.as<T>();
  RoutedQueries<T> result;
  Input<T> input;
  Array<T> out;
  const auto d = static_cast<std::size_t>(domains.dimension);
  call.phase([&](Workers& workers) {
    const Stage stage(workers, "route queries", queries.size);
    check_queries(call.name(), {domains.options.tree.box, domains.dimension, domains.scalar},
                  queries);
    input = Parts<T>::input(part.frame,
                            Parts<T>::measure(queries, domains.options.tree.non_finite, workers));
    plan(nearest_ranks(part, input, call.rank(), workers), call.ranks(), result.route);
    out = Array<T>(input.size * d, workers.pool());
    const Axes<kAnyDimension> axes(domains.dimension);
    for (std::size_t i = 0; i < input.size; ++i)
      input.load(result.route.row[i], axes, out.data() + i * d);
    for (std::uint32_t& row : result.route.row) row = input.index(row);
  });
  Received<T> received = call.exchange(result.route.out, out.data(), d);
  call.phase([&](Workers& workers) {
    result.route.in = std::move(received.runs);
    const std::size_t n = result.route.in.total();
    if (n > most_points)
      fail(ErrorCode::too_large, "{}: {} queries near one rank; pass fewer at once", call.name(),
           n);
    result.planes = Parts<T>::planes_of_rows(received.values.data(), n, domains.dimension,
                                             TreeOptions{}, workers);
  });
  call.note_traffic("queries");
  return result;
}

template RoutedQueries<float> route_queries(Call&, const Domains::Impl&, const PointsView&);
template RoutedQueries<double> route_queries(Call&, const Domains::Impl&, const PointsView&);

}  // namespace kith::mpi
