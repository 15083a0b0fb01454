// Nearest neighbors from interaction lists: one group of 64 work-items for a receiver of 64
// queries, one work-item per query. Sources come nearest first; the group stops at the first one
// that is farther than the k-th neighbor of every query so far.
//
// Work-items of a warp wait for each other, so they share as much work as possible:
// - For a few sources of 8 blocks each, the 64 work-items test all pairs of these blocks with the 8
//   blocks of queries. A work-item tests its query with those within reach of its 8 queries.
// - Queries have different numbers of blocks in reach. So these pairs of a query and a block are
//   tasks in a list, and each work-item takes the next one, whosever query it is.
// - Accepted neighbors of a query wait in local memory until some query has more than 8; then all
//   merge up to 8 of theirs into their lists. The bound lags behind, and the result is the same.
//
// A pass finds up to K neighbors of each query, in registers; for more, the next pass takes only
// neighbors whose key (d2, index) is greater than the last one's. So any k is exact.
#define TILE 128u
#define NODES (DIM <= 3 ? 4u : DIM <= 8 ? 2u : 1u)  // sources at once; their blocks fit a mask
#define HELD 16u   // accepted neighbors of a query that wait: a block of 8 fits after any 8
#define MERGED 8
#define TASKS 384u  // of a round; those that do not fit wait for the next one

// Where the sources of a receiver come from.
#define ALL_LISTED 0u
#define OWN_NODE 1u      // the receiver itself, a node of the same tree
#define OTHERS_LISTED 2u  // all others; the rows have the neighbors in the own node

