#include <kith/neighbors.hpp>

#include "neighbors/driver.hpp"
#include "neighbors/empty_rows.hpp"
#include "neighbors/on_device.hpp"
#include "neighbors/walk_knn.hpp"

namespace kith {
namespace {

template <class T, class Index>
void check(const AnyTree& tree, const KnnOptions& options, const NeighborRows<T, Index>& rows,
           std::size_t expected) {
  check_nearest<T>("knn", tree.scalar(), options);
  if (rows.rows != expected)
    refuse("knn: room for {} rows, but there are {}; pass as many", rows.rows, expected);
  check_index<Index>("knn", tree);
}

template <class T, class Index>
KnnJob<T> make_job(const AnyTree& tree, const KnnOptions& options,
                   const NeighborRows<T, Index>& rows) {
  KnnJob<T> job;
  set_source(job, tree);
  set_target(job, rows.index, rows.distance);
  job.k = options.k;
  set_limit(job, options.max_radius, options.strict, options.p, data_of<T>(tree).frame);
  return job;
}

template <class T>
bool has_no_result(const KnnJob<T>& job) {
  return job.source.points == 0 || job.limit < 0;
}

/// `receivers`: the tree of the queries.
template <class T>
void run(const KnnJob<T>& job, const KnnOptions& options, const AnyTree& tree,
         const Planes<T>& receivers, Workers& workers) {
  if (options.method == KnnMethod::walk && options.p == 2)
    walk_knn(job, data_of<T>(tree).planes.view(), receivers.view(), workers);
  else
    run_search(job, "search", options.k, workers);
}

/// Whether the arrays for the rows are in the memory of the device.
template <class T, class Index>
bool stay_there(const DeviceCalls<T>& calls, const NeighborRows<T, Index>& rows) {
  const bool has_index = calls.has(rows.index), has_distance = calls.has(rows.distance);
  if (rows.index && rows.distance && has_index != has_distance)
    refuse("knn: indices and distances in the memory of different devices; give both on one");
  return has_index || has_distance;
}

/// `queries`: null for the tree's own points.
template <class T, class Index>
void run_on_device(const AnyTree& tree, const PointsView* queries, const KnnOptions& options,
                   const NeighborRows<T, Index>& rows, const Execution& execution,
                   Workers& workers) {
  check_device_norm("knn", options.p);
  const Frame<T>& frame = frame_of_tree<T>(tree);
  const T limit = limit2(options.max_radius, options.strict, frame);
  const bool in_tree_order = !queries && options.order == RowOrder::tree;
  auto& calls = device_calls<T>("knn", execution);
  const T unscale = unscale_of<T>(tree);
  if (stay_there(calls, rows))
    return calls.knn_into(
        {impl_of(tree), queries, options.exclude_self, limit}, options.k,
        {rows.index, sizeof(Index) == 8, rows.distance, rows.rows, in_tree_order, unscale},
        workers);
  fill_empty(rows, options.k, workers);
  if (tree.size() == 0 || rows.rows == 0 || limit < 0) return;
  calls.knn(
      {impl_of(tree), queries, options.exclude_self, limit}, options.k,
      [&](const DeviceRows<T>& found) {
        visit_rows(found, unscale, workers, [&](std::size_t i, const Found<T>& row) {
          const std::size_t at = (in_tree_order ? found.first + i : row.row) * options.k;
          if (rows.index)
            for (std::size_t n = 0; n < row.count; ++n)
              rows.index[at + n] = static_cast<Index>(row.index[n]);
          if (rows.distance) std::copy_n(row.distance, row.count, rows.distance + at);
        });
      },
      workers);
}

}  // namespace

std::shared_ptr<void> detail::allocate(std::size_t count, std::size_t size,
                                       const Execution& execution) {
  return public_call("neighbors", [&]() -> std::shared_ptr<void> {
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
    const std::size_t bytes = size > 0 && count > kMost / size ? kMost : count * size;
    auto memory = std::make_shared<Memory>(bytes, pool_of(execution));
    return {memory, memory->data()};
  });
}

std::shared_ptr<void> detail::allocate_rows(std::size_t rows, std::size_t k, std::size_t size,
                                            const Execution& execution) {
  return public_call("knn", [&] {
    if (k > kMaxNeighbors) check_k("knn", k);  // others are checked with the other options
    return allocate(rows, k * size, execution);
  });
}

template <Coordinate T, ResultIndex Index>
void knn_into(const Tree<T>& tree, const KnnOptions& options, NeighborRows<T, Index> rows,
              const Execution& execution) {
  device_call("knn", execution, [&](Workers& workers) {
    const bool in_tree_order = options.order == RowOrder::tree;
    check(tree, options, rows, in_tree_order ? tree.size() : tree.input_size());
    if (!is_cpu(execution))
      return run_on_device<T, Index>(tree, nullptr, options, rows, execution, workers);
    KnnJob<T> job = make_job(tree, options, rows);
    job.exclude_self = options.exclude_self;
    job.in_tree_order = in_tree_order;
    if (has_no_result(job) || rows.rows > tree.size()) fill_empty(rows, options.k, workers);
    if (!has_no_result(job)) run(job, options, tree, data_of<T>(tree).planes, workers);
  });
}

template <Coordinate T, ResultIndex Index>
void knn_into(const Tree<T>& tree, std::type_identity_t<View<T>> queries, const KnnOptions& options,
              NeighborRows<T, Index> rows, const Execution& execution) {
  device_call("knn", execution, [&](Workers& workers) {
    check(tree, options, rows, queries.size);
    check_queries("knn", searched(tree), queries);
    check_not_self("knn", options.exclude_self);
    if (!is_cpu(execution))
      return run_on_device<T, Index>(tree, &queries, options, rows, execution, workers);
    KnnJob<T> job = make_job(tree, options, rows);
    const QueryTree<T> asked(queries, tree, workers);
    if (has_no_result(job) || asked.size() < queries.size) fill_empty(rows, options.k, workers);
    if (has_no_result(job) || asked.size() == 0) return;
    asked.set_queries(job, options.k);
    run(job, options, tree, asked.planes(), workers);
  });
}

/// A block with one query, and its box.
template <Coordinate T, ResultIndex Index>
struct KnnSearcher<T, Index>::Impl {
  AnyTree tree;
  KnnJob<T> job;
  Array<T> block, box;
  std::unique_ptr<SearchWorker> worker;

