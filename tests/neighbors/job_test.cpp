// Searches as ranks will use them, through the internal interface: separate rows of the output,
// d2 instead of the distance, a limit per query.
#include <gtest/gtest.h>

#include "geometry/candidate.hpp"
#include "neighbors/driver.hpp"
#include "neighbors/walk_knn.hpp"
#include "support/property.hpp"
#include "support/tree_kinds.hpp"

namespace kith {
namespace {

using test::Draw;

/// A tree in its frame: all that a search through the internal interface needs.
template <class T>
class Scene {
 public:
  explicit Scene(Draw& draw)
      : dimension_(draw.one_of({2, 3, 3, 5})),
        set_(draw.point_set<T>(dimension_, draw.size(400))),
        tree_(set_.view(), test::any_tree(draw, draw.box(dimension_))) {}

  const Tree<T>& tree() const { return tree_; }
  const TreeData<T>& data() const { return impl_of(tree_).template as<T>(); }
  std::size_t size() const { return data().planes.points; }

  /// All points from a point, in order.
  std::vector<Candidate<T>> row(std::size_t position) const {
    const PlanesView<T> view = data().planes.view();
    Metric<kAnyDimension, T> metric{view.any_axes()};
    std::copy_n(data().frame.side, dimension_, metric.side);
    std::vector<Candidate<T>> row;
    T x[kMaxDimension], y[kMaxDimension];
    view.load(position, view.any_axes(), x);
    for (std::size_t i = 0; i < view.points; ++i) {
      view.load(i, view.any_axes(), y);
      row.push_back({metric.distance2(x, y), view.index(i)});
    }
    std::sort(row.begin(), row.end());
    return row;
  }

 private:
  int dimension_;
  test::PointSet<T> set_;
  Tree<T> tree_;
};

template <class T>
void check_knn(Draw& draw) {
  const Scene<T> scene(draw);
  const std::size_t n = scene.tree().input_size();
  if (scene.size() < n) return;  // points that were dropped have no rows
  draw.target();
  choose_target();
  KnnJob<T> job;
  set_source(job, scene.tree());
  job.k = draw.size(40);
  job.limit2 = std::numeric_limits<T>::infinity();
  job.wants_d2 = true;
  // Rows backwards, and a different limit for every query.
  std::vector<std::uint64_t> rows(n);
  std::vector<T> limits2(n), d2(n * job.k);
  std::vector<std::int64_t> index(n * job.k);
  for (std::size_t i = 0; i < n; ++i) {
    rows[i] = n - 1 - i;
    limits2[i] = draw.one_of({job.limit2, T(-1), T(0), static_cast<T>(draw.uniform() * 0.2)});
  }
  const bool has_limits = draw.below(4) > 0;
  job.rows = rows.data();
  if (has_limits) job.limits2 = limits2.data();
  job.distance = d2.data();
  job.index64 = index.data();
  const bool walks = draw.below(2) == 0;
  const Execution execution{.threads = 1};
  Workers workers(execution);
  const PlanesView<T> planes = scene.data().planes.view();
  if (walks)
    walk_knn(job, planes, planes, workers);
  else
    run_search(job, "search", job.k, workers);
  for (std::size_t position = 0; position < n; ++position) {
    const std::uint32_t query = planes.index(position);
    auto expected = scene.row(position);
    if (has_limits)
      std::erase_if(expected, [&](const auto& found) { return !(found.key <= limits2[query]); });
    const std::size_t begin = (n - 1 - query) * job.k;
    for (std::size_t i = 0; i < job.k; ++i) {
      const bool is_found = i < expected.size();
      ASSERT_EQ(index[begin + i], is_found ? std::int64_t{expected[i].index} : -1)
          << "query " << query << ", neighbor " << i << ", walks " << walks;
      ASSERT_EQ(d2[begin + i], is_found ? expected[i].key : std::numeric_limits<T>::infinity());
    }
  }
}

TEST(SearchJob, FloatKnnHasRowsSquaresAndLimits) { test::for_cases(400, check_knn<float>); }
TEST(SearchJob, DoubleKnnHasRowsSquaresAndLimits) { test::for_cases(400, check_knn<double>); }

/// Two searches of halves of the points, merged by (d2, index), are the search of all: what ranks
/// do.
template <class T>
void check_merge(Draw& draw) {
  const auto set = draw.point_set<T>(3, 2 + draw.size(300));
  const std::size_t n = set.size(), half = n / 2, k = 1 + draw.below(20);
  const TreeOptions options{.box = Box::periodic({1, 1, 1})};
  const Tree whole(set.view(), options);
  const AnyTree parts[2] = {Tree(view(set.x.data(), half, 3), options),
                            Tree(view(set.x.data() + 3 * half, n - half, 3), options)};
  if (whole.size() < n || whole.scale_exponent() != 0 || parts[0].scale_exponent() != 0 ||
      parts[1].scale_exponent() != 0)
    return;
  const Execution execution{.threads = 1};
  Workers workers(execution);
  std::vector<std::vector<Candidate<T>>> merged(n);
  for (std::size_t part = 0; part < 2; ++part) {
    if (parts[part].size() == 0) continue;
    KnnJob<T> job;
    set_source(job, parts[part]);
    const QueryTree<T> queries(set.view(), whole, workers);
    queries.set_queries(job, k);
    job.k = k;
    job.limit2 = std::numeric_limits<T>::infinity();
    job.wants_d2 = true;
    const auto take = [&](const Found<T>& found) {
      for (std::size_t i = 0; i < found.count; ++i)
        merged[found.row].push_back(
            {found.distance[i], static_cast<std::uint32_t>(found.index[i] + part * half)});
    };
    const FunctionRef<void(const Found<T>&)> visit(take);
    job.visit = &visit;
    run_search(job, "search", k, workers);
  }
  const auto expected = knn<T>(whole, {.k = k}, execution);
  for (std::size_t i = 0; i < n; ++i) {
    std::sort(merged[i].begin(), merged[i].end());
    for (std::size_t j = 0; j < std::min(k, n); ++j) {
      ASSERT_EQ(merged[i][j].index, expected.index(i)[j]);
      ASSERT_EQ(std::sqrt(merged[i][j].key), expected.distance(i)[j]);
    }
  }
}

TEST(SearchJob, FloatResultsMergeExactly) { test::for_cases(300, check_merge<float>); }
TEST(SearchJob, DoubleResultsMergeExactly) { test::for_cases(300, check_merge<double>); }

}  // namespace
}  // namespace kith
