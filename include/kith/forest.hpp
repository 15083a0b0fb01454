// A set of points that can be changed in batches and searched exactly in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <kith/box.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/neighbors.hpp>
#include <kith/points.hpp>
#include <kith/radius.hpp>

namespace kith {

struct ForestOptions {
  Box box = {};
};

/// Points in trees of growing size (the logarithmic method). A batch becomes a tree; four trees of
/// a size class become one tree of the next class. Removed points are marked, and are left out when
/// their tree is built again, at the latest when half of its points are removed.
///
/// Points are numbered from 0 in the order of insertion; an index is never used again. Every result
/// equals that of one tree over the current points, with ties by index.
///
/// Threads: const calls may run from any number of threads at once, others only alone. Cost: n
/// points in batches of any size cost O(n log n); a search visits O(log n) trees, some of them
/// again where removed points displaced others. radius_count builds a tree of the removed points
/// that are still stored, if there are any. Memory: the points, their trees, and 8 bytes per point
/// for its index.
template <Coordinate T = float>
class KITH_API Forest {
 public:
  /// Errors: invalid_argument (dimension outside 1..32, a box that does not fit).
  explicit Forest(int dimension, const ForestOptions& options = {});
  ~Forest();
  Forest(const Forest&);
  Forest(Forest&&) noexcept;
  Forest& operator=(const Forest&);
  Forest& operator=(Forest&&) noexcept;

  /// Adds points of the type and dimension of the forest. Returns the index of the first; the
  /// others follow. Errors: invalid_argument, non_finite, too_large, out_of_memory, cancelled; the
  /// forest is then unchanged.
  std::int64_t insert(PointsView points, const Execution& execution = {});

  /// Removes points by index. Errors: invalid_argument (an index that is not in the forest, or
  /// given twice), out_of_memory, cancelled; the forest is then unchanged.
  void remove(std::span<const std::int64_t> indices, const Execution& execution = {});

  int dimension() const;
  const Box& box() const;
  std::size_t size() const;       ///< points in the forest
  std::int64_t inserted() const;  ///< points inserted so far; the next index
  bool contains(std::int64_t index) const;
  std::size_t trees() const;
  std::vector<std::int64_t> indices() const;  ///< of the points in the forest, ascending
  std::vector<T> coordinates() const;         ///< in the same order, as they were passed

  /// The k nearest points of each query, by index. Options for the points of a tree itself, and
  /// norms other than p = 2, are errors.
  Neighbors<T, std::int64_t> knn(PointsView queries, const KnnOptions& options,
                                 const Execution& execution = {}) const;
  /// The points within a distance, in the order of (squared distance, index).
  NeighborLists<T, std::int64_t> radius(PointsView queries, const RadiusOptions& options,
                                        const Execution& execution = {}) const;
  std::vector<std::int64_t> radius_count(PointsView queries, const RadiusOptions& options,
                                         const Execution& execution = {}) const;

  /// The forest as bytes, and back. Only the points are kept: loading builds one tree of them.
  /// Errors: io (not a forest of this type, truncated, damaged).
  std::vector<std::byte> bytes() const;
  static Forest from_bytes(std::span<const std::byte> bytes, const Execution& execution = {});

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace kith