// Sorts the first `count` (a power of two) entries by lower distance.
DEVICE void sort_tile(LOCAL real* lower, LOCAL uint* source, uint count) {
  for (uint size = 2; size <= count; size *= 2)
    for (uint step = size / 2; step > 0; step /= 2) {
      for (uint i = LANE(); i < count / 2; i += GROUP_SIZE) {
        COUNT(compare, i / GROUP_SIZE);
        uint a = 2 * i - (i & (step - 1)), b = a + step;
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

// (d2, index) of places a and b in order.
#define ORDER(d2, index, a, b)                                                        \
  {                                                                                   \
    int swaps = (d2[b] < d2[a]) | ((d2[b] == d2[a]) & (index[b] < index[a]));             \
    real low_d2 = swaps ? d2[b] : d2[a], high_d2 = swaps ? d2[a] : d2[b];             \
    uint low = swaps ? index[b] : index[a], high = swaps ? index[a] : index[b];       \
    d2[a] = low_d2;                                                                   \
    d2[b] = high_d2;                                                                  \
    index[a] = low;                                                                   \
    index[b] = high;                                                                  \
  }

// Sorts 8 keys by Batcher's network: 19 comparisons.
#define ORDER_TWO(d2, index, a, b, c, d) ORDER(d2, index, a, b) ORDER(d2, index, c, d)
#define SORT_MERGED(d2, index)                                                        \
  ORDER_TWO(d2, index, 0, 1, 2, 3) ORDER_TWO(d2, index, 4, 5, 6, 7)                   \
  ORDER_TWO(d2, index, 0, 2, 1, 3) ORDER_TWO(d2, index, 4, 6, 5, 7)                   \
  ORDER_TWO(d2, index, 1, 2, 5, 6)                                                    \
  ORDER_TWO(d2, index, 0, 4, 1, 5) ORDER_TWO(d2, index, 2, 6, 3, 7)                   \
  ORDER_TWO(d2, index, 2, 4, 3, 5)                                                    \
  ORDER(d2, index, 1, 2) ORDER_TWO(d2, index, 3, 4, 5, 6)

// Merges the last `taken` waiting neighbors of a query, up to 8, into its list. On a GPU by
// networks: the new ones sorted; the least of them and of the last 8; these falling, so that all of
// them rise and fall; and all sorted. CPUs insert one by one, which compiles in a tenth of the time.
// Only here is a query left out of its own list: until then it waits as a neighbor.
#ifdef FOR_GPU
#define MERGE_HELD()                                                                               \
  real new_d2[MERGED];                                                                             \
  uint new_index[MERGED];                                                                          \
  UNROLL                                                                                           \
  for (int i = 0; i < MERGED; ++i) {                                                               \
    uint at = (held - 1 - i) * GROUP_SIZE + lane;                                                  \
    int is_new = (uint)i < taken && held_index[at] != self;                                        \
    new_d2[i] = is_new ? held_d2[at] : REAL_INFINITY;                                              \
    new_index[i] = is_new ? held_index[at] : NO_INDEX;                                             \
  }                                                                                                \
  SORT_MERGED(new_d2, new_index)                                                                   \
  UNROLL                                                                                           \
  for (int i = 0; i < MERGED; ++i) {                                                               \
    int at = K - MERGED + i, from = MERGED - 1 - i;                                                \
    int before = (new_d2[from] < d2[at]) | ((new_d2[from] == d2[at]) & (new_index[from] < index[at]));\
    d2[at] = before ? new_d2[from] : d2[at];                                                       \
    index[at] = before ? new_index[from] : index[at];                                              \
  }                                                                                                \
  if (K > MERGED) {                                                                                \
    UNROLL                                                                                         \
    for (int step = MERGED / 2; step > 0; step /= 2) {                                             \
      UNROLL                                                                                       \
      for (int i = 0; i < MERGED; ++i)                                                             \
        if ((i & step) == 0) ORDER(d2, index, K - MERGED + i + step, K - MERGED + i)               \
    }                                                                                              \
  }                                                                                                \
  UNROLL                                                                                           \
  for (int step = K / 2; step > 0; step /= 2) {                                                    \
    UNROLL                                                                                         \
    for (int i = 0; i < K; ++i)                                                                    \
      if ((i & step) == 0) ORDER(d2, index, i, i + step)                                           \
  }
#else
#define MERGE_HELD()                                                                      \
  for (uint i = 0; i < taken; ++i) {                                                      \
    uint at = (held - 1 - i) * GROUP_SIZE + lane;                                         \
    real its_d2 = held_d2[at];                                                            \
    uint its_index = held_index[at];                                                      \
    int to = its_index == self ? 0 : K;                                                   \
    while (to > 0 && (its_d2 < d2[to - 1] || (its_d2 == d2[to - 1] && its_index < index[to - 1]))) { \
      if (to < K) {                                                                       \
        d2[to] = d2[to - 1];                                                              \
        index[to] = index[to - 1];                                                        \
      }                                                                                   \
      --to;                                                                               \
    }                                                                                     \
    if (to < K && its_index != self) {                                                    \
      d2[to] = its_d2;                                                                    \
      index[to] = its_index;                                                              \
    }                                                                                     \
  }
#endif

// The pairs of a query with the points of a block. Neighbors wait in places that are claimed by
// adding to a count: once a block does not fit, no later one does, so those that fitted fill the
// places before the least count that was too much. The block of the others stays pending.
#define DO_TASKS(DISTANCE)                                                                \
  for (uint task = lane; task < tasks; task += GROUP_SIZE) {                              \
    COUNT(entry, task / GROUP_SIZE);                                                      \
    uint query = task_list[task] / 32, bit = task_list[task] % 32, near = 0;              \
    LOCAL const real* block = blocks + bit * APART;                                       \
    real q[DIM], its_d2[LANES], most2 = bounds2[query];                                   \
    uint most_index = bound_indices[query];                                               \
    load_point(q_blocks, (ulong)own * GROUP_SIZE + query, q);                             \
    UNROLL                                                                                \
    for (uint i = 0; i < LANES; ++i) {                                                    \
      COUNT(pair, task / GROUP_SIZE * LANES + i);                                         \
      its_d2[i] = DISTANCE;                                                               \
      int is_near = (its_d2[i] < most2) |                                                 \
                    ((its_d2[i] == most2) & (lane_index(block, i) < most_index));         \
      near |= (uint)is_near << i;                                                         \
    }                                                                                     \
    if (done > 0) {                                                                       \
      ulong last = ((ulong)GROUP() * GROUP_SIZE + query) * k + done - 1;                  \
      UNROLL                                                                              \
      for (uint i = 0; i < LANES; ++i)                                                    \
        if (its_d2[i] < out_d2[last] ||                                                   \
            (its_d2[i] == out_d2[last] && lane_index(block, i) <= out_index[last]))       \
          near &= ~(1u << i);                                                             \
    }                                                                                     \
    if (near == 0) continue;                                                              \
    uint at = ATOMIC_ADD(claimed + query, POPCOUNT(near));                                \
    if (at + POPCOUNT(near) > HELD) {                                                     \
      ATOMIC_MIN(too_much + query, at);                                                   \
      ATOMIC_OR(pending + query, 1u << (bit ^ query / LANES));                                           \
      continue;                                                                           \
    }                                                                                     \
    UNROLL                                                                                \
    for (uint i = 0; i < LANES; ++i) {                                                    \
      if ((near >> i & 1) == 0) continue;                                                 \
      COUNT(accept, task / GROUP_SIZE * LANES + i);                                       \
      held_d2[at * GROUP_SIZE + query] = its_d2[i];                                       \
      held_index[at * GROUP_SIZE + query] = lane_index(block, i);                         \
      ++at;                                                                               \
    }                                                                                     \
  }

// list_first: that of the first receiver of this launch. Rows of k; `done` neighbors are there. Where
// fewer than K are wanted, the `spare` first places hold a key that comes before all neighbors.
// q_boxes: the blocks of the queries. reach: of receivers, the distance of the farthest neighbor in
// their own node (OWN_NODE).
KERNEL void knn(GLOBAL const real* q_blocks, GLOBAL const real* q_boxes, uint q_first,
                ulong q_points, GLOBAL const real* s_blocks, GLOBAL const real* s_boxes,
                uint s_block_count, uint sources, GLOBAL const ulong* list_first,
                GLOBAL const uint* list_size, GLOBAL const uint* list, GLOBAL const real* lower,
                GLOBAL const real* sides, real limit2, uint exclude_self, uint k, uint done, uint spare, GLOBAL real* out_d2,
                GLOBAL uint* out_index, GLOBAL real* reach) {
  SHARED real tile_lower[TILE];
  SHARED uint tile_source[TILE];
  SHARED real blocks[NODES * LANES * APART];
  SHARED real held_d2[(GROUP_SIZE + 1) * HELD];
  SHARED uint held_index[(GROUP_SIZE + 1) * HELD];
  SHARED real bounds2[GROUP_SIZE];
  SHARED uint bound_indices[GROUP_SIZE], claimed[GROUP_SIZE], too_much[GROUP_SIZE];
  SHARED uint pending[GROUP_SIZE];  // blocks of each query that wait
  SHARED ushort task_list[TASKS];
  SHARED uint task_count[2], in_reach[2 * LANES];
  SHARED flag_uint wants[2], is_busy[2], is_full[4], crosses[2];
  uint lane = LANE(), own = q_first + GROUP();
  ulong position = (ulong)own * GROUP_SIZE + lane;
  int is_query = position < q_points;
  real x[DIM], side[DIM], lo[DIM], hi[DIM], r_lo[DIM], r_hi[DIM], d2[K];
  uint index[K];
  load_sides(sides, side);
  load_point(q_blocks, is_query ? position : 0, x);
  load_box(q_boxes, own * LANES + lane / LANES, r_lo, r_hi);
  uint self = exclude_self ? index_of(q_blocks, is_query ? position : 0) : NO_INDEX;
  ulong row = ((ulong)GROUP() * GROUP_SIZE + lane) * k;
  UNROLL
  for (int i = 0; i < K; ++i) {
    int is_known = sources == OTHERS_LISTED && is_query && (uint)i >= spare;
    index[i] = is_known ? out_index[row + i - spare] : NO_INDEX;
    d2[i] = index[i] != NO_INDEX ? out_d2[row + i - spare] : limit2;
    if ((uint)i < spare) d2[i] = -1;
  }
  // Work-items without a query visit no blocks.
  int looks = is_query;
  if (done > 0 && is_query)
    looks = out_index[row + done - 1] != NO_INDEX;  // else there are no more
  real bound2 = looks ? d2[K - 1] : (real)-1;
  uint warp = lane / 32, turns = 0, is_across = 0, first_entry = 0;
  bounds2[lane] = bound2;
  claimed[lane] = pending[lane] = 0;
  too_much[lane] = NO_INDEX;

  ulong begin = sources == OWN_NODE ? 0 : list_first[GROUP()];
  ulong end = sources == OWN_NODE ? 1 : begin + list_size[GROUP()];
  for (ulong tile = begin; tile < end; tile += TILE) {
    uint count = (uint)(end - tile < TILE ? end - tile : TILE);
    uint room = 1;
    while (room < count) room *= 2;
    BARRIER();
    for (uint i = lane; i < room; i += GROUP_SIZE) {
      uint source = i >= count ? NO_INDEX : sources == OWN_NODE ? own : list[tile + i];
      int is_left_out = source == NO_INDEX || (sources == OTHERS_LISTED && source == own);
      tile_source[i] = is_left_out ? NO_INDEX : source;
      tile_lower[i] = is_left_out ? REAL_INFINITY : sources == OWN_NODE ? 0 : lower[tile + i];
    }
    if (lane < 2) wants[lane] = is_busy[lane] = is_full[lane] = is_full[2 + lane] = crosses[lane] = task_count[lane] = 0;
    if (lane < 2 * LANES) in_reach[lane] = 0;
    BARRIER();
    sort_tile(tile_lower, tile_source, room);

    // Two sets of flags take turns: while one is read, the other is cleared.
    uint entry = 0;
    int is_over = 0, is_done = 0;
    for (; !is_done; ++turns) {
      uint now = turns & 1, next = now ^ 1;
      real least = entry < room ? tile_lower[entry] : REAL_INFINITY;
      uint source = entry < room ? tile_source[entry] : NO_INDEX;
      if (source != NO_INDEX && least <= bound2) wants[now] = 1;
      uint held = claimed[lane] < too_much[lane] ? claimed[lane] : too_much[lane];
      if (pending[lane] != 0) is_busy[now] = 1;
      int is_whole = index[K - 1] != NO_INDEX;
      if (held > HELD - LANES || ((is_over || !is_whole) && held > 0)) is_full[2 * now + warp] = 1;
      if (lane == 0) wants[next] = is_busy[next] = is_full[2 * next] = is_full[2 * next + 1] = 0;
      BARRIER();
      // Cleared between two barriers: read before the first, or written after the second.
      if (lane == 0) crosses[next] = task_count[next] = 0;
      if (lane < LANES) in_reach[next * LANES + lane] = 0;
      int was_busy = is_busy[now], was_full = is_full[2 * now + warp], any_full = is_full[2 * now] | is_full[2 * now + 1];
      if (was_full) {
        uint taken = held < MERGED ? held : MERGED;
        if (taken > 0) {
          COUNT(insert, 0);
        }
        MERGE_HELD()
        held -= taken;
        bound2 = looks ? d2[K - 1] : (real)-1;
      }
      if (!was_busy) {
        if (is_over) {
          is_done = !any_full;
        } else if (!wants[now]) {
          is_over = 1;
        } else {
          real most = bounds2[lane / LANES * LANES];
          for (uint i = 1; i < LANES; ++i) most = larger(most, bounds2[lane / LANES * LANES + i]);
          // Where nothing is known yet, the first source alone makes a bound.
          uint taken = sources == ALL_LISTED && tile == begin && entry == 0 ? 1 : NODES;
          first_entry = entry;
          for (uint n = 0; n < taken && entry < room; ++n, ++entry) {
            source = tile_source[entry];
            if (source == NO_INDEX) continue;
            COUNT(node, n);
            load_apart(s_blocks, source, s_block_count, blocks + n * LANES * APART);
            uint block = source * LANES + lane % LANES;
            if (block >= s_block_count) continue;
            load_box(s_boxes, block, lo, hi);
            if (!(lower_distance2(r_lo, r_hi, lo, hi, side) <= most)) continue;
            ATOMIC_OR(in_reach + now * LANES + lane / LANES, 1u << (n * LANES + lane % LANES));
            if (may_cross(r_lo, r_hi, lo, hi, side)) crosses[now] = 1;
          }
        }
      }
      int is_new = !was_busy && !is_over;
      BARRIER();
      bounds2[lane] = bound2;
      bound_indices[lane] = index[K - 1];
      claimed[lane] = held;
      too_much[lane] = NO_INDEX;
      uint mask = pending[lane];
      if (is_new) {
        is_across = crosses[now];
        uint rest = in_reach[now * LANES + lane / LANES];
        for (uint turn = 0; rest != 0; ++turn, rest &= rest - 1) {
          COUNT(box, turn);
          uint bit = 31 - LEADING_ZEROS(rest & (0u - rest));
          load_box(s_boxes, tile_source[first_entry + bit / LANES] * LANES + bit % LANES, lo, hi);
          real least2 = is_across ? lower_distance2(x, x, lo, hi, side)
                                  : open_lower_distance2(x, lo, hi);
          if (least2 <= bound2) mask |= 1u << (bit ^ lane / LANES);
        }
      }
      if (!is_new && !was_busy) continue;
      if (mask != 0) {
        uint most = is_whole ? NODES * LANES : HELD / LANES;
        uint wanted = POPCOUNT(mask) < most ? POPCOUNT(mask) : most;
        uint to = ATOMIC_ADD(task_count + now, wanted), end = to + wanted < TASKS ? to + wanted : TASKS;
        for (; to < end; mask &= mask - 1, ++to)
          task_list[to] = (ushort)(lane * 32 + ((31 - LEADING_ZEROS(mask & (0u - mask))) ^ lane / LANES));
      }
      pending[lane] = mask;
      BARRIER();
      uint tasks = task_count[now] < TASKS ? task_count[now] : TASKS;
#ifdef FOR_GPU  // a second loop without the arithmetic of periodic axes
      if (!is_across) {
        DO_TASKS(open_distance2_to(q, block, i))
      } else
#endif
      {
        DO_TASKS(distance2_to(q, block, i, side))
      }
      BARRIER();
    }
  }

  // Rows are written by all work-items together, 16 columns at a time: neighbors in memory.
  UNROLL
  for (int base = 0; base < K; base += (int)HELD) {
    BARRIER();
    UNROLL
    for (int i = 0; i < (int)HELD; ++i)
      if (base + i < K) {
        int is_found = looks && index[base + i] != NO_INDEX;
        held_d2[i * (GROUP_SIZE + 1) + lane] = is_found ? d2[base + i] : REAL_INFINITY;
        held_index[i * (GROUP_SIZE + 1) + lane] = is_found ? index[base + i] : NO_INDEX;
      }
    BARRIER_FOR_ALL_MEMORY();  // each work-item read its own row at the beginning
    uint columns = K - base < (int)HELD ? K - base : HELD;
    for (uint i = lane; i < GROUP_SIZE * columns; i += GROUP_SIZE) {
      uint query = i / columns, column = i % columns;
      if ((ulong)own * GROUP_SIZE + query >= q_points) break;
      if (base + column < spare) continue;
      ulong to = ((ulong)GROUP() * GROUP_SIZE + query) * k + done + base + column - spare;
      out_d2[to] = held_d2[column * (GROUP_SIZE + 1) + query];
      out_index[to] = held_index[column * (GROUP_SIZE + 1) + query];
    }
  }
  if (sources != OWN_NODE) return;
  bounds2[lane] = bound2;
  BARRIER();
  if (lane > 0) return;
  for (uint i = 1; i < GROUP_SIZE; ++i) bound2 = larger(bound2, bounds2[i]);
  reach[own] = bound2;
}

// The original indices of some positions.
KERNEL void query_indices(GLOBAL const real* blocks, ulong first, ulong n, GLOBAL uint* out) {
  ulong i = THREAD();
  if (i < n) out[i] = index_of(blocks, first + i);
}
