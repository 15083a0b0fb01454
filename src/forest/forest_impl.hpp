// The implementation of Forest: a list of parts. Parts are shared by copies and never change, so
// that a call that fails leaves the forest unchanged: it works on a copy of the list.
#pragma once

#include <memory>
#include <vector>

#include <kith/forest.hpp>

#include "parallel/workers.hpp"
#include "tree/input.hpp"

namespace kith {

/// Points as they were given, by ascending index, and a tree over them in the forest's frame.
template <class T>
struct ForestPart {
  std::vector<T> rows;
  std::vector<std::int64_t> indices;
  std::shared_ptr<const AnyTree> tree;
  std::size_t size() const { return indices.size(); }
};

/// A point found; the order of results.
template <class T>
struct FoundPoint {
  T d2, distance;
  std::int64_t index;
  friend bool operator<(const FoundPoint& a, const FoundPoint& b) {
    return a.d2 != b.d2 ? a.d2 < b.d2 : a.index < b.index;
  }
};

template <Coordinate T>
struct Forest<T>::Impl {
  struct Entry {
    std::shared_ptr<const ForestPart<T>> part;
    std::size_t dead = 0;  ///< of its points
  };

  int dimension;
  Box box;
  Extent<T> extent;  ///< of the live points; the scale of the frame follows from it
  Frame<T> frame;
  std::vector<Entry> entries;  ///< large parts first
  std::vector<bool> is_dead;   ///< by index
  std::size_t live = 0;

  Impl(int d, const Box& b);

  void insert(const PointsView& points, Workers& workers);
  void remove(std::span<const std::int64_t> indices, Workers& workers);
  bool contains(std::int64_t index) const {
    return index >= 0 && static_cast<std::size_t>(index) < is_dead.size() &&
           !is_dead[static_cast<std::size_t>(index)];
  }

  Neighbors<T, std::int64_t> knn(const PointsView& queries, const KnnOptions& options,
                                 const Execution& execution, Workers& workers,
                                 const Forest& forest) const;
  NeighborLists<T, std::int64_t> radius(const PointsView& queries, RadiusOptions options,
                                        const Execution& execution, Workers& workers) const;
  std::vector<std::vector<FoundPoint<T>>> radius_lists(const PointsView& queries,
                                                       const RadiusOptions& options,
                                                       const Execution& execution,
                                                       Workers& workers) const;
  std::vector<std::int64_t> radius_count(const PointsView& queries, const RadiusOptions& options,
                                         const Execution& execution, Workers& workers) const;

  std::size_t width() const { return static_cast<std::size_t>(dimension); }
  void check_points(const char* call, const PointsView& points) const;
  void build(ForestPart<T>& part, Workers& workers) const;
  /// Fits the frame to points of another extent; rebuilds the trees if its scale changes.
  void fit(const Extent<T>& all, Workers& workers);
  Extent<T> live_extent() const;
  /// The live points of some parts, and new rows, in one part without a tree.
  ForestPart<T> gathered(std::span<const Entry> from, const std::vector<T>& rows,
                         std::int64_t first_index) const;
  void sort_entries();
};

/// Rows of a view, packed one after the other.
template <class T>
std::vector<T> packed_rows(const PointsView& points) {
  const auto d = static_cast<std::size_t>(points.dimension);
  std::vector<T> rows(points.size * d);
  for (std::size_t i = 0; i < points.size; ++i)
    std::copy_n(static_cast<const T*>(points.data) + static_cast<std::ptrdiff_t>(i) * points.stride,
                d, rows.data() + i * d);
  return rows;
}

}  // namespace kith
