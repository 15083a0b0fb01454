// Sorting points along a curve, straight into the blocks of a tree.
#pragma once

#include <kith/tree.hpp>

#include "parallel/workers.hpp"
#include "tree/input.hpp"
#include "tree/planes.hpp"

namespace kith {

/// How points are ordered.
struct Order {
  Curve curve = Curve::hilbert;
  SplitAxis split_axis = SplitAxis::widest;  ///< kd only
};

/// The curve of the options; automatic becomes one that has keys. Devices and domains need keys,
/// and forests are built more often than searched.
inline Curve key_curve(const TreeOptions& options, int dimension) {
  if (options.curve != Curve::automatic) return options.curve;
  return options.builder == Builder::cells || dimension == 1 ? Curve::z : Curve::hilbert;
}

/// The curve of a tree. Building in kd order takes two to three times as long as along Hilbert's
/// curve in two and three dimensions, but little more above, where searches gain 5 to 45 %:
/// bench_orders, docs/kd.md.
inline Curve tree_curve(const TreeOptions& options, int dimension) {
  const Curve curve = key_curve(options, dimension);
  return options.curve == Curve::automatic && curve == Curve::hilbert && dimension > 3 ? Curve::kd
                                                                                       : curve;
}

/// Fills planes.blocks with the points in the order of the curve, equal points by original index.
/// z-order is exactly that of z_less; the Hilbert order is followed down to short runs of
/// neighbors; the kd order is that of kd.hpp. The order depends on the points alone.
template <class T>
void order_points(const Input<T>& input, Order order, Workers& workers, Planes<T>& planes);

/// Throws Error: rows were no longer finite when they were loaded.
[[noreturn]] void fail_for_changed_points();

/// The kd order (kd.hpp).
template <class T>
void order_points_kd(const Input<T>& input, SplitAxis rule, const Workers& workers,
                     Planes<T>& planes);

/// The order for dimensions without compiled code.
template <class T>
void order_points_any(const Input<T>& input, Curve curve, const Workers& workers,
                      Planes<T>& planes);

/// Puts a point into its lane.
template <int D, class T>
void store_point(const Planes<T>& planes, std::size_t at, const T* x, std::uint32_t index,
                 Axes<D> axes) {
  T* block = planes.blocks.data() + at / kLanes * block_stride<T>(axes);
  const std::size_t lane = at % kLanes;
  for (int axis = 0; axis < axes.count(); ++axis) block[column_at(axis) + lane] = x[axis];
  const_cast<std::uint32_t*>(indices_of<D, T>(block, axes))[lane] = index;
}

}  // namespace kith
