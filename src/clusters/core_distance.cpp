#include "clusters/core_distance.hpp"

#include <limits>

#include "neighbors/driver.hpp"

namespace kith {

template <class T>
Array<T> core_distances2(const Tree& tree, std::size_t k, Workers& workers) {
  const std::size_t points = tree.size();
  Array<T> core2(lanes_up(points), workers.pool());
  std::fill(core2.begin() + points, core2.end(), std::numeric_limits<T>::infinity());
  const auto visit = [&](const Found<T>& found) { core2[found.row] = found.distance[k - 1]; };
  const FunctionRef<void(const Found<T>&)> visitor(visit);
  KnnJob<T> job;
  set_source(job, tree);
  job.k = k;
  job.limit2 = std::numeric_limits<T>::infinity();
  job.in_tree_order = true;
  job.wants_d2 = true;
  job.visit = &visitor;
  run_search(job, "core distances", k, workers);
  return core2;
}

template Array<float> core_distances2(const Tree&, std::size_t, Workers&);
template Array<double> core_distances2(const Tree&, std::size_t, Workers&);

}  // namespace kith
