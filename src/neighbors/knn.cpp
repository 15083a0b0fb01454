#include <algorithm>
#include <mutex>
#include <new>

#include <kith/neighbors.hpp>

#include "base/fail.hpp"
#include "base/float_environment.hpp"
#include "kernels/target.hpp"
#include "neighbors/knn_job.hpp"
#include "neighbors/limits.hpp"
#include "parallel/workers.hpp"
#include "tree/builders.hpp"
#include "tree/input.hpp"
#include "tree/order.hpp"
#include "walk/source.hpp"

namespace kith {
namespace {

/// The workers of a call: a range takes one that is free and gives it back with what it learned.
template <class T>
class WorkerPool {
 public:
  explicit WorkerPool(const KnnJob<T>& job) : job_(job) {}

  void run(std::size_t group_begin, std::size_t group_end) {
    std::unique_ptr<KnnWorker> worker = take();
    worker->run(group_begin, group_end);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(worker));
  }
  /// After all ranges are done.
  KnnCounts counts() const {
    KnnCounts sum;
    for (const auto& worker : free_) {
      sum.rescanned += worker->counts().rescanned;
      sum.alone += worker->counts().alone;
      sum.best_first += worker->counts().best_first;
    }
    return sum;
  }

 private:
  std::unique_ptr<KnnWorker> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto worker = std::move(free_.back());
        free_.pop_back();
        return worker;
      }
    }
    return make_knn_worker(job_);
  }

  const KnnJob<T>& job_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<KnnWorker>> free_;
};

/// Long enough that workers seldom change hands, short enough to stop and to share within milliseconds.
std::size_t groups_per_range(std::size_t k) { return std::clamp<std::size_t>(1024 / std::max<std::size_t>(1, k), 1, 16); }

template <class T>
void search(const KnnJob<T>& job, Workers& workers) {
  const std::size_t queries = job.queries.points;
  const std::size_t groups = (queries + kGroupQueries - 1) / kGroupQueries;
  const Stage stage(workers, "search", queries);
  WorkerPool<T> pool(job);
  workers.for_ranges(groups, groups_per_range(job.k), [&](std::size_t begin, std::size_t end) {
    pool.run(begin, end);
    workers.advance((end - begin) * kGroupQueries);
  });
  const KnnCounts counts = pool.counts();
  workers.count("searches repeated", counts.rescanned);
  workers.count("searches from the root", counts.alone);
  workers.count("best-first searches", counts.best_first);
}

/// What own points and other queries have in common.
template <class T>
KnnJob<T> make_job(const Tree& tree, const KnnOptions& options) {
  const TreeData<T>& data = tree.impl().as<T>();
  KnnJob<T> job;
  job.source = block_view<T>(tree.impl());
  job.side = data.frame.side;
  job.is_periodic = tree.box().is_periodic();
  job.k = options.k;
  job.limit2 = limit2(options.max_radius, options.strict, data.frame);
  job.unscale = std::ldexp(T(1), -data.frame.exponent);
  return job;
}

template <class T, class Index>
void set_rows(KnnJob<T>& job, const NeighborRows<T, Index>& rows) {
  job.distance = rows.distance;
  if constexpr (sizeof(Index) == 4)
    job.index32 = rows.index;
  else
    job.index64 = rows.index;
}

template <class T, class Index>
void check(const Tree& tree, const KnnOptions& options, const NeighborRows<T, Index>& rows,
           std::size_t expected) {
  if (tree.scalar() != scalar_of<T>)
    refuse("knn: {} distances of a tree of {} points; call knn<{}>", sizeof(T) == 4 ? "float" : "double",
           sizeof(T) == 4 ? "double" : "float", sizeof(T) == 4 ? "double" : "float");
  if (options.k == 0) refuse("knn: k = 0; ask for at least 1 neighbor");
  check_radius("knn", "max_radius", options.max_radius);
  if (rows.rows != expected)
    refuse("knn: room for {} rows, but there are {}; pass as many", rows.rows, expected);
  if (tree.input_size() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    fail(ErrorCode::too_large, "knn: {} points do not fit 32-bit indices; ask for std::int64_t",
         tree.input_size());
}

/// Rows without neighbours: for queries that were dropped, and when nothing can be found.
template <class T, class Index>
void fill_empty(const NeighborRows<T, Index>& rows, std::size_t k, const Workers& workers) {
  workers.for_ranges(rows.rows * k, std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
    if (rows.index) std::fill(rows.index + begin, rows.index + end, Index(-1));
    if (rows.distance)
      std::fill(rows.distance + begin, rows.distance + end, std::numeric_limits<T>::infinity());
  });
}

