// Searches of a forest: each tree answers for itself, and the answers are merged by (d2, index).
#include <algorithm>
#include <limits>
#include <utility>

#include "base/fail.hpp"
#include "forest/forest_impl.hpp"
#include "geometry/distance.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

/// Queries to a body, and to a batch: results are kept in lists until the batch is done.
constexpr std::size_t kForestGrain = 256;
constexpr std::size_t kBatch = std::size_t{1} << 14;

PointsView slice(PointsView points, std::size_t begin, std::size_t end, std::size_t scalar_bytes) {
  points.data = static_cast<const std::byte*>(points.data) +
                static_cast<std::ptrdiff_t>(begin * scalar_bytes) * points.stride;
  points.size = end - begin;
  return points;
}

/// body(begin, end) for one batch of queries after the other.
template <class Body>
void for_batches(std::size_t n, const Workers& workers, const Body& body) {
  for (std::size_t begin = 0; begin < n; begin += kBatch) {
    workers.check_cancelled();
    body(begin, std::min(n, begin + kBatch));
  }
}

/// For calls inside a call: its threads and its token, not its reports.
Execution inner(const Execution& execution) {
  return {
      .threads = execution.threads, .cancel = execution.cancel, .workspace = execution.workspace};
}

void check_options(const char* call, double p, bool exclude_self) {
  if (p != 2) refuse("{}: p = {}; a forest has only the norm p = 2", call, p);
  if (exclude_self) refuse("{}: exclude_self is for a tree's own points", call);
}

/// The squared distances of a query and points of a part, by which neighbors are ordered.
template <class T>
class Measure {
 public:
  Measure(const Frame<T>& frame, int dimension)
      : frame_(frame), metric_{Axes<kAnyDimension>(dimension)} {
    std::copy_n(frame.side, dimension, metric_.side);
  }
  T distance2(const T* query, const T* row) const {
    T from[kMaxDimension], to[kMaxDimension];
    for (int axis = 0; axis < metric_.axes.count(); ++axis) {
      from[axis] = frame_(query[axis], axis);
      to[axis] = frame_(row[axis], axis);
    }
    return metric_.distance2(from, to);
  }

 private:
  const Frame<T>& frame_;
  Metric<kAnyDimension, T> metric_;
};

template <class T>
using Lists = std::vector<std::vector<FoundPoint<T>>>;

template <class T>
void keep_nearest(std::vector<FoundPoint<T>>& list, const std::vector<FoundPoint<T>>& more,
                  std::size_t k) {
  const auto middle = static_cast<std::ptrdiff_t>(list.size());
  list.insert(list.end(), more.begin(), more.end());
  std::inplace_merge(list.begin(), list.begin() + middle, list.end());
  if (list.size() > k) list.resize(k);
}

/// The k nearest live points of one part, for all queries. Where dead points take their places, it
/// searches again for more.
template <class T>
class Nearest {
 public:
  Nearest(const Forest<T>& forest, const ForestPart<T>& part, std::size_t dead,
          const Measure<T>& measure)
      : forest_(forest), part_(part), dead_(dead), measure_(measure) {}

  void add(std::vector<T> rows, KnnOptions options, const Execution& execution,
           const Workers& workers, Lists<T>& lists) const {
    const std::size_t wanted = options.k, width = static_cast<std::size_t>(forest_.dimension());
    std::vector<std::size_t> open(lists.size());
    for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
    options.k = std::min(wanted + std::min(dead_, wanted + 8), part_.size());
    while (!open.empty()) {
      const auto near = kith::knn<T, std::int64_t>(
          *part_.tree, view(rows.data(), open.size(), forest_.dimension()), options, execution);
      std::vector<std::uint8_t> is_short(open.size());
      workers.for_ranges(open.size(), kForestGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const auto live = live_of(near, i, rows.data() + i * width);
          const bool has_more = near.index(i).back() >= 0 && options.k < part_.size();
          is_short[i] = live.size() < wanted && has_more;
          if (!is_short[i]) keep_nearest(lists[open[i]], live, wanted);
        }
      });
      std::size_t left = 0;
      for (std::size_t i = 0; i < open.size(); ++i) {
        if (!is_short[i]) continue;
        open[left] = open[i];
        std::copy_n(rows.data() + i * width, width, rows.data() + left++ * width);
      }
      open.resize(left);
      options.k = std::min(2 * options.k, part_.size());
    }
  }

 private:
  std::vector<FoundPoint<T>> live_of(const Neighbors<T, std::int64_t>& near, std::size_t i,
                                     const T* query) const {
    const auto width = static_cast<std::size_t>(forest_.dimension());
    std::vector<FoundPoint<T>> live;
    for (std::size_t j = 0; j < near.k() && near.index(i)[j] >= 0; ++j) {
      const auto at = static_cast<std::size_t>(near.index(i)[j]);
      if (!forest_.contains(part_.indices[at])) continue;
      live.push_back({measure_.distance2(query, part_.rows.data() + at * width),
                      near.distance(i)[j], part_.indices[at]});
    }
    return live;
  }

  const Forest<T>& forest_;
  const ForestPart<T>& part_;
  std::size_t dead_;
  const Measure<T>& measure_;
};

