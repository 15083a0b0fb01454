// Friends of friends: the tree joined with itself, plane by plane, and a union-find by compare and
// swap over the positions of the points.
//
// A node is one unit if its diagonal is within the linking length: all its points are linked from
// the start. Two units whose upper distance is within it are linked as a whole; a pair of nodes is
// never dropped as linked unless both are units, so no link is lost. Units of one set are dropped.
//
// Races (racing_uint: volatile): the text and the argument are those of parallel/union_find.hpp.
// parent[i] is i or a lower position in the same set, always. A reader may see an old value: it is an
// ancestor all the same, and costs a step or a test, never a link.

DEVICE uint load_parent(GLOBAL racing_uint* parent, uint i) { return parent[i]; }
DEVICE void store_parent(GLOBAL racing_uint* parent, uint i, uint up) { parent[i] = up; }
DEVICE int attach_root(GLOBAL racing_uint* parent, uint root, uint below) {
  return ATOMIC_CAS(parent + root, root, below) == root;
}
#define KITH_SETS DEVICE
#define Parents GLOBAL racing_uint*
#define Index uint
#include "parallel/sets-inl.h"
#undef Parents
#undef Index

// unit[range_at + node]: is the node of a plane one unit?
KERNEL void fof_units(GLOBAL const real* boxes, ulong box_at, uint nodes, ulong unit_at,
                      real reach2, GLOBAL uint* unit) {
  ulong node = THREAD();
  if (node >= nodes) return;
  real lo[DIM], hi[DIM];
  load_box(boxes + box_at, (uint)node, lo, hi);
  unit[unit_at + node] = box_diagonal2(lo, hi, DIM) <= reach2;
}

// Each point to the first point of the largest unit around it. unit_at: one value per plane.
KERNEL void fof_start(GLOBAL const uint* unit, GLOBAL const ulong* unit_at, uint planes, ulong n,
                      GLOBAL uint* parent) {
  ulong i = THREAD();
  if (i >= n) return;
  uint start = (uint)i;
  for (uint p = 0; p < planes; ++p) {
    uint shift = 3 * (p + 1);
    if (!unit[unit_at[p] + (i >> shift)]) break;
    start = (uint)(i >> shift << shift);
  }
  parent[i] = start;
}

// Must the receiver visit the source, a node of the same plane that does not come before it?
DEVICE int keeps_pair(GLOBAL const real* boxes, GLOBAL const uint* unit, uint receiver, uint source,
                      uint shift, const real* r_lo, const real* r_hi, real reach2,
                      const real* side, GLOBAL racing_uint* parent) {
  int are_units = unit[receiver] && unit[source];
  if (receiver == source) return !are_units;
  real lo[DIM], hi[DIM];
  load_box(boxes, source, lo, hi);
  if (!(lower_distance2(r_lo, r_hi, lo, hi, side) <= reach2)) return 0;
  if (!are_units) return 1;
  uint a = receiver << shift, b = source << shift;
  if (find_root(parent, a) == find_root(parent, b)) return 0;
  if (!(upper_distance2(r_lo, r_hi, lo, hi, side) <= reach2)) return 1;
  unite(parent, a, b);
  return 0;
}

// How many candidates the receivers from r_first on have, and 0 at the end.
KERNEL void fof_room(uint r_first, uint r_parent, ulong receivers, GLOBAL const uint* size,
                     GLOBAL ulong* room) {
  ulong i = THREAD();
  if (i > receivers) return;
  room[i] = i < receivers ? (ulong)size[(r_first + (uint)i) / LANES - r_parent] * LANES : 0;
}

