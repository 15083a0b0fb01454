// Exact k nearest neighbors.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>
#include <kith/tree.hpp>

namespace kith {

/// The type of the indices in a result. It is an error if it cannot hold all indices.
template <class I>
concept ResultIndex = std::same_as<I, std::int32_t> || std::same_as<I, std::int64_t>;

/// Which row of a result belongs to which point.
enum class RowOrder {
  input,  ///< row i belongs to the i-th point of the input
  /// Row i belongs to the i-th point in tree order (AnyTree::order); rows of other queries stay in
  /// input order.
  tree,
};

/// The search method. All methods give the same result.
enum class KnnMethod {
  automatic,
  predict,  ///< predict the radius from previous queries, collect, select: the fastest
  walk,     ///< interaction lists with guaranteed bounds, plane by plane
};

struct KnnOptions {
  std::size_t k = 1;
  /// Leave out the point itself, by index; for a tree's own points only.
  bool exclude_self = false;
  /// Only neighbors within this distance (inclusive); rows may then have fewer than k.
  double max_radius = std::numeric_limits<double>::infinity();
  bool strict = false;  ///< exclude neighbors at exactly max_radius
  RowOrder order = RowOrder::input;
  KnnMethod method = KnnMethod::automatic;
  /// The order of the norm, from 1 to infinity; see Norms below.
  double p = 2;
};

// Norms. The distance of two points is (sum of |dx|^p over the axes)^(1/p): p = 2 is the usual one,
// p = 1 the sum of |dx|, p = infinity the largest. Neighbors are ordered by (key, original index):
// the key is the sum before the root. For p = 1, 2 and infinity it is computed axis by axis in the
// scalar type of the tree, each operation rounded once. For other p it is a sum in double: of
// products for whole p up to 16, otherwise of std::pow, whose last bit depends on the C library.
// A key beyond the range of double is infinite, and such neighbors are ordered by index. The root
// is taken by std::pow. For p other than 1, 2 and infinity a separate search is used. `method` has
// an effect for p = 2 only.

/// The largest k: no tree has more points.
inline constexpr std::size_t kMaxNeighbors = std::size_t{1} << 32;

namespace detail {

/// Goes through the elements of a row that makes them: row[0], row[1], ...
template <class Row>
class ElementIterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = decltype(std::declval<const Row&>()[0]);
  using iterator_concept = std::forward_iterator_tag;

  ElementIterator() = default;
  ElementIterator(const Row& row, std::size_t n) : row_(row), n_(n) {}
  value_type operator*() const { return row_[n_]; }
  ElementIterator& operator++() {
    ++n_;
    return *this;
  }
  ElementIterator operator++(int) { return {row_, n_++}; }
  bool operator==(const ElementIterator& other) const { return n_ == other.n_; }

 private:
  Row row_ = {};
  std::size_t n_ = 0;
};

/// A row of a result, with its number.
template <class Row>
struct NumberedRow {
  std::size_t i;
  Row neighbors;
};

/// Goes through the rows of a result.
template <class Result>
class RowIterator {
 public:
  using value_type = NumberedRow<decltype(std::declval<const Result&>()[0])>;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::forward_iterator_tag;

  RowIterator() = default;
  RowIterator(const Result& result, std::size_t i) : result_(&result), i_(i) {}
  value_type operator*() const { return {i_, (*result_)[i_]}; }
  RowIterator& operator++() {
    ++i_;
    return *this;
  }
  RowIterator operator++(int) { return {*result_, i_++}; }
  bool operator==(const RowIterator& other) const { return i_ == other.i_; }

 private:
  const Result* result_ = nullptr;
  std::size_t i_ = 0;
};

/// Uninitialized memory on huge pages, from the workspace if there is one.
KITH_API std::shared_ptr<void> allocate(std::size_t count, std::size_t size,
                                        const Execution& execution);
/// The same for rows of k values. Errors: invalid_argument for more than kMaxNeighbors.
KITH_API std::shared_ptr<void> allocate_rows(std::size_t rows, std::size_t k, std::size_t size,
                                             const Execution& execution);
}  // namespace detail

