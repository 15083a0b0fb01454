// Neighbors of queries, more and more of them until each query has enough.
#pragma once

#include <algorithm>
#include <limits>

#include "neighbors/driver.hpp"
#include "parallel/grains.hpp"
#include "tree/subset.hpp"

namespace kith {

/// Queries in a separate packed tree; rows are their indices.
template <class T>
struct Queries {
  const Planes<T>& planes;
  PlanesView<T> view;  ///< implicit
  std::size_t rows;    ///< one more than the largest index
};

/// enough(found), from several threads at once: the k nearest points of a query by (d2, index), d2
/// in the frame of the tree. If it returns false the query is asked again with more of them, until
/// it has seen all points of the tree.
template <class T, class Enough>
void search_until(const AnyTree& tree, const Queries<T>& queries, std::size_t k, const char* stage,
                  Workers& workers, Enough enough) {
  const std::size_t points = tree.size();
  if (points == 0 || queries.view.points == 0) return;
  Array<std::uint8_t> is_open(queries.rows, workers.pool());
  const auto look = [&](const Found<T>& found) { is_open[found.row] = enough(found) ? 0 : 1; };
  const FunctionRef<void(const Found<T>&)> visitor(look);
  Subset<T> rest;
  const Planes<T>* planes = &queries.planes;
  PlanesView<T> view = queries.view;
  for (k = std::clamp<std::size_t>(k, 1, points);; k = std::min(points, 4 * k)) {
    KnnJob<T> job;
    set_source(job, tree);
    job.queries = view;
    job.is_grouped = points / 32 <= view.points * (1 + k / 64);
    job.k = k;
    job.limit2 = std::numeric_limits<T>::infinity();
    job.wants_d2 = true;
    job.visit = &visitor;
    run_search(job, stage, k, workers);
    if (k == points) return;
    Array<std::uint8_t> mask(planes->points, workers.pool());
    workers.for_ranges(planes->points, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; ++at) mask[at] = is_open[planes->index(at)];
    });
    rest = subset(*planes, mask, workers);
    if (rest.planes.points == 0) return;
    planes = &rest.planes;
    view = rest.planes.view();
  }
}

}  // namespace kith