// Lists of the nodes of a plane from those of the plane above; one group per receiver. Each list has
// room for all candidates, as in walk.cl, so that each pair is visited, and linked, once.
KERNEL void fof_step(GLOBAL const real* boxes, ulong box_at, GLOBAL const uint* unit, ulong unit_at,
                     uint nodes, uint shift, uint r_first, uint r_parent,
                     GLOBAL const ulong* first, GLOBAL const uint* size, GLOBAL const uint* list,
                     real reach2, GLOBAL const real* sides, GLOBAL racing_uint* parent,
                     GLOBAL const ulong* new_first, GLOBAL uint* new_size,
                     GLOBAL uint* new_list) {
  SHARED uint next;
  uint receiver = r_first + GROUP();
  uint above = receiver / LANES - r_parent;
  ulong begin = first[above], candidates = (ulong)size[above] * LANES, to = new_first[GROUP()];
  real side[DIM], lo[DIM], hi[DIM];
  load_sides(sides, side);
  load_box(boxes + box_at, receiver, lo, hi);
  if (LANE() == 0) next = 0;
  BARRIER();
  for (ulong i = LANE(); i < candidates; i += GROUP_SIZE) {
    uint source = list[begin + i / LANES] * LANES + (uint)(i % LANES);
    if (source >= nodes || source < receiver) continue;
    COUNT(entry, i / GROUP_SIZE);
    if (keeps_pair(boxes + box_at, unit + unit_at, receiver, source, shift, lo, hi, reach2, side,
                   parent))
      new_list[to + ATOMIC_ADD(&next, 1u)] = source;
  }
  BARRIER();
  if (LANE() == 0) new_size[GROUP()] = next;
}

DEVICE uint lowest_bit(uint mask) { return 31u - LEADING_ZEROS(mask & (0u - mask)); }

// The points of a receiver of 64 with those of its sources; block_unit: plane 0 of the units. Each
// work-item compares one of 8 blocks of the receiver with one of 8 of the source; its point then
// visits only the blocks within reach of its own block.
KERNEL void fof_link(GLOBAL const real* tree_blocks, GLOBAL const real* tree_boxes,
                     uint block_count, ulong n, GLOBAL const uint* block_unit, uint r_first,
                     GLOBAL const ulong* list_first, GLOBAL const uint* list_size,
                     GLOBAL const uint* list, real reach2, GLOBAL const real* sides,
                     GLOBAL racing_uint* parent) {
  SHARED real blocks[NODE_BLOCKS];
  SHARED real boxes[CHUNK_STRIDE];
  SHARED uint in_reach[2 * LANES];
  uint lane = LANE(), turn = 0;
  ulong position = (ulong)(r_first + GROUP()) * GROUP_SIZE + lane;
  int is_point = position < n;
  real x[DIM], side[DIM], lo[DIM], hi[DIM], r_lo[DIM], r_hi[DIM];
  load_sides(sides, side);
  load_box(tree_boxes, (r_first + GROUP()) * LANES + lane / LANES, r_lo, r_hi);
  if (lane < 2 * LANES) in_reach[lane] = 0;
  load_point(tree_blocks, is_point ? position : 0, x);
  uint self = (uint)position;
  ulong begin = list_first[GROUP()], end = begin + list_size[GROUP()];
  for (ulong entry = begin; entry < end; ++entry, turn ^= LANES) {
    uint source = list[entry];
    BARRIER();
    COUNT(node, 0);
    load_node(tree_blocks, tree_boxes, source, block_count, blocks, boxes);
    if (source * LANES + lane % LANES < block_count) {
      load_box(tree_boxes, source * LANES + lane % LANES, lo, hi);
      if (lower_distance2(r_lo, r_hi, lo, hi, side) <= reach2)
        ATOMIC_OR(in_reach + turn + lane / LANES, 1u << lane % LANES);
    }
    BARRIER();
    // Two sets of masks take turns: while one is read, the other is cleared.
    if (lane < LANES) in_reach[(turn ^ LANES) + lane] = 0;
    if (!is_point) continue;
    // All boxes first, then all pairs: work-items with pairs then do not wait for those without.
    uint near = 0, round = 0;
    for (uint mask = in_reach[turn + lane / LANES]; mask != 0; mask &= mask - 1, ++round) {
      uint b = lowest_bit(mask);
      // Pairs inside a node are visited once, by the later point.
      if (source == r_first + GROUP() && (source * LANES + b) * LANES > self) break;
      COUNT(box, round);
      if (lower_distance2_to(x, boxes, b, side) <= reach2) near |= 1u << b;
    }
    for (round = 0; near != 0; near &= near - 1, ++round) {
      uint b = lowest_bit(near), block = source * LANES + b;
      COUNT(accept, round);
      int is_unit = block_unit[block];
      uint root = find_root(parent, self);
      if (is_unit && find_root(parent, block * LANES) == root) continue;
      for (uint i = 0; i < LANES; ++i) {
        uint other = block * LANES + i;
        if (other >= n || other == self) break;
        COUNT(pair, round * LANES + i);
        if (!(distance2_to(x, blocks + b * BLOCK_STRIDE, i, side) <= reach2)) continue;
        if (parent[other] != root) {
          COUNT(link, round * LANES + i);
          unite(parent, self, other);
          root = find_root(parent, self);
        }
        if (is_unit) break;  // linked with one, linked with all
      }
    }
  }
}