/// The destination of a result: `rows` rows of k values each in the caller's memory. Either pointer
/// may be null if that part of the result is not needed.
template <Coordinate T, ResultIndex Index>
struct NeighborRows {
  Index* index = nullptr;
  T* distance = nullptr;
  std::size_t rows = 0;
};

/// One neighbor, as a loop over a row gives it: `for (auto [index, distance] : row)`.
template <Coordinate T, class Index>
struct Neighbor {
  Index index;
  T distance;
};

/// The neighbors of one query, in memory that belongs to a result.
template <Coordinate T, class Index>
struct NeighborRow {
  std::span<const Index> index;
  std::span<const T> distance;

  std::size_t size() const { return index.size(); }
  bool empty() const { return index.empty(); }
  Neighbor<T, Index> operator[](std::size_t n) const { return {index[n], distance[n]}; }
  auto begin() const { return detail::ElementIterator(*this, 0); }
  auto end() const { return detail::ElementIterator(*this, size()); }
};

/// Rows of neighbors, each in the order of (squared distance, original index). A row with fewer
/// than k neighbors ends in index -1 at distance infinity. Copies share the memory.
///
///     for (auto [i, neighbors] : near)
///       for (auto [index, distance] : neighbors) ...
template <Coordinate T = float, ResultIndex Index = std::int32_t>
class Neighbors {
 public:
  Neighbors() = default;
  Neighbors(std::size_t rows, std::size_t k, const Execution& execution = {})
      : rows_(rows),
        k_(k),
        index_(detail::allocate_rows(rows, k, sizeof(Index), execution)),
        distance_(detail::allocate_rows(rows, k, sizeof(T), execution)) {}

  std::size_t size() const { return rows_; }
  std::size_t k() const { return k_; }
  std::span<const Index> index(std::size_t i) const { return {indices() + i * k_, k_}; }
  std::span<const T> distance(std::size_t i) const { return {distances() + i * k_, k_}; }
  NeighborRow<T, Index> operator[](std::size_t i) const { return {index(i), distance(i)}; }
  auto begin() const { return detail::RowIterator(*this, 0); }
  auto end() const { return detail::RowIterator(*this, rows_); }

  /// All rows, one after the other.
  const Index* indices() const { return static_cast<const Index*>(index_.get()); }
  const T* distances() const { return static_cast<const T*>(distance_.get()); }
  NeighborRows<T, Index> rows() {
    return {static_cast<Index*>(index_.get()), static_cast<T*>(distance_.get()), rows_};
  }

 private:
  std::size_t rows_ = 0, k_ = 0;
  std::shared_ptr<void> index_, distance_;
};

/// Finds the k nearest neighbors of each point of the tree and writes them to the caller's memory.
///
/// Rows: AnyTree::input_size() of them (dropped points: -1 and infinity), or AnyTree::size() in
/// tree order. Determinism: the same bits for any number of threads and on any CPU. Errors:
/// invalid_argument, too_large (indices that do not fit), out_of_memory, cancelled.
template <Coordinate T, ResultIndex Index>
KITH_API void knn_into(const Tree<T>& tree, const KnnOptions& options, NeighborRows<T, Index> rows,
                       const Execution& execution = {});

/// The same for other points: one row per query. Queries may be in any order; one call with many
/// queries is faster than many calls. Errors: also non_finite (a tree that drops such points drops
/// such queries as well).
template <Coordinate T, ResultIndex Index>
KITH_API void knn_into(const Tree<T>& tree, std::type_identity_t<View<T>> queries,
                       const KnnOptions& options, NeighborRows<T, Index> rows,
                       const Execution& execution = {});

