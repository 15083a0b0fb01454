// Neighbors within a radius, from interaction lists: counted, or filled in and sorted. One group of
// 64 work-items for a receiver of 64 queries, as in knn.cl.

// Calls FOUND for every neighbor (its_d2, its_index) of the work-item's query.
#define FOR_NEIGHBORS(FOUND)                                                              \
  ulong begin = list_first[GROUP()], end = begin + list_size[GROUP()];                    \
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
                         GLOBAL const uint* list_size, GLOBAL const uint* list,
                         GLOBAL const real* sides, real limit2,
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
                        GLOBAL const uint* list_size, GLOBAL const uint* list,
                         GLOBAL const real* sides, real limit2,
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

// Rows of up to this many neighbors are sorted by one group each.
#define GROUP_ROW 256u

// One group per row: by (d2, index), in place; longer rows stay as they are. The place of an entry is
// the number of those before it.
KERNEL void radius_sort(GLOBAL const ulong* offsets, GLOBAL real* all_d2, GLOBAL uint* all_index) {
  SHARED real d2[GROUP_ROW];
  SHARED uint index[GROUP_ROW];
  ulong first = offsets[GROUP()], size = offsets[GROUP() + 1] - first;
  if (size < 2 || size > GROUP_ROW) return;
  for (uint i = LANE(); i < size; i += GROUP_SIZE) {
    d2[i] = all_d2[first + i];
    index[i] = all_index[first + i];
  }
  BARRIER_FOR_ALL_MEMORY();  // the row is read before it is written
  for (uint i = LANE(); i < size; i += GROUP_SIZE) {
    uint rank = 0;
    for (uint n = 0; n < size; ++n) rank += comes_before(d2[n], index[n], d2[i], index[i]);
    all_d2[first + rank] = d2[i];
    all_index[first + rank] = index[i];
  }
}

// ---- longer rows, all of them at once, by the radix sort: no work-item works for long

// rows + 1 values, the last one 0; scanned, they are the places where the entries of a long row
// begin.
KERNEL void long_rows(GLOBAL const ulong* offsets, ulong rows, GLOBAL ulong* sizes) {
  ulong row = THREAD();
  if (row > rows) return;
  ulong size = row < rows ? offsets[row + 1] - offsets[row] : 0;
  sizes[row] = size > GROUP_ROW ? size : 0;
}

// The last row that begins at `entry` or before.
DEVICE ulong long_row_of(GLOBAL const ulong* begin, ulong rows, ulong entry) {
  ulong low = 0, high = rows;
  while (high - low > 1) {
    ulong middle = low + (high - low) / 2;
    if (begin[middle] <= entry)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Copies of all entries, and their first keys: (d2, index) of floats, the index of doubles.
KERNEL void long_entries(GLOBAL const ulong* begin, ulong rows, GLOBAL const ulong* offsets,
                         GLOBAL const real* d2, GLOBAL const uint* index, ulong n,
                         GLOBAL real* copied_d2, GLOBAL uint* copied_index, GLOBAL uint* row_of,
                         GLOBAL ulong* keys) {
  ulong entry = THREAD();
  if (entry >= n) return;
  ulong row = long_row_of(begin, rows, entry), from = offsets[row] + entry - begin[row];
  copied_d2[entry] = d2[from];
  copied_index[entry] = index[from];
  row_of[entry] = (uint)row;
#ifdef USE_DOUBLE
  keys[entry] = index[from];
#else
  keys[entry] = (ulong)BITS_OF(d2[from]) << 32 | index[from];
#endif
}

// Squared distances are not negative, so their bits are in their order.
KERNEL void long_keys(GLOBAL const real* d2, GLOBAL const uint* items, ulong n,
                      GLOBAL ulong* keys) {
  ulong i = THREAD();
  if (i < n) keys[i] = BITS_OF(d2[items[i]]);
}

KERNEL void long_places(GLOBAL const ulong* begin, ulong rows, GLOBAL const ulong* offsets,
                        GLOBAL const uint* items, GLOBAL const real* copied_d2,
                        GLOBAL const uint* copied_index, ulong n, GLOBAL real* d2,
                        GLOBAL uint* index) {
  ulong entry = THREAD();
  if (entry >= n) return;
  ulong row = long_row_of(begin, rows, entry), to = offsets[row] + entry - begin[row];
  d2[to] = copied_d2[items[entry]];
  index[to] = copied_index[items[entry]];
}

// The original indices of some positions.
KERNEL void query_indices(GLOBAL const real* blocks, ulong first, ulong n, GLOBAL uint* out) {
  ulong i = THREAD();
  if (i < n) out[i] = index_of(blocks, first + i);
}