// ---- from sets to labels

KERNEL void fof_flatten(GLOBAL racing_uint* parent, ulong n) {
  ulong i = THREAD();
  if (i < n) flatten(parent, (uint)i);
}

// size and lowest of each root; they begin with 0 and NO_INDEX.
KERNEL void fof_measure(GLOBAL const real* blocks, GLOBAL const uint* root, ulong n,
                        GLOBAL uint* size, GLOBAL uint* lowest) {
  ulong i = THREAD();
  if (i >= n) return;
  ATOMIC_ADD(size + root[i], 1u);
  ATOMIC_MIN(lowest + root[i], index_of(blocks, i));
}

// 1 for the roots of groups; n + 1 values.
KERNEL void fof_mark(GLOBAL const uint* size, ulong min_size, ulong n, GLOBAL uint* mark) {
  ulong i = THREAD();
  if (i > n) return;
  mark[i] = i < n && size[i] > 0 && size[i] >= min_size;
}

// The roots of groups, in tree order; number: the scanned marks.
KERNEL void fof_list(GLOBAL const uint* number, GLOBAL const uint* lowest, ulong n,
                     GLOBAL uint* roots, GLOBAL uint* keys) {
  ulong i = THREAD();
  if (i >= n || number[i + 1] == number[i]) return;
  roots[number[i]] = (uint)i;
  keys[number[i]] = lowest[i];
}

// The second key of the sort: larger groups first.
KERNEL void fof_size_keys(GLOBAL const uint* items, GLOBAL const uint* roots,
                          GLOBAL const uint* size, uint most, ulong groups, GLOBAL uint* keys) {
  ulong i = THREAD();
  if (i < groups) keys[i] = most - size[roots[items[i]]];
}

KERNEL void fof_most(GLOBAL const uint* size, GLOBAL const uint* roots, ulong groups,
                     GLOBAL uint* least_complement) {
  for (ulong i = THREAD(); i < groups; i += THREADS())
    ATOMIC_MIN(least_complement, 0xffffffffu - size[roots[i]]);
}

// Sizes and lowest members in the order of the labels; the label of each root.
KERNEL void fof_name(GLOBAL const uint* items, GLOBAL const uint* roots, GLOBAL const uint* size,
                     GLOBAL const uint* lowest, ulong groups, GLOBAL uint* out_size,
                     GLOBAL uint* out_lowest, GLOBAL uint* label_of) {
  ulong label = THREAD();
  if (label >= groups) return;
  uint root = roots[items[label]];
  out_size[label] = size[root];
  out_lowest[label] = lowest[root];
  label_of[root] = (uint)label;
}

// Labels in input order; label_of is NO_INDEX where a set is no group.
KERNEL void fof_labels(GLOBAL const real* blocks, GLOBAL const uint* root,
                       GLOBAL const uint* value_of, ulong n, GLOBAL uint* out) {
  ulong i = THREAD();
  if (i < n) out[index_of(blocks, i)] = value_of[root[i]];
}
