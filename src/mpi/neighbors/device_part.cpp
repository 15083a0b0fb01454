#include "mpi/neighbors/device_part.hpp"

#include "tree/device.hpp"

namespace kith::mpi {
namespace {

template <class V>
Array<V> borrowed_array(const Array<V>& from) {
  return Array<V>::borrowed(from.data(), from.size());
}

/// A tree whose arrays are those of the planes, which outlive it.
template <class T>
std::shared_ptr<AnyTree::Impl> tree_over(const Planes<T>& planes, const std::vector<Plane<T>>& over,
                                         const Frame<T>& frame) {
  auto tree = std::make_shared<AnyTree::Impl>();
  TreeData<T> data;
  data.frame = frame;
  data.planes.dimension = planes.dimension;
  data.planes.points = planes.points;
  data.planes.blocks = borrowed_array(planes.blocks);
  for (const Plane<T>& plane : over)
    data.planes.planes.push_back({plane.nodes,
                                  borrowed_array(plane.boxes),
                                  borrowed_array(plane.smallest),
                                  borrowed_array(plane.largest),
                                  {},
                                  {}});
  tree->dimension = planes.dimension;
  tree->scalar = scalar_of<T>;
  tree->input_size = planes.points;
  tree->data = std::move(data);
  return tree;
}

/// Kept with the part, so that it is copied to the device once.
template <class T>
const AnyTree::Impl& tree_of_part(const Part<T>& part) {
  if (!part.device_tree)
    part.device_tree =
        tree_over(part.planes, part.packed.empty() ? part.planes.planes : part.packed, part.frame);
  return *part.device_tree;
}

/// Without the empty end of a row.
template <class T>
Found<T> row_of(const DeviceRows<T>& rows, std::size_t i) {
  const std::uint64_t begin = rows.offset[i];
  std::size_t count = rows.offset[i + 1] - begin;
  while (count > 0 && rows.index[begin + count - 1] == kNoIndex) --count;
  return {rows.first + i, count, rows.index + begin, rows.d2 + begin};
}

}  // namespace

template <class T>
Array<std::uint32_t> join_on_device(const Call& call, const Part<T>& part, T reach2,
                                    Workers& workers) {
  if (part.planes.points == 0) return {};
  Array<std::uint32_t> parent(part.planes.points, workers.pool());
  device_calls<T>(call.name(), call.on_device())
      .join(tree_of_part(part), reach2, parent.data(), workers);
  return parent;
}

template <class T>
void search_on_device(const Call& call, const Part<T>& part, const Queries<T>& asked,
                      const KnnJob<T>& job,
                      const FunctionRef<void(std::size_t, std::size_t)>* finished,
                      Workers& workers) {
  if (job.queries.points == 0) return;
  std::shared_ptr<AnyTree::Impl> queries;
  if (!asked.is_own) queries = tree_over(*asked.points, asked.points->planes, part.frame);
  const DeviceSearch<T> search{.tree = tree_of_part(part),
                               .exclude_self = job.exclude_self,
                               .limit2 = job.limit2,
                               .query_tree = queries.get()};
  const auto take = [&](const DeviceRows<T>& rows) {
    constexpr std::size_t kGrain = 1024;
    workers.for_ranges(rows.count, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) (*job.visit)(row_of(rows, i));
      if (finished) (*finished)(rows.first + begin, rows.first + end);
    });
  };
  device_calls<T>(call.name(), call.on_device()).knn(search, job.k, take, workers);
}

#define KITH_INSTANTIATE(T)                                                                        \
  template Array<std::uint32_t> join_on_device(const Call&, const Part<T>&, T, Workers&);          \
  template void search_on_device(const Call&, const Part<T>&, const Queries<T>&, const KnnJob<T>&, \
                                 const FunctionRef<void(std::size_t, std::size_t)>*, Workers&);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith::mpi
