// From points in order to the blocks and planes of a packed tree (src/tree/planes.hpp).

// order: the row of each position; live: the original index of each row, if some were dropped.
KERNEL void fill_blocks(GLOBAL const real* points, GLOBAL const uint* order,
                        GLOBAL const uint* live, uint has_live, GLOBAL real* blocks, ulong n) {
  ulong at = THREAD();
  if (at >= (n + LANES - 1) / LANES * LANES) return;
  GLOBAL real* block = blocks + at / LANES * BLOCK_STRIDE;
  uint lane = (uint)(at % LANES);
  uint row = at < n ? order[at] : 0;
  for (int axis = 0; axis < DIM; ++axis)
    block[axis * LANES + lane] = at < n ? points[(ulong)row * DIM + axis] : REAL_NAN;
  uint index = has_live ? live[row] : row;
  ((GLOBAL uint*)(block + LANES * DIM))[lane] = at < n ? index : NO_INDEX;
}

DEVICE real least_lane(GLOBAL const real* lanes) {
  real value = lanes[0];
  for (uint i = 1; i < LANES; ++i) value = lanes[i] < value ? lanes[i] : value;
  return value;
}

DEVICE real most_lane(GLOBAL const real* lanes) {
  real value = lanes[0];
  for (uint i = 1; i < LANES; ++i) value = lanes[i] > value ? lanes[i] : value;
  return value;
}

DEVICE void pad_node(GLOBAL real* chunk, uint lane) {
  for (int axis = 0; axis < DIM; ++axis) {
    chunk[axis * LANES + lane] = REAL_INFINITY;
    chunk[(DIM + axis) * LANES + lane] = -REAL_INFINITY;
  }
}

// One work-item a leaf; ranges: the smallest, then the largest index of all nodes.
KERNEL void fill_leaves(GLOBAL const real* blocks, GLOBAL real* boxes, ulong box_at,
                        GLOBAL uint* ranges, ulong range_at, uint nodes, ulong n) {
  ulong node = THREAD();
  ulong room = (nodes + LANES - 1) / LANES * LANES;
  if (node >= room) return;
  GLOBAL real* chunk = boxes + box_at + node / LANES * CHUNK_STRIDE;
  uint lane = (uint)(node % LANES);
  uint smallest = NO_INDEX, largest = 0;
  if (node < nodes) {
    GLOBAL const real* block = blocks + node * BLOCK_STRIDE;
    for (int axis = 0; axis < DIM; ++axis) {
      chunk[axis * LANES + lane] = least_lane(block + axis * LANES);
      chunk[(DIM + axis) * LANES + lane] = most_lane(block + axis * LANES);
    }
    GLOBAL const uint* index = (GLOBAL const uint*)(block + LANES * DIM);
    for (uint i = 0; i < LANES && node * LANES + i < n; ++i) {
      smallest = index[i] < smallest ? index[i] : smallest;
      largest = index[i] > largest ? index[i] : largest;
    }
  } else {
    pad_node(chunk, lane);
  }
  ranges[range_at + node] = smallest;
  ranges[range_at + room + node] = largest;
}

// One work-item a node, from its 8 children.
KERNEL void fill_nodes(GLOBAL real* boxes, ulong child_at, ulong box_at, GLOBAL uint* ranges,
                       ulong child_range_at, uint children, ulong range_at, uint nodes) {
  ulong node = THREAD();
  ulong room = (nodes + LANES - 1) / LANES * LANES;
  if (node >= room) return;
  GLOBAL real* chunk = boxes + box_at + node / LANES * CHUNK_STRIDE;
  uint lane = (uint)(node % LANES);
  uint smallest = NO_INDEX, largest = 0;
  if (node < nodes) {
    GLOBAL const real* from = boxes + child_at + node * CHUNK_STRIDE;
    for (int axis = 0; axis < DIM; ++axis) {
      chunk[axis * LANES + lane] = least_lane(from + axis * LANES);
      chunk[(DIM + axis) * LANES + lane] = most_lane(from + (DIM + axis) * LANES);
    }
    ulong child_room = (children + LANES - 1) / LANES * LANES;
    for (ulong i = node * LANES; i < (node + 1) * LANES; ++i) {
      uint low = ranges[child_range_at + i], high = ranges[child_range_at + child_room + i];
      smallest = low < smallest ? low : smallest;
      largest = high > largest ? high : largest;
    }
  } else {
    pad_node(chunk, lane);
  }
  ranges[range_at + node] = smallest;
  ranges[range_at + room + node] = largest;
}
