// Who is near: the k nearest neighbors of every point, exactly.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>
#include <kith/tree.hpp>

namespace kith {

/// The type of the indices in a result. Points beyond its range are an error, never wrapped.
template <class I>
concept ResultIndex = std::same_as<I, std::int32_t> || std::same_as<I, std::int64_t>;

/// Which row of a result belongs to which point.
enum class RowOrder {
  input,  ///< row i: the i-th point that was given
  tree,   ///< row i: the i-th point in tree order (Tree::order); other query points keep their own
          ///< order
};

/// How neighbors are found. All methods give the same answer.
enum class KnnMethod {
  automatic,
  predict,  ///< guess the radius from the queries before, collect, select: the fastest
  walk,     ///< interaction lists with guaranteed bounds, plane by plane
};

struct KnnOptions {
  std::size_t k = 1;
  bool exclude_self =
      false;  ///< leave out the point itself, by index; for a tree's own points only
  /// Neighbors lie within this distance (inclusive); rows may then hold fewer than k.
  double max_radius = std::numeric_limits<double>::infinity();
  bool strict = false;  ///< neighbors at exactly max_radius do not count
  RowOrder order = RowOrder::input;
  KnnMethod method = KnnMethod::automatic;
  /// The norm that measures distance, see Norms below: 1 or more, infinity included.
  double p = 2;
};

// Norms. The distance of two points is (sum of |dx|^p over the axes)^(1/p): p = 2 is the usual one,
// p = 1 the sum of |dx|, p = infinity the largest. Neighbors are ordered by (key, original index):
// the key is what stands before the root. It is computed axis by axis in the scalar type of the
// tree, one rounding each, for 1, 2 and infinity. For other p it is a sum in double: of products
// for whole p up to 16, of std::pow beyond, whose last bit belongs to the C library of the machine.
// A key beyond the range of double is infinite, and such neighbors are ordered by index. The root
// that makes a distance of it is std::pow. The vector code serves p = 2; other norms
// have a search of their own, and `method` plays no part.

namespace detail {
/// Uninitialised memory on huge pages, from the workspace if there is one.
KITH_API std::shared_ptr<void> allocate(std::size_t count, std::size_t size,
                                        const Execution& execution);
}  // namespace detail

/// Where a result goes: `rows` rows of k values each in the caller's memory. Either pointer may be
/// null if that half of the answer is not wanted.
template <Coordinate T, ResultIndex Index>
struct NeighborRows {
  Index* index = nullptr;
  T* distance = nullptr;
  std::size_t rows = 0;
};

/// Rows of neighbors, each in the order of (squared distance, original index). A row with fewer
/// than k neighbors ends in index -1 at distance infinity. Copies share the memory.
template <Coordinate T = float, ResultIndex Index = std::int32_t>
class Neighbors {
 public:
  Neighbors() = default;
  Neighbors(std::size_t rows, std::size_t k, const Execution& execution = {})
      : rows_(rows),
        k_(k),
        index_(detail::allocate(rows, k * sizeof(Index), execution)),
        distance_(detail::allocate(rows, k * sizeof(T), execution)) {}

  std::size_t size() const { return rows_; }
  std::size_t k() const { return k_; }
  std::span<const Index> index(std::size_t i) const { return {indices() + i * k_, k_}; }
  std::span<const T> distance(std::size_t i) const { return {distances() + i * k_, k_}; }

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

/// The k nearest neighbors of each of the tree's own points, written to the caller's memory. T is
/// the scalar type of the tree.
///
/// Rows: Tree::input_size() of them (dropped points: -1 and infinity), or Tree::size() in tree
/// order. Determinism: the same bits for any number of threads and on any CPU. Errors:
/// invalid_argument, too_large (indices that do not fit), out_of_memory, cancelled.
template <Coordinate T, ResultIndex Index>
KITH_API void knn_into(const Tree& tree, const KnnOptions& options, NeighborRows<T, Index> rows,
                       const Execution& execution = {});

/// The same for other points: one row per query. Queries may come in any order; a call with many is
/// faster per query than many calls. Errors: also non_finite (unless the tree drops such points:
/// then so are queries).
template <Coordinate T, ResultIndex Index>
KITH_API void knn_into(const Tree& tree, PointsView queries, const KnnOptions& options,
                       NeighborRows<T, Index> rows, const Execution& execution = {});

/// The k nearest neighbors of each of the tree's own points.
template <Coordinate T = float, ResultIndex Index = std::int32_t>
Neighbors<T, Index> knn(const Tree& tree, const KnnOptions& options,
                        const Execution& execution = {}) {
  Neighbors<T, Index> result(options.order == RowOrder::input ? tree.input_size() : tree.size(),
                             options.k, execution);
  knn_into<T, Index>(tree, options, result.rows(), execution);
  return result;
}

/// The k nearest neighbors of other points in the tree.
template <Coordinate T = float, ResultIndex Index = std::int32_t>
Neighbors<T, Index> knn(const Tree& tree, PointsView queries, const KnnOptions& options,
                        const Execution& execution = {}) {
  Neighbors<T, Index> result(queries.size, options.k, execution);
  knn_into<T, Index>(tree, queries, options, result.rows(), execution);
  return result;
}

/// Searches for one point at a time, from a loop, without the cost of a call per point. Holds
/// scratch memory: one for each thread. Shares the tree.
template <Coordinate T = float, ResultIndex Index = std::int32_t>
class KITH_API KnnSearcher {
 public:
  /// Errors: as knn.
  KnnSearcher(const Tree& tree, const KnnOptions& options);
  ~KnnSearcher();
  KnnSearcher(KnnSearcher&&) noexcept;
  KnnSearcher& operator=(KnnSearcher&&) noexcept;

  /// The k neighbors of the point, in the form of one row of knn. Errors: non_finite.
  void operator()(const T* point, Index* index, T* distance);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kith