template <class T>
bool is_hopeless(const KnnJob<T>& job) {
  return job.source.points == 0 || job.limit2 < 0;
}

template <class F>
void guarded(const char* call, F f) {
  try {
    f();
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::out_of_memory, "{}: no memory for the search; use fewer threads or a smaller k", call);
  }
}

}  // namespace

std::shared_ptr<void> detail::allocate(std::size_t count, std::size_t size, const Execution& execution) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  const std::size_t bytes = size > 0 && count > kMost / size ? kMost : count * size;
  auto memory = std::make_shared<Memory>(bytes, pool_of(execution));
  return {memory, memory->data()};
}

template <Coordinate T, ResultIndex Index>
void knn_into(const Tree& tree, const KnnOptions& options, NeighborRows<T, Index> rows,
              const Execution& execution) {
  const FloatEnvironment environment;
  const bool in_tree_order = options.order == RowOrder::tree;
  check(tree, options, rows, in_tree_order ? tree.size() : tree.input_size());
  choose_target();
  guarded("knn", [&] {
    Workers workers(execution);
    KnnJob<T> job = make_job<T>(tree, options);
    job.queries = job.source;
    job.exclude_self = options.exclude_self;
    job.in_tree_order = in_tree_order;
    set_rows(job, rows);
    if (is_hopeless(job) || rows.rows > tree.size()) fill_empty(rows, options.k, workers);
    if (!is_hopeless(job)) search(job, workers);
  });
}

template <Coordinate T, ResultIndex Index>
void knn_into(const Tree& tree, PointsView queries, const KnnOptions& options, NeighborRows<T, Index> rows,
              const Execution& execution) {
  const FloatEnvironment environment;
  check(tree, options, rows, queries.size);
  check_view("knn", queries, tree.box());
  if (queries.dimension != tree.dimension() || queries.scalar != tree.scalar())
    refuse("knn: queries of dimension {} and {} bits for a tree of dimension {} and {} bits; they must agree",
           queries.dimension, queries.scalar == Scalar::float32 ? 32 : 64, tree.dimension(),
           tree.scalar() == Scalar::float32 ? 32 : 64);
  if (options.exclude_self) refuse("knn: exclude_self with other queries; it is for a tree's own points");
  choose_target();
  guarded("knn", [&] {
    Workers workers(execution);
    KnnJob<T> job = make_job<T>(tree, options);
    set_rows(job, rows);
    const Input<T> input =
        read_queries<T>(queries, tree.impl().as<T>().frame, tree.options().non_finite, workers);
    if (is_hopeless(job) || input.size < queries.size) fill_empty(rows, options.k, workers);
    if (is_hopeless(job) || input.size == 0) return;
    Planes<T> planes;
    {
      const Stage stage(workers, "order queries", queries.size);
      order_points(input, queries.dimension == 1 ? Curve::z : Curve::hilbert, workers, planes);
      build_packed(workers, planes);
    }
    job.queries = block_view(planes, planes.planes, Curve::hilbert);
    // A group of 64 queries is to span few enough points that one list serves all.
    job.is_grouped = job.source.points / 32 <= planes.points * (1 + options.k / 64);
    search(job, workers);
  });
}

#define KITH_INSTANTIATE(T, Index)                                                                    \
  template void knn_into(const Tree&, const KnnOptions&, NeighborRows<T, Index>, const Execution&);  \
  template void knn_into(const Tree&, PointsView, const KnnOptions&, NeighborRows<T, Index>,         \
                         const Execution&);
KITH_INSTANTIATE(float, std::int32_t)
KITH_INSTANTIATE(float, std::int64_t)
KITH_INSTANTIATE(double, std::int32_t)
KITH_INSTANTIATE(double, std::int64_t)
#undef KITH_INSTANTIATE

}  // namespace kith
