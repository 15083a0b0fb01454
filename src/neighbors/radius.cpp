#include <optional>

#include <kith/radius.hpp>

#include "neighbors/driver.hpp"
#include "neighbors/on_device.hpp"
#include "parallel/pieces.hpp"

namespace kith {
namespace {

void check(const AnyTree& tree, const PointsView* queries, const RadiusOptions& options) {
  check_balls(options, queries ? queries->size : tree.input_size());
  if (!queries) return;
  check_queries("radius", searched(tree), *queries);
  check_not_self("radius", options.exclude_self);
}

/// A search within radii, of a tree's own points or of other queries.
template <class T>
class BallSearch {
 public:
  BallSearch(const AnyTree& tree, const PointsView* queries, const RadiusOptions& options,
             Workers& workers)
      : workers_(workers), rows_(queries ? queries->size : tree.input_size()) {
    const Frame<T>& frame = impl_of(tree).as<T>().frame;
    set_source(job_, tree);
    job_.exclude_self = options.exclude_self;
    job_.is_sorted = options.sorted;
    job_.max_neighbors = options.max_neighbors;
    set_limit(job_, options.radius, options.strict, options.p, frame);
    if (!options.radii.empty()) set_limits(options, frame);
    if (queries && job_.source.points > 0) {
      asked_.emplace(*queries, tree, workers);
      if (asked_->size() > 0) asked_->set_queries(job_, 0);
    }
    has_no_result_ = job_.source.points == 0 || (asked_ && asked_->size() == 0);
  }

  std::size_t rows() const { return rows_; }
  RadiusJob<T>& job() { return job_; }

  void run(const char* stage) {
    if (!has_no_result_) run_search(job_, stage, 64, workers_);
  }

  std::vector<std::int64_t> count() {
    std::vector<std::int64_t> counts = filled<std::int64_t>(workers_, rows_);
    job_.counts = counts.data();
    run("count");
    job_.counts = nullptr;
    return counts;
  }

 private:
  /// One for each query.
  void set_limits(const RadiusOptions& options, const Frame<T>& frame) {
    for (const double r : options.radii) {
      if (options.p == 2)
        limits2_.push_back(limit2(r, options.strict, frame));
      else
        limits_.push_back(key_limit(r, options.strict, options.p, frame));
    }
    job_.limits2 = limits2_.data();
    job_.limits = limits_.data();
  }

  Workers& workers_;
  std::size_t rows_;
  RadiusJob<T> job_;
  std::vector<T> limits2_;
  std::vector<double> limits_;
  std::optional<QueryTree<T>> asked_;
  bool has_no_result_ = false;
};

/// The same on a device.
template <class T>
class DeviceBallSearch {
 public:
  DeviceBallSearch(const AnyTree& tree, const PointsView* queries, const RadiusOptions& options,
                   const Execution& execution, Workers& workers)
      : tree_(tree),
        workers_(workers),
        calls_(device_calls<T>("radius", execution)),
        rows_(queries ? queries->size : tree.input_size()),
        limits2_(device_limits(options, frame_of_tree<T>(tree))),
        search_{impl_of(tree), queries, options.exclude_self,
                limit2(options.radius, options.strict, frame_of_tree<T>(tree)),
                limits2_.empty() ? nullptr : limits2_.data()} {
    check_device_norm("radius", options.p);
  }

  std::vector<std::int64_t> count() {
    std::vector<std::int64_t> counts = filled<std::int64_t>(workers_, rows_);
    run(true, [&](const DeviceRows<T>& found) {
      for (std::size_t i = 0; i < found.count; ++i)
        counts[found.query[i]] = static_cast<std::int64_t>(found.offset[i + 1] - found.offset[i]);
    });
    return counts;
  }

  /// Rows as long as the offsets say: the nearest.
  template <class Index>
  void fill(std::span<const std::int64_t> offsets, Index* index, T* distance) {
    const T unscale = unscale_of<T>(tree_);
    run(false, [&](const DeviceRows<T>& found) {
      visit_rows(found, unscale, workers_, [&](std::size_t, const Found<T>& row) {
        const auto at = static_cast<std::size_t>(offsets[row.row]);
        const auto end = static_cast<std::size_t>(offsets[row.row + 1]);
        for (std::size_t n = 0; n < end - at; ++n) {
          index[at + n] = static_cast<Index>(row.index[n]);
          distance[at + n] = row.distance[n];
        }
      });
    });
  }