/// The k nearest neighbors of each point of the tree: `knn(tree, options)`, or
/// `knn<std::int64_t>(tree, options)` for 64-bit indices.
template <Coordinate T, ResultIndex Index = std::int32_t>
Neighbors<T, Index> knn(const Tree<T>& tree, const KnnOptions& options,
                        const Execution& execution = {}) {
  Neighbors<T, Index> result(options.order == RowOrder::input ? tree.input_size() : tree.size(),
                             options.k, execution);
  knn_into<T, Index>(tree, options, result.rows(), execution);
  return result;
}

/// The k nearest neighbors of other points in the tree.
template <Coordinate T, ResultIndex Index = std::int32_t>
Neighbors<T, Index> knn(const Tree<T>& tree, std::type_identity_t<View<T>> queries,
                        const KnnOptions& options, const Execution& execution = {}) {
  Neighbors<T, Index> result(queries.size, options.k, execution);
  knn_into<T, Index>(tree, queries, options, result.rows(), execution);
  return result;
}

template <ResultIndex Index, Coordinate T>
Neighbors<T, Index> knn(const Tree<T>& tree, const KnnOptions& options,
                        const Execution& execution = {}) {
  return knn<T, Index>(tree, options, execution);
}
template <ResultIndex Index, Coordinate T>
Neighbors<T, Index> knn(const Tree<T>& tree, std::type_identity_t<View<T>> queries,
                        const KnnOptions& options, const Execution& execution = {}) {
  return knn<T, Index>(tree, queries, options, execution);
}

/// A query and its neighbors; valid only during the call of a visitor.
template <Coordinate T>
struct Neighborhood {
  std::size_t i = 0;  ///< original index of the query
  std::span<const std::uint32_t> index;
  std::span<const T> distance;

  NeighborRow<T, std::uint32_t> neighbors() const { return {index, distance}; }
};

/// Called by searches that store nothing.
template <Coordinate T>
using Visitor = std::type_identity_t<std::function<void(const Neighborhood<T>&)>>;

/// Calls visit(neighborhood) for each point of the tree with its k nearest neighbors (fewer if
/// max_radius excludes some), roughly in tree order, from several threads at once. No rows are
/// stored.
template <Coordinate T>
KITH_API void for_each_neighborhood(const Tree<T>& tree, const KnnOptions& options,
                                    const Visitor<T>& visit, const Execution& execution = {});
/// The same under the name of the search: knn(tree, {.k = 16}, [](const auto& found) { ... }).
template <Coordinate T, std::invocable<const Neighborhood<T>&> Visit>
void knn(const Tree<T>& tree, const KnnOptions& options, const Visit& visit,
         const Execution& execution = {}) {
  for_each_neighborhood(tree, options, visit, execution);
}

/// In one line, for points that are searched once: knn(points, {.k = 16}).
template <PointSource P>
auto knn(const P& points, const KnnOptions& options, const TreeOptions& tree = {},
         const Execution& execution = {}) {
  return knn(Tree(ViewOf<P>(points), tree, execution), options, execution);
}

/// Searches for one point at a time in a loop, without the overhead of a call per point. It has
/// scratch memory: use one searcher per thread. Shares the tree.
template <Coordinate T = float, ResultIndex Index = std::int32_t>
class KITH_API KnnSearcher {
 public:
  /// Errors: as knn.
  KnnSearcher(const Tree<T>& tree, const KnnOptions& options);
  ~KnnSearcher();
  KnnSearcher(KnnSearcher&&) noexcept;
  KnnSearcher& operator=(KnnSearcher&&) noexcept;

  /// Writes the k neighbors of the point, as in one row of knn. Either of index and distance may be
  /// null if it is not needed. Errors: non_finite.
  void operator()(const T* point, Index* index, T* distance);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

template <Coordinate T>
KnnSearcher(const Tree<T>& tree, const KnnOptions& options) -> KnnSearcher<T>;

}  // namespace kith
