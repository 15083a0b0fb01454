// Exact neighbors within a radius: counts, lists and pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <kith/neighbors.hpp>

namespace kith {

struct RadiusOptions {
  double radius = 0;                   ///< inclusive
  std::span<const double> radii = {};  ///< one radius per query, instead of `radius`
  bool strict = false;                 ///< exclude neighbors at exactly the radius
  bool exclude_self = false;           ///< for the points of the tree only
  bool sorted = true;  ///< lists sorted by (squared distance, index); else in any fixed order
  /// Keep this many of the nearest; 0 = all. truncated() counts the lists that were cut.
  std::size_t max_neighbors = 0;
  double p = 2;  ///< the order of the norm, as in KnnOptions
};

/// The neighbors of all queries in one list: query i has [offset[i], offset[i + 1]). Copies share
/// the memory. Loops are those of Neighbors.
template <Coordinate T = float, ResultIndex Index = std::int32_t>
class NeighborLists {
 public:
  NeighborLists() = default;
  NeighborLists(std::vector<std::int64_t> offsets, std::size_t truncated,
                const Execution& execution)
      : offsets_(std::move(offsets)),
        truncated_(truncated),
        index_(detail::allocate(total(), sizeof(Index), execution)),
        distance_(detail::allocate(total(), sizeof(T), execution)) {}

  std::size_t size() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  std::size_t total() const {
    return offsets_.empty() ? 0 : static_cast<std::size_t>(offsets_.back());
  }
  std::span<const std::int64_t> offsets() const { return offsets_; }
  std::span<const Index> index(std::size_t i) const { return {indices() + first(i), length(i)}; }
  std::span<const T> distance(std::size_t i) const { return {distances() + first(i), length(i)}; }

  NeighborRow<T, Index> operator[](std::size_t i) const { return {index(i), distance(i)}; }
  auto begin() const { return detail::RowIterator(*this, 0); }
  auto end() const { return detail::RowIterator(*this, size()); }

  /// The number of queries with more than max_neighbors, whose lists were cut.
  std::size_t truncated() const { return truncated_; }

  /// All lists, one after the other.
  const Index* indices() const { return static_cast<const Index*>(index_.get()); }
  const T* distances() const { return static_cast<const T*>(distance_.get()); }
  Index* indices() { return static_cast<Index*>(index_.get()); }
  T* distances() { return static_cast<T*>(distance_.get()); }

 private:
  std::size_t first(std::size_t i) const { return static_cast<std::size_t>(offsets_[i]); }
  std::size_t length(std::size_t i) const {
    return static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]);
  }

  std::vector<std::int64_t> offsets_;
  std::size_t truncated_ = 0;
  std::shared_ptr<void> index_, distance_;
};

/// The number of neighbors of each point of the tree, in input order; max_neighbors has no effect.
/// Dropped points have 0. Errors: invalid_argument (a radius that is negative or NaN),
/// cancelled.
KITH_API std::vector<std::int64_t> radius_count(const AnyTree& tree, const RadiusOptions& options,
                                                const Execution& execution = {});
/// The same for other queries.
KITH_API std::vector<std::int64_t> radius_count(const AnyTree& tree, PointsView queries,
                                                const RadiusOptions& options,
                                                const Execution& execution = {});

/// The neighbors of each point of the tree, in input order: `radius(tree, options)`, or
/// `radius<std::int64_t>(tree, options)` for 64-bit indices. Results are counted first and then
/// filled, so the extra memory is of the order of the tree. Errors: as radius_count, and
/// too_large, out_of_memory.
template <Coordinate T, ResultIndex Index = std::int32_t>
KITH_API NeighborLists<T, Index> radius(const Tree<T>& tree, const RadiusOptions& options,
                                        const Execution& execution = {});
/// The same for other queries.
template <Coordinate T, ResultIndex Index = std::int32_t>
KITH_API NeighborLists<T, Index> radius(const Tree<T>& tree, std::type_identity_t<View<T>> queries,
                                        const RadiusOptions& options,
                                        const Execution& execution = {});

template <ResultIndex Index, Coordinate T>
NeighborLists<T, Index> radius(const Tree<T>& tree, const RadiusOptions& options,
                               const Execution& execution = {}) {
  return radius<T, Index>(tree, options, execution);
}
template <ResultIndex Index, Coordinate T>
NeighborLists<T, Index> radius(const Tree<T>& tree, std::type_identity_t<View<T>> queries,
                               const RadiusOptions& options, const Execution& execution = {}) {
  return radius<T, Index>(tree, queries, options, execution);
}

/// In one line, for points that are searched once: radius(points, {.radius = 0.1}).
template <PointSource P>
auto radius(const P& points, const RadiusOptions& options, const TreeOptions& tree = {},
            const Execution& execution = {}) {
  return radius(Tree(ViewOf<P>(points), tree, execution), options, execution);
}

/// All pairs i < j within a radius, sorted by i, then by (squared distance, j).
template <Coordinate T = float, ResultIndex Index = std::int32_t>
struct Pairs {
  std::vector<Index> i, j;
  std::vector<T> distance;

  struct Pair {
    Index i, j;
    T distance;
  };
  std::size_t size() const { return i.size(); }
  Pair operator[](std::size_t n) const { return {i[n], j[n], distance[n]}; }
  /// for (auto [i, j, distance] : pairs)
  auto begin() const { return detail::ElementIterator<Rows>({this}, 0); }
  auto end() const { return detail::ElementIterator<Rows>({this}, size()); }

 private:
  struct Rows {
    const Pairs* pairs = nullptr;
    Pair operator[](std::size_t n) const { return (*pairs)[n]; }
  };
};
template <Coordinate T, ResultIndex Index = std::int32_t>
KITH_API Pairs<T, Index> radius_pairs(const Tree<T>& tree, const RadiusOptions& options,
                                      const Execution& execution = {});

template <ResultIndex Index, Coordinate T>
Pairs<T, Index> radius_pairs(const Tree<T>& tree, const RadiusOptions& options,
                             const Execution& execution = {}) {
  return radius_pairs<T, Index>(tree, options, execution);
}

/// Calls visit for each i that has pairs, with all its j > i, from several threads at once, in no
/// particular order. Nothing is stored.
template <Coordinate T>
KITH_API void for_each_pair(const Tree<T>& tree, const RadiusOptions& options,
                            const Visitor<T>& visit, const Execution& execution = {});

}  // namespace kith
