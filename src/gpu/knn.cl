// Nearest neighbors from interaction lists: one group of 64 work-items for a receiver of 64
// queries, one work-item per query. Sources come nearest first; the group stops at the first one that
// is farther than what every query already has.
//
// A pass finds up to K neighbors of each query, in registers; for more, the next pass takes only
// neighbors whose key (d2, index) is greater than the last one's. So any k is exact.
#define TILE 128u

// Sorts the first `count` (a power of two) entries by lower distance.
DEVICE void sort_tile(LOCAL real* lower, LOCAL uint* source, uint count) {
  for (uint size = 2; size <= count; size *= 2)
    for (uint step = size / 2; step > 0; step /= 2) {
      for (uint i = LANE(); i < count / 2; i += GROUP_SIZE) {
        uint a = i / step * 2 * step + i % step, b = a + step;
        int ascends = (a & size) == 0;
        if ((lower[b] < lower[a]) == ascends && lower[a] != lower[b]) {
          real l = lower[a];
          uint s = source[a];
          lower[a] = lower[b];
          source[a] = source[b];
          lower[b] = l;
          source[b] = s;
        }
      }
      BARRIER();
    }
}

// list_first: that of the first receiver of this launch. Rows of k; `done` neighbors are there.
KERNEL void knn(GLOBAL const real* q_blocks, uint q_first, ulong q_points,
                GLOBAL const real* s_blocks, GLOBAL const real* s_boxes, uint s_block_count,
                GLOBAL const ulong* list_first, GLOBAL const uint* list, GLOBAL const real* lower,
                GLOBAL const real* sides, real limit2, uint exclude_self, uint k, uint done,
                GLOBAL real* out_d2, GLOBAL uint* out_index) {
  SHARED real tile_lower[TILE];
  SHARED uint tile_source[TILE];
  SHARED real blocks[NODE_BLOCKS];
  SHARED real boxes[CHUNK_STRIDE];
  SHARED uint wanted[2];
  uint lane = LANE();
  ulong position = (ulong)(q_first + GROUP()) * GROUP_SIZE + lane;
  int is_query = position < q_points;
  real x[DIM], side[DIM], d2[K];
  uint index[K];
  load_sides(sides, side);
  load_point(q_blocks, is_query ? position : 0, x);
  uint self = exclude_self ? index_of(q_blocks, is_query ? position : 0) : NO_INDEX;
  UNROLL
  for (int i = 0; i < K; ++i) {
    d2[i] = limit2;
    index[i] = NO_INDEX;
  }
  // Work-items without a query look at nothing.
  if (!is_query) d2[K - 1] = -1;
  ulong row = ((ulong)GROUP() * GROUP_SIZE + lane) * k;
  real floor2 = -1;
  uint floor_index = 0;
  if (done > 0 && is_query) {
    floor2 = out_d2[row + done - 1];
    floor_index = out_index[row + done - 1];
    if (floor_index == NO_INDEX) d2[K - 1] = -1;  // there are no more
  }

  ulong begin = list_first[GROUP()], end = list_first[GROUP() + 1];
  for (ulong tile = begin; tile < end; tile += TILE) {
    uint count = (uint)(end - tile < TILE ? end - tile : TILE);
    uint room = 1;
    while (room < count) room *= 2;
    BARRIER();
    for (uint i = lane; i < room; i += GROUP_SIZE) {
      tile_lower[i] = i < count ? lower[tile + i] : REAL_INFINITY;
      tile_source[i] = i < count ? list[tile + i] : NO_INDEX;
    }
    if (lane < 2) wanted[lane] = 0;
    BARRIER();
    sort_tile(tile_lower, tile_source, room);
    for (uint entry = 0; entry < room; ++entry) {
      // Two flags take turns: while one is read, the other is cleared.
      real least = tile_lower[entry];
      if (least <= d2[K - 1]) wanted[entry & 1] = 1;
      if (lane == 0) wanted[(entry + 1) & 1] = 0;
      BARRIER();
      if (!wanted[entry & 1]) break;
      uint source = tile_source[entry];
      if (source != NO_INDEX)
        load_node(s_blocks, s_boxes, source, s_block_count, blocks, boxes);
      BARRIER();
      if (source == NO_INDEX || !(least <= d2[K - 1])) continue;
      uint count_blocks = s_block_count - source * LANES;
      count_blocks = count_blocks < LANES ? count_blocks : LANES;
      for (uint b = 0; b < count_blocks; ++b) {
        if (!(lower_distance2_to(x, boxes, b, side) <= d2[K - 1])) continue;
        LOCAL const real* block = blocks + b * BLOCK_STRIDE;
        for (uint i = 0; i < LANES; ++i) {
          real its_d2 = distance2_to(x, block, i, side);
          uint its_index = lane_index(block, i);
          int is_near = its_d2 < d2[K - 1] || (its_d2 == d2[K - 1] && its_index < index[K - 1]);
          int is_new = its_d2 > floor2 || (its_d2 == floor2 && its_index > floor_index);
          if (!is_near || !is_new || its_index == self) continue;
          UNROLL
          for (int n = 0; n < K; ++n) {
            int before = its_d2 < d2[n] || (its_d2 == d2[n] && its_index < index[n]);
            real old_d2 = d2[n];
            uint old_index = index[n];
            d2[n] = before ? its_d2 : old_d2;
            index[n] = before ? its_index : old_index;
            its_d2 = before ? old_d2 : its_d2;
            its_index = before ? old_index : its_index;
          }
        }
      }
    }
  }
  if (!is_query) return;
  UNROLL
  for (int i = 0; i < K; ++i)
    if (done + i < k) {
      int is_found = index[i] != NO_INDEX && d2[K - 1] >= 0;
      out_d2[row + done + i] = is_found ? d2[i] : REAL_INFINITY;
      out_index[row + done + i] = is_found ? index[i] : NO_INDEX;
    }
}

// The original indices of some positions.
KERNEL void query_indices(GLOBAL const real* blocks, ulong first, ulong n, GLOBAL uint* out) {
  ulong i = THREAD();
  if (i < n) out[i] = index_of(blocks, first + i);
}
