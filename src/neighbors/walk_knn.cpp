#include "neighbors/walk_knn.hpp"

#include "neighbors/driver.hpp"

namespace kith {
namespace {

/// The plane whose nodes are the tasks: some hundred points each.
template <class T>
int task_plane(const PlanesView<T>& receivers) {
  constexpr std::size_t kPointsPerTask = 512;
  int plane = 0;
  while (plane < receivers.top() &&
         receivers.points / receivers.plane(plane).nodes < kPointsPerTask / 8)
    ++plane;
  return plane;
}

}  // namespace

template <class T>
void walk_knn(const KnnJob<T>& search, const PlanesView<T>& sources, const PlanesView<T>& receivers,
              Workers& workers) {
  const Stage stage(workers, "walk", receivers.points);
  const auto check = [&] { workers.check_cancelled(); };
  const FunctionRef<void()> checkpoint(check);
  WalkJob<T> job{search, receivers, sources, task_plane(receivers)};
  job.queries = receivers;
  job.checkpoint = &checkpoint;
  WorkerPool<WalkJob<T>> pool(job);
  workers.for_each(receivers.plane(job.task_plane).nodes, [&](std::size_t node) {
    pool.run(node, node + 1);
    workers.advance(receivers.points_of(job.task_plane, node).size());
  });
  workers.count("best-first searches", pool.counts().best_first);
}

template void walk_knn(const KnnJob<float>&, const PlanesView<float>&, const PlanesView<float>&,
                       Workers&);
template void walk_knn(const KnnJob<double>&, const PlanesView<double>&, const PlanesView<double>&,
                       Workers&);

}  // namespace kith