/// Rows of the queries from `first` on.
template <class T>
void write_rows(const Lists<T>& lists, std::size_t first, Neighbors<T, std::int64_t>& result,
                const Workers& workers) {
  const auto out = result.rows();
  const std::size_t k = result.k();
  workers.for_ranges(lists.size(), kForestGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j < k; ++j) {
        const bool has_neighbor = j < lists[i].size();
        const std::size_t at = (first + i) * k + j;
        out.index[at] = has_neighbor ? lists[i][j].index : -1;
        out.distance[at] = has_neighbor ? lists[i][j].distance : std::numeric_limits<T>::infinity();
      }
  });
}

}  // namespace

template <Coordinate T>
Neighbors<T, std::int64_t> Forest<T>::Impl::knn(const PointsView& queries,
                                                const KnnOptions& options,
                                                const Execution& execution, Workers& workers,
                                                const Forest& forest) const {
  check_points("forest: knn", queries);
  check_options("forest: knn", options.p, options.exclude_self);
  const Measure<T> measure(frame, dimension);
  // A tree without points checks the other options and the queries.
  ForestPart<T> none;
  build(none, workers);
  kith::knn<T, std::int64_t>(*none.tree, queries, options, inner(execution));
  Neighbors<T, std::int64_t> result(queries.size, options.k, execution);
  for_batches(queries.size, workers, [&](std::size_t first, std::size_t last) {
    const std::vector<T> rows = packed_rows<T>(slice(queries, first, last, sizeof(T)));
    Lists<T> lists(last - first);
    for (const Entry& entry : entries)
      Nearest<T>(forest, *entry.part, entry.dead, measure)
          .add(rows, options, inner(execution), workers, lists);
    write_rows(lists, first, result, workers);
  });
  return result;
}

namespace {

/// The lists of one batch without gaps.
template <class T>
struct JoinedLists {
  std::vector<std::size_t> sizes;
  std::vector<FoundPoint<T>> found;
};

template <class T>
JoinedLists<T> joined(Lists<T>& lists, std::size_t most, std::size_t& truncated) {
  JoinedLists<T> all;
  for (auto& list : lists) {
    if (most > 0 && list.size() > most) {
      ++truncated;
      list.resize(most);
    }
    all.sizes.push_back(list.size());
    all.found.insert(all.found.end(), list.begin(), list.end());
  }
  return all;
}

template <class T>
NeighborLists<T, std::int64_t> lists_of(const std::vector<JoinedLists<T>>& batches,
                                        std::size_t truncated, const Execution& execution,
                                        const Workers& workers) {
  std::vector<std::int64_t> offsets{0}, first{0};
  for (const JoinedLists<T>& batch : batches) {
    workers.check_cancelled();
    for (const std::size_t size : batch.sizes)
      offsets.push_back(offsets.back() + static_cast<std::int64_t>(size));
    first.push_back(offsets.back());
  }
  NeighborLists<T, std::int64_t> result(std::move(offsets), truncated, execution);
  workers.for_each(batches.size(), [&](std::size_t batch) {
    auto at = static_cast<std::size_t>(first[batch]);
    for (const FoundPoint<T>& one : batches[batch].found) {
      result.indices()[at] = one.index;
      result.distances()[at++] = one.distance;
    }
  });
  return result;
}

}  // namespace

