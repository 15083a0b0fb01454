// The paper's walk, plane by plane: each receiving node has a list of source nodes that it still
// has to visit; one group of work-items makes the list of one receiver from its parent's. Each list
// has room for all candidates, so that each of them is visited once and no sizes are guessed:
// list r has size[r] entries from first[r] on.
//
// The search radius of a receiver: `bound2`, and among sources at exactly that distance
// `bound_index`. For the k nearest it follows from sources that certainly hold k points: the
// greatest (upper distance, largest index) of `wanted` full nodes is no less than the key of the
// k-th neighbor. A source whose least key (lower distance, smallest index) is greater is dropped.
// This keeps lists short where thousands of points are equal.

DEVICE int is_less(real a, uint a_index, uint a_node, real b, uint b_index, uint b_node) {
  if (a != b) return a < b;
  if (a_index != b_index) return a_index < b_index;
  return a_node < b_node;
}

// Candidate i of a list whose nodes have 1 << shift children each.
DEVICE uint source_at(GLOBAL const uint* list, ulong i, uint shift) {
  return (list[i >> shift] << shift) + ((uint)i & ((1u << shift) - 1));
}

// How many candidates the receivers from r_first on have, and 0 at the end. The parent of receiver r is
// r / r_fan, whose list has number r / r_fan - r_parent; sources of that list have 1 << s_shift children
// each.
KERNEL void walk_room(uint r_first, uint r_fan, uint r_parent, uint s_shift, ulong receivers,
                      GLOBAL const uint* size, GLOBAL ulong* room) {
  ulong i = THREAD();
  if (i > receivers) return;
  room[i] = i < receivers ? (ulong)size[(r_first + (uint)i) / r_fan - r_parent] << s_shift : 0;
}

// One group per receiver: its bound, and the list of the sources within it, in any order. new_first:
// the scanned rooms.
KERNEL void walk_step(GLOBAL const real* r_boxes, ulong r_at, uint r_first, uint r_fan,
                      uint r_parent, GLOBAL const real* s_boxes, ulong s_at, uint s_nodes,
                      uint s_shift, GLOBAL const uint* s_ranges, ulong s_range_at,
                      GLOBAL const ulong* first, GLOBAL const uint* size, GLOBAL const uint* list,
                      GLOBAL const real* parent_bound2, GLOBAL const uint* parent_bound_index,
                      uint wanted, uint full_nodes, GLOBAL const real* reach, ulong reach_at,
                      uint has_reach, GLOBAL const real* sides, GLOBAL real* bound2,
                      GLOBAL uint* bound_index, GLOBAL const ulong* new_first,
                      GLOBAL uint* new_size, GLOBAL uint* new_list, GLOBAL real* new_lower) {
  SHARED real best_upper[GROUP_SIZE];
  SHARED uint best_largest[GROUP_SIZE];
  SHARED uint best_node[GROUP_SIZE];
  SHARED uint next;
  uint lane = LANE();
  uint receiver = r_first + GROUP();
  uint parent = receiver / r_fan - r_parent;
  ulong begin = first[parent], candidates = (ulong)size[parent] << s_shift;
  ulong room = (s_nodes + LANES - 1) / LANES * LANES;
  real side[DIM], r_lo[DIM], r_hi[DIM], lo[DIM], hi[DIM];
  load_sides(sides, side);
  load_box(r_boxes + r_at, receiver, r_lo, r_hi);
  real bound = parent_bound2[parent];
  uint most = parent_bound_index[parent];
  if (has_reach && reach[reach_at + receiver] < bound) {
    bound = reach[reach_at + receiver];
    most = NO_INDEX;
    // Known neighbors give a better bound than boxes; only equal points need an index.
    if (bound > 0) wanted = 0;
  }

  // The least (upper, largest) key of all, then the next one, until `wanted` nodes are found.
  real last_upper = -1;
  uint last_largest = 0, last_node = 0;
  for (uint turn = 0; turn < wanted; ++turn) {
    real upper = REAL_INFINITY;
    uint largest = NO_INDEX, node = NO_INDEX;
    for (ulong i = lane; i < candidates; i += GROUP_SIZE) {
      uint source = source_at(list + begin, i, s_shift);
      COUNT(candidate, i / GROUP_SIZE);
      if (source >= full_nodes) continue;
      load_box(s_boxes + s_at, source, lo, hi);
      real its_upper = upper_distance2(r_lo, r_hi, lo, hi, side);
      uint its_largest = s_ranges[s_range_at + room + source];
      if (is_less(its_upper, its_largest, source, upper, largest, node) &&
          is_less(last_upper, last_largest, last_node, its_upper, its_largest, source)) {
        upper = its_upper;
        largest = its_largest;
        node = source;
      }
    }
    best_upper[lane] = upper;
    best_largest[lane] = largest;
    best_node[lane] = node;
    BARRIER();
    for (uint step = GROUP_SIZE / 2; step > 0; step /= 2) {
      if (lane < step &&
          is_less(best_upper[lane + step], best_largest[lane + step], best_node[lane + step],
                  best_upper[lane], best_largest[lane], best_node[lane])) {
        best_upper[lane] = best_upper[lane + step];
        best_largest[lane] = best_largest[lane + step];
        best_node[lane] = best_node[lane + step];
      }
      BARRIER();
    }
    last_upper = best_upper[0];
    last_largest = best_largest[0];
    last_node = best_node[0];
    BARRIER();
  }
  if (wanted > 0 && last_node != NO_INDEX &&
      (last_upper < bound || (last_upper == bound && last_largest < most))) {
    bound = last_upper;
    most = last_largest;
  }

  if (lane == 0) next = 0;
  BARRIER();
  ulong to = new_first[GROUP()];
  for (ulong i = lane; i < candidates; i += GROUP_SIZE) {
    uint source = source_at(list + begin, i, s_shift);
    COUNT(entry, i / GROUP_SIZE);
    if (source >= s_nodes) continue;
    load_box(s_boxes + s_at, source, lo, hi);
    real lower = lower_distance2(r_lo, r_hi, lo, hi, side);
    if (lower < bound || (lower == bound && s_ranges[s_range_at + source] <= most)) {
      ulong at = to + ATOMIC_ADD(&next, 1u);
      new_list[at] = source;
      new_lower[at] = lower;
    }
  }
  BARRIER();
  if (lane == 0) {
    new_size[GROUP()] = next;
    bound2[GROUP()] = bound;
    bound_index[GROUP()] = most;
  }
}

// The largest search radius of the queries of a receiver of 64 queries, and of the nodes above.
KERNEL void reach_of_groups(GLOBAL const real* blocks, GLOBAL const real* limits2, ulong n,
                            uint nodes, GLOBAL real* reach) {
  ulong node = THREAD();
  if (node >= nodes) return;
  real most = -1;
  for (ulong i = node * 64; i < (node + 1) * 64 && i < n; ++i) {
    real limit = limits2[index_of(blocks, i)];
    most = limit > most ? limit : most;
  }
  reach[node] = most;
}

KERNEL void fill_reach(GLOBAL real* reach, real value, ulong n) {
  ulong i = THREAD();
  if (i < n) reach[i] = value;
}

KERNEL void reach_of_nodes(GLOBAL real* reach, ulong child_at, uint children, ulong at, uint first,
                           uint nodes) {
  ulong node = first + THREAD();
  if (node >= nodes) return;
  real most = -1;
  for (ulong i = node * LANES; i < (node + 1) * LANES && i < children; ++i)
    most = reach[child_at + i] > most ? reach[child_at + i] : most;
  reach[at + node] = most;
}
