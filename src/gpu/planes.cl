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

// A plane that is being filled: boxes in chunks of 8, and the smallest, then the largest index of
// all nodes, with room for whole chunks.
typedef struct {
  GLOBAL real* boxes;
  GLOBAL uint* ranges;
  uint nodes;
} Plane;

DEVICE Plane plane_of(GLOBAL real* boxes, GLOBAL uint* ranges, uint nodes) {
  Plane plane;
  plane.boxes = boxes;
  plane.ranges = ranges;
  plane.nodes = nodes;
  return plane;
}

DEVICE ulong room_of(uint nodes) { return (nodes + LANES - 1) / LANES * LANES; }

// A node from its children: 8 least and 8 largest coordinates per axis. Nodes past the last are
// empty boxes.
DEVICE void write_node(Plane plane, ulong node, GLOBAL const real* low, GLOBAL const real* high,
                       uint smallest, uint largest) {
  GLOBAL real* box = plane.boxes + node / LANES * CHUNK_STRIDE + node % LANES;
  int is_node = node < plane.nodes;
  for (int axis = 0; axis < DIM; ++axis) {
    box[axis * LANES] = is_node ? least_lane(low + axis * LANES) : REAL_INFINITY;
    box[(DIM + axis) * LANES] = is_node ? most_lane(high + axis * LANES) : -REAL_INFINITY;
  }
  plane.ranges[node] = smallest;
  plane.ranges[room_of(plane.nodes) + node] = largest;
}

// One work-item per leaf.
KERNEL void fill_leaves(GLOBAL const real* blocks, GLOBAL real* boxes, ulong box_at,
                        GLOBAL uint* ranges, ulong range_at, uint nodes, ulong n) {
  ulong node = THREAD();
  if (node >= room_of(nodes)) return;
  GLOBAL const real* block = blocks + node * BLOCK_STRIDE;
  uint smallest = NO_INDEX, largest = 0;
  for (uint i = 0; i < LANES && node * LANES + i < n; ++i) {
    uint index = ((GLOBAL const uint*)(block + LANES * DIM))[i];
    smallest = index < smallest ? index : smallest;
    largest = index > largest ? index : largest;
  }
  write_node(plane_of(boxes + box_at, ranges + range_at, nodes), node, block, block, smallest,
             largest);
}

// One work-item per node, from its 8 children.
KERNEL void fill_nodes(GLOBAL real* boxes, ulong child_at, ulong box_at, GLOBAL uint* ranges,
                       ulong child_range_at, uint children, ulong range_at, uint nodes) {
  ulong node = THREAD();
  if (node >= room_of(nodes)) return;
  GLOBAL const real* from = boxes + child_at + node * CHUNK_STRIDE;
  GLOBAL const uint* low = ranges + child_range_at;
  GLOBAL const uint* high = low + room_of(children);
  uint smallest = NO_INDEX, largest = 0;
  for (ulong i = node * LANES; node < nodes && i < (node + 1) * LANES; ++i) {
    smallest = low[i] < smallest ? low[i] : smallest;
    largest = high[i] > largest ? high[i] : largest;
  }
  write_node(plane_of(boxes + box_at, ranges + range_at, nodes), node, from, from + DIM * LANES,
             smallest, largest);
}
