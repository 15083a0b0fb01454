#include <algorithm>

#include <kith/tree.hpp>

#include "tree/order.hpp"
#include "tree/planes.hpp"
#include "tree/tree_impl.hpp"

namespace kith {
namespace {

/// Blocks of points.
std::size_t block_bytes(std::size_t size, std::size_t dimension, std::size_t scalar) {
  return (size + kLanes - 1) / kLanes * kLanes * (dimension * scalar + sizeof(std::uint32_t));
}

/// Boxes and the two indices of a node.
std::size_t node_bytes(std::size_t dimension, std::size_t scalar) {
  return 2 * dimension * scalar + 2 * sizeof(std::uint32_t);
}

}  // namespace

MemoryEstimate estimate_memory(std::size_t size, int dimension, Scalar scalar,
                               const TreeOptions& options) {
  const std::size_t d = static_cast<std::size_t>(std::clamp(dimension, 1, kMaxDimension));
  const std::size_t bytes = scalar == Scalar::float32 ? sizeof(float) : sizeof(double);
  const std::size_t blocks = block_bytes(size, d, bytes);
  const bool is_compiled = d == 2 || d == 3;
  // Records and bucket codes; or pairs of key and index with a copy, and their codes.
  const std::size_t record =
      is_compiled ? (d * bytes + sizeof(std::uint32_t) + bytes - 1) / bytes * bytes + 2
                  : 2 * 16 + 2;
  const bool is_cells = !is_implicit(options.builder);
  // Leaves of cells are at least half full on average; four more bytes for each of their borders'
  // arrays.
  const std::size_t leaf =
      is_cells ? std::max<std::size_t>(1, static_cast<std::size_t>(options.max_leaf_size) / 2)
               : kLanes;
  const std::size_t fan_out =
      is_cells ? static_cast<std::size_t>(std::max(2, options.coarsening)) : kLanes;
  const std::size_t leaves = size / leaf + kLanes;
  const std::size_t nodes = leaves + leaves / (fan_out - 1) + kLanes;
  const std::size_t planes = nodes * (node_bytes(d, bytes) + (is_cells ? 8 : 0));
  // Gap levels and their marks while cells are chosen.
  const std::size_t gaps = is_cells ? size * (sizeof(int) + 1) + leaves * 16 : 0;
  if (tree_curve(options, static_cast<int>(d)) == Curve::kd) {
    // Columns of coordinates and indices, twice; the blocks take the place of one.
    const std::size_t columns = size * (d * bytes + sizeof(std::uint32_t));
    return {.peak = std::max(columns + blocks, blocks + planes), .kept = blocks + planes};
  }
  return {.peak = blocks + std::max(size * record, planes + gaps), .kept = blocks + planes};
}

}  // namespace kith