 private:
  void run(bool only_count, FunctionRef<void(const DeviceRows<T>&)> take) {
    if (tree_.size() > 0 && rows_ > 0) calls_.radius(search_, only_count, take, workers_);
  }

  const AnyTree& tree_;
  Workers& workers_;
  DeviceCalls<T>& calls_;
  std::size_t rows_;
  std::vector<T> limits2_;
  DeviceSearch<T> search_;
};

std::vector<std::int64_t> count(const AnyTree& tree, const PointsView* queries,
                                const RadiusOptions& options, const Execution& execution) {
  return device_call("radius", execution, [&](Workers& workers) {
    check(tree, queries, options);
    return with_scalar(tree.scalar(), [&]<class T>() {
      if (!is_cpu(execution))
        return DeviceBallSearch<T>(tree, queries, options, execution, workers).count();
      return BallSearch<T>(tree, queries, options, workers).count();
    });
  });
}

/// Makes offsets of counts, none larger than the limit; returns how many were.
std::size_t to_offsets(std::vector<std::int64_t>& counts, std::size_t limit,
                       const Workers& workers) {
  std::size_t truncated = 0;
  std::int64_t sum = 0;
  counts.push_back(0);
  for_each_in_order(workers, counts.size(), [&](std::size_t i) {
    std::int64_t& value = counts[i];
    const bool is_cut = limit > 0 && static_cast<std::size_t>(value) > limit;
    truncated += is_cut ? 1 : 0;
    const std::int64_t length = is_cut ? static_cast<std::int64_t>(limit) : value;
    value = sum;
    sum += length;
  });
  return truncated;
}

template <class T, class Index>
NeighborLists<T, Index> lists(const AnyTree& tree, const PointsView* queries,
                              const RadiusOptions& options, const Execution& execution) {
  return device_call("radius", execution, [&](Workers& workers) {
    check_index<Index>("radius", tree);
    check(tree, queries, options);
    if (!is_cpu(execution)) {
      DeviceBallSearch<T> search(tree, queries, options, execution, workers);
      std::vector<std::int64_t> offsets = search.count();
      const std::size_t truncated = to_offsets(offsets, options.max_neighbors, workers);
      NeighborLists<T, Index> result(std::move(offsets), truncated, execution);
      search.fill(result.offsets(), result.indices(), result.distances());
      return result;
    }
    BallSearch<T> search(tree, queries, options, workers);
    std::vector<std::int64_t> offsets = search.count();
    const std::size_t truncated = to_offsets(offsets, options.max_neighbors, workers);
    NeighborLists<T, Index> result(std::move(offsets), truncated, execution);
    search.job().offsets = result.offsets().data();
    set_target(search.job(), result.indices(), result.distances());
    search.run("fill");
    return result;
  });
}

/// Visits each i with its neighbors j > i. They are sorted by distance, so the others are taken
/// out.
template <class T>
void visit_pairs(
    BallSearch<T>& search, const char* stage,
    FunctionRef<void(std::size_t, const std::vector<std::uint32_t>&, const std::vector<T>&)>
        visit) {
  const auto visit_one = [&](const Found<T>& found) {
    std::vector<std::uint32_t> index;
    std::vector<T> distance;
    for (std::size_t n = 0; n < found.count; ++n)
      if (found.index[n] > found.row) {
        index.push_back(found.index[n]);
        distance.push_back(found.distance[n]);
      }
    if (!index.empty()) visit(found.row, index, distance);
  };
  const FunctionRef<void(const Found<T>&)> visitor(visit_one);
  search.job().visit = &visitor;
  search.run(stage);
  search.job().visit = nullptr;
}

/// Pairs have no individual radii, and a limit on neighbors would break them.
void check_pairs(const char* call, const RadiusOptions& options) {
  check_balls(options, 0);
  if (options.max_neighbors > 0)
    refuse("{}: max_neighbors = {}; leave it 0", call, options.max_neighbors);
}

}  // namespace

std::vector<std::int64_t> radius_count(const AnyTree& tree, const RadiusOptions& options,
                                       const Execution& execution) {
  return count(tree, nullptr, options, execution);
}

std::vector<std::int64_t> radius_count(const AnyTree& tree, PointsView queries,
                                       const RadiusOptions& options, const Execution& execution) {
  return count(tree, &queries, options, execution);
}

template <Coordinate T, ResultIndex Index>
NeighborLists<T, Index> radius(const Tree<T>& tree, const RadiusOptions& options,
                               const Execution& execution) {
  return lists<T, Index>(tree, nullptr, options, execution);
}

template <Coordinate T, ResultIndex Index>
NeighborLists<T, Index> radius(const Tree<T>& tree, std::type_identity_t<View<T>> queries,
                               const RadiusOptions& options, const Execution& execution) {
  return lists<T, Index>(tree, &queries, options, execution);
}

template <Coordinate T, ResultIndex Index>
Pairs<T, Index> radius_pairs(const Tree<T>& tree, const RadiusOptions& options,
                             const Execution& execution) {
  return public_call("radius_pairs", execution, [&](Workers& workers) {
    check_pairs("radius_pairs", options);
    check_index<Index>("radius_pairs", tree);
    RadiusOptions sorted = options;
    sorted.sorted = true;
    BallSearch<T> search(tree, nullptr, sorted, workers);
    std::vector<std::int64_t> offsets = filled<std::int64_t>(workers, search.rows());
    visit_pairs<T>(search, "count", [&](std::size_t i, const auto& index, const auto&) {
      offsets[i] = static_cast<std::int64_t>(index.size());
    });
    to_offsets(offsets, 0, workers);
    const auto total = static_cast<std::size_t>(offsets.back());
    Pairs<T, Index> pairs{filled<Index>(workers, total), filled<Index>(workers, total),
                          filled<T>(workers, total)};
    visit_pairs<T>(search, "fill", [&](std::size_t i, const auto& index, const auto& distance) {
      const std::int64_t begin = offsets[i];
      std::fill_n(pairs.i.begin() + begin, index.size(), static_cast<Index>(i));
      std::copy(index.begin(), index.end(), pairs.j.begin() + begin);
      std::copy(distance.begin(), distance.end(), pairs.distance.begin() + begin);
    });
    return pairs;
  });
}

template <Coordinate T>
void for_each_pair(const Tree<T>& tree, const RadiusOptions& options, const Visitor<T>& visit,
                   const Execution& execution) {
  public_call("for_each_pair", execution, [&](Workers& workers) {
    check_pairs("for_each_pair", options);
    BallSearch<T> search(tree, nullptr, options, workers);
    visit_pairs<T>(search, "search", [&](std::size_t i, const auto& index, const auto& distance) {
      caller_code([&] { visit({i, index, distance}); });
    });
  });
}

#define KITH_INSTANTIATE(T, Index)                                                                 \
  template NeighborLists<T, Index> radius<T, Index>(const Tree<T>&, const RadiusOptions&,          \
                                                    const Execution&);                             \
  template NeighborLists<T, Index> radius<T, Index>(const Tree<T>&, View<T>, const RadiusOptions&, \
                                                    const Execution&);                             \
  template Pairs<T, Index> radius_pairs<T, Index>(const Tree<T>&, const RadiusOptions&,            \
                                                  const Execution&);
KITH_INSTANTIATE(float, std::int32_t)
KITH_INSTANTIATE(float, std::int64_t)
KITH_INSTANTIATE(double, std::int32_t)
KITH_INSTANTIATE(double, std::int64_t)
#undef KITH_INSTANTIATE
template void for_each_pair(const Tree<float>&, const RadiusOptions&, const Visitor<float>&,
                            const Execution&);
template void for_each_pair(const Tree<double>&, const RadiusOptions&, const Visitor<double>&,
                            const Execution&);

}  // namespace kith
