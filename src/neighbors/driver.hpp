// From options to jobs, and running jobs on threads: what every search call has in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include <kith/neighbors.hpp>

#include "base/fail.hpp"
#include "neighbors/checks.hpp"
#include "neighbors/norm_search.hpp"
#include "neighbors/search_job.hpp"
#include "parallel/public_call.hpp"
#include "tree/builders.hpp"
#include "tree/input.hpp"
#include "tree/order.hpp"
#include "walk/source.hpp"

namespace kith {

template <class Job>
std::unique_ptr<SearchWorker> make_any_worker(const Job& job) {
  return job.p == 2 ? make_worker(job) : make_norm_worker(job);
}
template <class T>
std::unique_ptr<SearchWorker> make_any_worker(const WalkJob<T>& job) {
  return make_worker(job);
}

/// The workers of a call: a range takes a free one and returns it with what it has learned.
template <class Job>
class WorkerPool {
 public:
  explicit WorkerPool(const Job& job) : job_(job) {}

  void run(std::size_t group_begin, std::size_t group_end) {
    std::unique_ptr<SearchWorker> worker = take();
    worker->run(group_begin, group_end);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(worker));
  }
  /// After all ranges are done.
  SearchCounts counts() const {
    SearchCounts sum;
    for (const auto& worker : free_) {
      sum.rescanned += worker->counts().rescanned;
      sum.alone += worker->counts().alone;
      sum.best_first += worker->counts().best_first;
    }
    return sum;
  }

 private:
  std::unique_ptr<SearchWorker> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto worker = std::move(free_.back());
        free_.pop_back();
        return worker;
      }
    }
    return make_any_worker(job_);
  }

  const Job& job_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<SearchWorker>> free_;
};

/// Runs a job over all its queries. Ranges are long enough that workers seldom change hands, and
/// short enough to stop and to share within milliseconds; `expected` neighbors a query make them
/// shorter. `finished`, if any, is called after each range with its queries' positions, while their
/// rows are in the cache.
template <class Job>
void run_search(Job job, const char* stage_name, std::size_t expected, Workers& workers,
                const FunctionRef<void(std::size_t, std::size_t)>* finished = nullptr) {
  const std::size_t queries = job.queries.points;
  const std::size_t groups = (queries + kGroupQueries - 1) / kGroupQueries;
  const std::size_t grain =
      std::clamp<std::size_t>(1024 / std::max<std::size_t>(1, expected), 1, 16);
  const Stage stage(workers, stage_name, queries);
  const auto check = [&] { workers.check_cancelled(); };
  const FunctionRef<void()> checkpoint(check);
  job.checkpoint = &checkpoint;
  WorkerPool<Job> pool(job);
  workers.for_ranges(groups, grain, [&](std::size_t begin, std::size_t end) {
    const std::size_t first = begin * kGroupQueries, last = std::min(queries, end * kGroupQueries);
    pool.run(begin, end);
    if (finished) (*finished)(first, last);
    workers.advance(last - first);
  });
  const SearchCounts counts = pool.counts();
  workers.count("searches repeated", counts.rescanned);
  workers.count("searches from the root", counts.alone);
  workers.count("best-first searches", counts.best_first);
}

/// The tree as the source of a search, and its own points as the queries.
template <class T>
void set_source(SearchJob<T>& job, const AnyTree& tree) {
  const Frame<T>& frame = impl_of(tree).as<T>().frame;
  job.source = job.queries = implicit_view<T>(impl_of(tree));
  // Blocks of the kd order are as compact.
  job.is_hilbert = tree.options().curve != Curve::z || tree.dimension() == 1;
  job.side = frame.side;
  job.is_periodic = tree.box().is_periodic();
  job.unscale = std::ldexp(T(1), -frame.exponent);
}

/// The norm, and how far neighbors may be.
template <class T>
void set_limit(SearchJob<T>& job, double radius, bool is_strict, double p, const Frame<T>& frame) {
  job.p = p;
  job.limit2 = limit2(radius, is_strict, frame);
  job.limit = key_limit(radius, is_strict, p, frame);
}

template <class T, class Index>
void set_target(SearchJob<T>& job, Index* index, T* distance) {
  job.distance = distance;
  if constexpr (sizeof(Index) == 4)
    job.index32 = index;
  else
    job.index64 = index;
}

/// Other queries as a separate tree, along the curve: neighbors in the order share lists and
/// caches.
template <class T>
class QueryTree {
 public:
  QueryTree(const PointsView& queries, const AnyTree& tree, Workers& workers)
      : input_(read_queries<T>(queries, impl_of(tree).as<T>().frame, tree.options().non_finite,
                               workers)) {
    if (input_.size == 0) return;
    const Stage stage(workers, "order queries", queries.size);
    order_points(input_, {queries.dimension == 1 ? Curve::z : Curve::hilbert}, workers, planes_);
    build_packed(workers, planes_);
  }
  std::size_t size() const { return input_.size; }  ///< without those that were dropped
  const Planes<T>& planes() const { return planes_; }

  /// `expected` neighbors a query: a group of 64 queries must span few enough points that one
  /// list serves all.
  void set_queries(SearchJob<T>& job, std::size_t expected) const {
    job.queries = planes_.view();
    job.is_grouped = job.source.points / 32 <= planes_.points * (1 + expected / 64);
  }

 private:
  Input<T> input_;
  Planes<T> planes_;
};

template <class Index>
void check_index(const char* call, const AnyTree& tree) {
  if (tree.input_size() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    fail(ErrorCode::too_large, "{}: {} points do not fit 32-bit indices; ask for std::int64_t",
         call, tree.input_size());
}

inline Searched searched(const AnyTree& tree) {
  return {tree.box(), tree.dimension(), tree.scalar()};
}

}  // namespace kith
