// Measuring the caller's points: which rows are used, and how far they extend. Extents of parts of
// the points can be added up over parts, threads and ranks before a frame is fitted to them
// (input.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include <kith/tree.hpp>

#include "base/array.hpp"
#include "geometry/bounds.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// The rows of a view that are used, in the caller's memory.
template <class T>
struct InputRows {
  const T* data = nullptr;
  std::ptrdiff_t stride = 0;
  int dimension = 0;
  std::size_t size = 0;       ///< points to be used
  Array<std::uint32_t> live;  ///< the points to be used, when some are dropped

  /// Original index of the i-th point to be used.
  std::uint32_t index(std::size_t i) const {
    return live.empty() ? static_cast<std::uint32_t>(i) : live[i];
  }
  /// The coordinates of the i-th point to be used, in the caller's frame.
  const T* row(std::size_t i) const {
    return data + static_cast<std::ptrdiff_t>(index(i)) * stride;
  }
};

/// Extent of some points, and whether all their coordinates are finite; if not, the bounds mean
/// nothing.
template <class T>
struct Extent {
  Bounds<kAnyDimension, T> bounds = Bounds<kAnyDimension, T>::empty();
  bool is_finite = true;

  bool is_empty() const { return bounds.lo[0] > bounds.hi[0]; }
  void add(const Extent& other, int dimension) {
    bounds.add(other.bounds, Axes<kAnyDimension>(dimension));
    is_finite = is_finite && other.is_finite;
  }
};

/// Rows and the extent of those that are used, which is finite.
template <class T>
struct MeasuredRows {
  InputRows<T> rows;
  Extent<T> extent;
};

/// One pass over the rows of a view, two if some are dropped. Errors: non_finite unless points may
/// be dropped.
template <class T>
MeasuredRows<T> measure(const PointsView& points, NonFinite non_finite, const Workers& workers);

}  // namespace kith
