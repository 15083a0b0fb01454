// The order of points along a curve, made on a device.
#pragma once

#include <cstddef>

#include "geometry/bounds.hpp"
#include "gpu/steps.hpp"
#include "parallel/workers.hpp"

namespace kith::gpu {

/// Rows in the tree's frame, packed.
template <class T>
struct RowsInFrame {
  OpenDevice& device;
  const Buffer<T>& rows;
  int dimension;
  std::size_t size;
  Bounds<kAnyDimension, T> bounds;  ///< as for the order on the CPU (tree/input.hpp)
  bool is_hilbert;                  ///< or z
};

/// The row of each position, exactly as order_points (tree/order.hpp) has it.
template <class T>
Uints order_rows(const RowsInFrame<T>& rows, const Workers& workers);

}  // namespace kith::gpu
