// Neighbors within a radius, from interaction lists: counted, or filled in and sorted. One group of
// 64 work-items for a receiver of 64 queries, as in knn.cl.

// Calls FOUND for every neighbor (its_d2, its_index) of the work-item's query.
#define FOR_NEIGHBORS(FOUND)                                                              \
  ulong begin = list_first[GROUP()], end = list_first[GROUP() + 1];                       \
  for (ulong entry = begin; entry < end; ++entry) {                                       \
    uint source = list[entry];                                                            \
    BARRIER();                                                                            \
    load_node(s_blocks, s_boxes, source, s_block_count, blocks, boxes);                   \
    BARRIER();                                                                            \
    uint count_blocks = s_block_count - source * LANES;                                   \
    count_blocks = count_blocks < LANES ? count_blocks : LANES;                           \
    for (uint b = 0; b < count_blocks; ++b) {                                             \
      if (!(lower_distance2_to(x, boxes, b, side) <= limit)) continue;                    \
      LOCAL const real* block = blocks + b * BLOCK_STRIDE;                                \
      for (uint i = 0; i < LANES; ++i) {                                                  \
        real its_d2 = distance2_to(x, block, i, side);                                    \
        uint its_index = lane_index(block, i);                                            \
        if (its_d2 <= limit && its_index != self && its_index != NO_INDEX) {              \
          FOUND                                                                           \
        }                                                                                 \
      }                                                                                   \
    }                                                                                     \
  }

#define QUERY_OF_WORK_ITEM()                                                              \
  uint lane = LANE();                                                                     \
  ulong position = (ulong)(q_first + GROUP()) * GROUP_SIZE + lane;                        \
  int is_query = position < q_points;                                                     \
  real x[DIM], side[DIM];                                                                 \
  load_sides(sides, side);                                                                \
  load_point(q_blocks, is_query ? position : 0, x);                                       \
  uint own_index = index_of(q_blocks, is_query ? position : 0);                           \
  uint self = exclude_self ? own_index : NO_INDEX;                                        \
  real limit = is_query ? (has_limits ? limits2[own_index] : limit2) : (real)-1;

KERNEL void radius_count(GLOBAL const real* q_blocks, uint q_first, ulong q_points,
                         GLOBAL const real* s_blocks, GLOBAL const real* s_boxes,
                         uint s_block_count, GLOBAL const ulong* list_first,
                         GLOBAL const uint* list, GLOBAL const real* sides, real limit2,
                         GLOBAL const real* limits2, uint has_limits, uint exclude_self,
                         GLOBAL ulong* counts) {
  SHARED real blocks[NODE_BLOCKS];
  SHARED real boxes[CHUNK_STRIDE];
  QUERY_OF_WORK_ITEM()
  ulong found = 0;
  FOR_NEIGHBORS(++found;)
  counts[(ulong)GROUP() * GROUP_SIZE + lane] = found;
}

// offsets: the scanned counts.
KERNEL void radius_fill(GLOBAL const real* q_blocks, uint q_first, ulong q_points,
                        GLOBAL const real* s_blocks, GLOBAL const real* s_boxes,
                        uint s_block_count, GLOBAL const ulong* list_first,
                        GLOBAL const uint* list, GLOBAL const real* sides, real limit2,
                        GLOBAL const real* limits2, uint has_limits, uint exclude_self,
                        GLOBAL const ulong* offsets, GLOBAL real* out_d2, GLOBAL uint* out_index) {
  SHARED real blocks[NODE_BLOCKS];
  SHARED real boxes[CHUNK_STRIDE];
  QUERY_OF_WORK_ITEM()
  ulong to = offsets[(ulong)GROUP() * GROUP_SIZE + lane];
  FOR_NEIGHBORS(out_d2[to] = its_d2; out_index[to] = its_index; ++to;)
}

DEVICE int comes_before(real a, uint a_index, real b, uint b_index) {
  return a < b || (a == b && a_index < b_index);
}

// Lets the entry at `at` sink in a heap of `count` whose greatest entry is the first.
DEVICE void sink(GLOBAL real* d2, GLOBAL uint* index, ulong at, ulong count) {
  real value = d2[at];
  uint of = index[at];
  for (ulong child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && comes_before(d2[child], index[child], d2[child + 1], index[child + 1]))
      ++child;
    if (!comes_before(value, of, d2[child], index[child])) break;
    d2[at] = d2[child];
    index[at] = index[child];
    at = child;
  }
  d2[at] = value;
  index[at] = of;
}

// One work-item per row: by (d2, index), in place.
KERNEL void radius_sort(GLOBAL const ulong* offsets, ulong rows, GLOBAL real* all_d2,
                        GLOBAL uint* all_index) {
  ulong row = THREAD();
  if (row >= rows) return;
  GLOBAL real* d2 = all_d2 + offsets[row];
  GLOBAL uint* index = all_index + offsets[row];
  ulong count = offsets[row + 1] - offsets[row];
  for (ulong at = count / 2; at > 0; --at) sink(d2, index, at - 1, count);
  for (ulong last = count; last > 1; --last) {
    real value = d2[0];
    uint of = index[0];
    d2[0] = d2[last - 1];
    index[0] = index[last - 1];
    d2[last - 1] = value;
    index[last - 1] = of;
    sink(d2, index, 0, last - 1);
  }
}

// The original indices of some positions.
KERNEL void query_indices(GLOBAL const real* blocks, ulong first, ulong n, GLOBAL uint* out) {
  ulong i = THREAD();
  if (i < n) out[i] = index_of(blocks, first + i);
}
