// THE distance and its bounds: the texts of the CPU, for values in the memories of a device.

DEVICE real minus(real a, real b) { return a - b; }
DEVICE real times(real a, real b) { return a * b; }
DEVICE real plus(real a, real b) { return a + b; }
DEVICE real larger(real a, real b) { return a < b ? b : a; }
DEVICE real smaller(real a, real b) { return b < a ? b : a; }
DEVICE real zero_like(real x) { return (void)x, (real)0; }
DEVICE real magnitude(real x) { return fabs(x); }
#define KITH_GAPS DEVICE
#define V real
#include "geometry/axes-inl.h"
#undef V

DEVICE void load_sides(GLOBAL const real* from, real* side) {
  for (int axis = 0; axis < DIM; ++axis) side[axis] = from[axis];
}

// The coordinates of a point of a tree.
DEVICE void load_point(GLOBAL const real* blocks, ulong position, real* x) {
  GLOBAL const real* block = blocks + position / LANES * BLOCK_STRIDE + position % LANES;
  for (int axis = 0; axis < DIM; ++axis) x[axis] = block[axis * LANES];
}

DEVICE uint index_of(GLOBAL const real* blocks, ulong position) {
  GLOBAL const real* block = blocks + position / LANES * BLOCK_STRIDE;
  return ((GLOBAL const uint*)(block + LANES * DIM))[position % LANES];
}

// The box of a node of a plane.
DEVICE void load_box(GLOBAL const real* boxes, uint node, real* lo, real* hi) {
  GLOBAL const real* chunk = boxes + (ulong)(node / LANES) * CHUNK_STRIDE + node % LANES;
  for (int axis = 0; axis < DIM; ++axis) {
    lo[axis] = chunk[axis * LANES];
    hi[axis] = chunk[(DIM + axis) * LANES];
  }
}

// Sets `sum` to the squares of dx, an expression of `axis`, added in the order of the axes.
#define SUM_SQUARES(sum, dx) \
  sum = 0;                   \
  for (int axis = 0; axis < DIM; ++axis) sum = add_square(sum, dx, axis)

// No two points of the boxes are closer.
DEVICE real lower_distance2(const real* p_lo, const real* p_hi, const real* q_lo, const real* q_hi,
                            const real* side) {
  return box_lower2(p_lo, p_hi, q_lo, q_hi, side, DIM);
}

// No two points of the boxes are farther apart.
DEVICE real upper_distance2(const real* p_lo, const real* p_hi, const real* q_lo, const real* q_hi,
                            const real* side) {
  return box_upper2(p_lo, p_hi, q_lo, q_hi, side, DIM);
}

// A node of 64 points in local memory: 8 blocks in the layout of the tree, and their boxes.
#define NODE_BLOCKS (LANES * BLOCK_STRIDE)

// All work-items of the group call it; a barrier follows before it is read.
DEVICE void load_node(GLOBAL const real* blocks, GLOBAL const real* boxes, uint node,
                      uint block_count, LOCAL real* to_blocks, LOCAL real* to_boxes) {
  uint first = node * LANES;
  uint count = block_count - first < LANES ? block_count - first : LANES;
  GLOBAL const real* from = blocks + (ulong)first * BLOCK_STRIDE;
  for (uint i = LANE(); i < count * BLOCK_STRIDE; i += GROUP_SIZE) to_blocks[i] = from[i];
  for (uint i = LANE(); i < CHUNK_STRIDE; i += GROUP_SIZE)
    to_boxes[i] = boxes[(ulong)node * CHUNK_STRIDE + i];
}

// Loads the blocks of a node APART scalars from each other: work-items that read different blocks
// then use different banks of local memory.
#define APART (BLOCK_STRIDE + 1u)
DEVICE void load_apart(GLOBAL const real* blocks, uint node, uint block_count,
                       LOCAL real* to_blocks) {
  uint first = node * LANES;
  uint count = block_count - first < LANES ? block_count - first : LANES;
  GLOBAL const real* from = blocks + (ulong)first * BLOCK_STRIDE;
  UNROLL
  for (uint turn = 0; turn < (LANES * BLOCK_STRIDE + GROUP_SIZE - 1) / GROUP_SIZE; ++turn) {
    uint i = turn * GROUP_SIZE + LANE();
    if (i < count * BLOCK_STRIDE) to_blocks[i / BLOCK_STRIDE * APART + i % BLOCK_STRIDE] = from[i];
  }
}

// Is a pair of points of the boxes closer across an edge of the box than inside it? If not, each
// dx <= span <= side - span <= side - dx, so open_distance2_to has the bits of distance2_to.
DEVICE int may_cross(const real* p_lo, const real* p_hi, const real* q_lo, const real* q_hi,
                     const real* side) {
  int crosses = 0;
  for (int axis = 0; axis < DIM; ++axis) {
    real span = most(p_lo[axis], p_hi[axis], q_lo[axis], q_hi[axis]);
    crosses |= side[axis] > 0 && !(span <= side[axis] - span);
  }
  return crosses;
}

// The squared distance of a point to lane `lane` of a block in local memory.
DEVICE real distance2_to(const real* x, LOCAL const real* block, uint lane, const real* side) {
  real sum;
  SUM_SQUARES(sum, axis_distance(x[axis], block[axis * LANES + lane], side[axis]));
  return sum;
}

// The squared distance if no axis is periodic, or if none is crossed.
DEVICE real open_distance2_to(const real* x, LOCAL const real* block, uint lane) {
  real sum;
  SUM_SQUARES(sum, magnitude(minus(x[axis], block[axis * LANES + lane])));
  return sum;
}

// No point of box `lane` of a chunk in local memory is closer to x.
DEVICE real lower_distance2_to(const real* x, LOCAL const real* chunk, uint lane,
                               const real* side) {
  real sum;
  SUM_SQUARES(sum, axis_least(x[axis], x[axis], chunk[axis * LANES + lane],
                              chunk[(DIM + axis) * LANES + lane], side[axis]));
  return sum;
}

// No point of a box is closer to x, if no axis is crossed.
DEVICE real open_lower_distance2(const real* x, const real* lo, const real* hi) {
  real sum;
  SUM_SQUARES(sum, least(x[axis], x[axis], lo[axis], hi[axis]));
  return sum;
}

DEVICE uint lane_index(LOCAL const real* block, uint lane) {
  return ((LOCAL const uint*)(block + LANES * DIM))[lane];
}