  Impl(const AnyTree& t, const KnnOptions& options)
      : tree(t), job(make_job(t, options, NeighborRows<T, Index>())) {
    const auto d = static_cast<std::size_t>(tree.dimension());
    block = Array<T>(block_stride<T>(tree.dimension()));
    box = Array<T>(2 * kLanes * d);
    std::fill(block.begin(), block.end(), T(0));
    // The query's index is row 0. It is written as it is read: as an integer.
    const Axes<kAnyDimension> axes(tree.dimension());
    std::fill_n(const_cast<std::uint32_t*>(indices_of(std::as_const(block).data(), axes)), kLanes,
                0u);
    std::fill(box.begin(), box.end(), T(0));
    job.queries = {
        .dimension = tree.dimension(), .plane_count = 1, .points = 1, .blocks = block.data()};
    job.queries.planes[0] = {.nodes = 1, .boxes = box.data()};
    job.is_grouped = false;
    worker = make_any_worker(job);
  }

  void set_query(const T* point) {
    const Frame<T>& frame = data_of<T>(tree).frame;
    const auto d = static_cast<std::size_t>(tree.dimension());
    for (std::size_t axis = 0; axis < d; ++axis) {
      const T x = frame(point[axis], static_cast<int>(axis));
      block[axis * kLanes] = box[axis * kLanes] = box[(d + axis) * kLanes] = x;
      if (!std::isfinite(point[axis]))
        fail(ErrorCode::non_finite, "knn: coordinate {} of the query is {}; give a finite one",
             axis, point[axis]);
    }
  }
};

template <Coordinate T, ResultIndex Index>
KnnSearcher<T, Index>::KnnSearcher(const Tree<T>& tree, const KnnOptions& options) {
  public_call("knn", Execution(), [&] {
    check(tree, options, NeighborRows<T, Index>(), 0);
    check_not_self("knn", options.exclude_self);
    impl_ = std::make_unique<Impl>(tree, options);
  });
}

template <Coordinate T, ResultIndex Index>
KnnSearcher<T, Index>::~KnnSearcher() = default;
template <Coordinate T, ResultIndex Index>
KnnSearcher<T, Index>::KnnSearcher(KnnSearcher&&) noexcept = default;
template <Coordinate T, ResultIndex Index>
KnnSearcher<T, Index>& KnnSearcher<T, Index>::operator=(KnnSearcher&&) noexcept = default;

template <Coordinate T, ResultIndex Index>
void KnnSearcher<T, Index>::operator()(const T* point, Index* index, T* distance) {
  public_call("knn", [&] {
    Impl& impl = *impl_;
    impl.set_query(point);
    set_target(impl.job, index, distance);
    if (has_no_result(impl.job)) {
      fill_empty(index, distance, 0, impl.job.k);
    } else {
      impl.worker->run(0, 1);
    }
  });
}

#define KITH_INSTANTIATE(T, Index)                                                           \
  template void knn_into(const Tree<T>&, const KnnOptions&, NeighborRows<T, Index>,          \
                         const Execution&);                                                  \
  template void knn_into(const Tree<T>&, View<T>, const KnnOptions&, NeighborRows<T, Index>, \
                         const Execution&);                                                  \
  template class KnnSearcher<T, Index>;
KITH_INSTANTIATE(float, std::int32_t)
KITH_INSTANTIATE(float, std::int64_t)
KITH_INSTANTIATE(double, std::int32_t)
KITH_INSTANTIATE(double, std::int64_t)
#undef KITH_INSTANTIATE

}  // namespace kith