template <Coordinate T>
NeighborLists<T, std::int64_t> Forest<T>::Impl::radius(const PointsView& queries,
                                                       RadiusOptions options,
                                                       const Execution& execution,
                                                       Workers& workers) const {
  check_points("forest: radius", queries);
  check_options("forest: radius", options.p, options.exclude_self);
  const std::size_t most = std::exchange(options.max_neighbors, 0);
  ForestPart<T> none;
  build(none, workers);
  kith::radius<T, std::int64_t>(*none.tree, queries, options, inner(execution));
  std::vector<JoinedLists<T>> batches;
  std::size_t truncated = 0;
  for_batches(queries.size, workers, [&](std::size_t first, std::size_t last) {
    RadiusOptions mine = options;
    if (!options.radii.empty()) mine.radii = options.radii.subspan(first, last - first);
    Lists<T> lists =
        radius_lists(slice(queries, first, last, sizeof(T)), mine, inner(execution), workers);
    batches.push_back(joined(lists, most, truncated));
  });
  return lists_of(batches, truncated, execution, workers);
}

template <Coordinate T>
std::vector<std::vector<FoundPoint<T>>> Forest<T>::Impl::radius_lists(const PointsView& queries,
                                                                      const RadiusOptions& options,
                                                                      const Execution& execution,
                                                                      Workers& workers) const {
  const std::vector<T> rows = packed_rows<T>(queries);
  const Measure<T> measure(frame, dimension);
  Lists<T> lists(queries.size);
  for (const Entry& entry : entries) {
    const ForestPart<T>& part = *entry.part;
    const auto near = kith::radius<T, std::int64_t>(*part.tree, queries, options, execution);
    workers.for_ranges(lists.size(), kForestGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        for (std::size_t j = 0; j < near.index(i).size(); ++j) {
          const auto at = static_cast<std::size_t>(near.index(i)[j]);
          if (!contains(part.indices[at])) continue;
          lists[i].push_back(
              {measure.distance2(rows.data() + i * width(), part.rows.data() + at * width()),
               near.distance(i)[j], part.indices[at]});
        }
    });
  }
  workers.for_ranges(lists.size(), kForestGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) std::sort(lists[i].begin(), lists[i].end());
  });
  return lists;
}

/// Counts in the trees, less those of the dead.
template <Coordinate T>
std::vector<std::int64_t> Forest<T>::Impl::radius_count(const PointsView& queries,
                                                        const RadiusOptions& options,
                                                        const Execution& execution,
                                                        Workers& workers) const {
  check_points("forest: radius_count", queries);
  check_options("forest: radius_count", options.p, options.exclude_self);
  std::vector<std::int64_t> counts(queries.size, 0);
  const auto add = [&](const AnyTree& tree, std::int64_t sign) {
    const auto more = kith::radius_count(tree, queries, options, inner(execution));
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += sign * more[i];
  };
  ForestPart<T> gone;
  for (const auto& [part, dead] : entries) {
    add(*part->tree, 1);
    for (std::size_t i = 0; dead > 0 && i < part->size(); ++i) {
      if (contains(part->indices[i])) continue;
      const T* row = part->rows.data() + i * width();
      gone.rows.insert(gone.rows.end(), row, row + width());
      gone.indices.push_back(part->indices[i]);
    }
  }
  build(gone, workers);  // an empty one checks the options
  add(*gone.tree, -1);
  return counts;
}

template <Coordinate T>
Neighbors<T, std::int64_t> Forest<T>::knn(PointsView queries, const KnnOptions& options,
                                          const Execution& execution) const {
  return public_call("forest: knn", execution, [&](Workers& workers) {
    return impl_->knn(queries, options, execution, workers, *this);
  });
}
template <Coordinate T>
NeighborLists<T, std::int64_t> Forest<T>::radius(PointsView queries, const RadiusOptions& options,
                                                 const Execution& execution) const {
  return public_call("forest: radius", execution, [&](Workers& workers) {
    return impl_->radius(queries, options, execution, workers);
  });
}
template <Coordinate T>
std::vector<std::int64_t> Forest<T>::radius_count(PointsView queries, const RadiusOptions& options,
                                                  const Execution& execution) const {
  return public_call("forest: radius_count", execution, [&](Workers& workers) {
    return impl_->radius_count(queries, options, execution, workers);
  });
}

#define KITH_FOREST_SEARCHES(T)                                                                \
  template Neighbors<T, std::int64_t> Forest<T>::knn(PointsView, const KnnOptions&,            \
                                                     const Execution&) const;                  \
  template NeighborLists<T, std::int64_t> Forest<T>::radius(PointsView, const RadiusOptions&,  \
                                                            const Execution&) const;           \
  template std::vector<std::int64_t> Forest<T>::radius_count(PointsView, const RadiusOptions&, \
                                                             const Execution&) const
KITH_FOREST_SEARCHES(float);
KITH_FOREST_SEARCHES(double);

}  // namespace kith
