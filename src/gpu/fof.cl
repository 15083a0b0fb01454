// Friends of friends: the tree joined with itself, plane by plane, and a union-find by compare and
// swap over the positions of the points.
//
// A node is one unit if its diagonal is within the linking length: all its points are linked from
// the start. Two units whose upper distance is within it are linked as a whole; a pair of nodes is
// never dropped as linked unless both are units, so no link is lost. Units of one set are dropped.
//
// Races (racing_uint: volatile): parent[i] is i or a lower position in the same set, always. A root changes once, by a
// compare and swap against the root that was found; if that fails, the search goes on from what was
// there. Path halving stores an ancestor over an ancestor. A reader may see an old value: it is an
// ancestor all the same, and costs a step or a test, never a link.

DEVICE uint find_root(GLOBAL racing_uint* parent, uint at) {
  uint up = parent[at];
  while (up != at) {
    uint above = parent[up];
    if (above != up) parent[at] = above;
    at = up;
    up = above;
  }
  return at;
}

DEVICE void unite(GLOBAL racing_uint* parent, uint a, uint b) {
  a = find_root(parent, a);
  b = find_root(parent, b);
  while (a != b) {
    uint high = a > b ? a : b, low = a > b ? b : a;
    uint seen = ATOMIC_CAS(parent + high, high, low);
    if (seen == high) return;
    a = find_root(parent, seen);
    b = find_root(parent, low);
  }
}

// unit[range_at + node]: is the node of a plane one unit?
KERNEL void fof_units(GLOBAL const real* boxes, ulong box_at, uint nodes, ulong unit_at,
                      real reach2, GLOBAL uint* unit) {
  ulong node = THREAD();
  if (node >= nodes) return;
  real lo[DIM], hi[DIM], sum;
  load_box(boxes + box_at, (uint)node, lo, hi);
  SUM_SQUARES(sum, hi[axis] - lo[axis]);
  unit[unit_at + node] = sum <= reach2;
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

// Has the receiver to look at the source, a node of the same plane that does not come before it?
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

// Lists of the nodes of a plane from those of the plane above; one group per receiver.
KERNEL void fof_count(GLOBAL const real* boxes, ulong box_at, GLOBAL const uint* unit,
                      ulong unit_at, uint nodes, uint shift, uint r_first, uint r_parent,
                      GLOBAL const ulong* first, GLOBAL const uint* list, real reach2,
                      GLOBAL const real* sides, GLOBAL racing_uint* parent,
                      GLOBAL ulong* count) {
  SHARED uint total;
  uint receiver = r_first + GROUP();
  uint above = receiver / LANES - r_parent;
  ulong begin = first[above], candidates = (first[above + 1] - begin) * LANES;
  real side[DIM], lo[DIM], hi[DIM];
  load_sides(sides, side);
  load_box(boxes + box_at, receiver, lo, hi);
  uint kept = 0;
  for (ulong i = LANE(); i < candidates; i += GROUP_SIZE) {
    uint node = list[begin + i / LANES];
    uint source = node * LANES + (uint)(i % LANES);
    if (node == NO_INDEX || source >= nodes || source < receiver) continue;
    kept += keeps_pair(boxes + box_at, unit + unit_at, receiver, source, shift, lo, hi, reach2,
                       side, parent);
  }
  if (LANE() == 0) total = 0;
  BARRIER();
  if (kept > 0) ATOMIC_ADD(&total, kept);
  BARRIER();
  if (LANE() == 0) count[GROUP()] = total;
}

// All unions of this step were made by the count, so sets may only have grown since: fewer pairs are
// kept then, never more. (With unions in here, lists could overflow.)
KERNEL void fof_fill(GLOBAL const real* boxes, ulong box_at, GLOBAL const uint* unit, ulong unit_at,
                     uint nodes, uint shift, uint r_first, uint r_parent,
                     GLOBAL const ulong* first, GLOBAL const uint* list, real reach2,
                     GLOBAL const real* sides, GLOBAL racing_uint* parent,
                     GLOBAL const ulong* new_first, GLOBAL uint* new_list) {
  SHARED uint next;
  uint receiver = r_first + GROUP();
  uint above = receiver / LANES - r_parent;
  ulong begin = first[above], candidates = (first[above + 1] - begin) * LANES;
  ulong to = new_first[GROUP()], room = new_first[GROUP() + 1] - to;
  real side[DIM], lo[DIM], hi[DIM];
  load_sides(sides, side);
  load_box(boxes + box_at, receiver, lo, hi);
  if (LANE() == 0) next = 0;
  BARRIER();
  for (ulong i = LANE(); i < candidates; i += GROUP_SIZE) {
    uint node = list[begin + i / LANES];
    uint source = node * LANES + (uint)(i % LANES);
    if (node == NO_INDEX || source >= nodes || source < receiver) continue;
    if (keeps_pair(boxes + box_at, unit + unit_at, receiver, source, shift, lo, hi, reach2, side,
                   parent))
      new_list[to + ATOMIC_ADD(&next, 1u)] = source;
  }
  BARRIER();
  for (ulong i = next + LANE(); i < room; i += GROUP_SIZE) new_list[to + i] = NO_INDEX;
}

// The points of a receiver of 64 with those of its sources; block_unit: plane 0 of the units.
KERNEL void fof_link(GLOBAL const real* tree_blocks, GLOBAL const real* tree_boxes,
                     uint block_count, ulong n, GLOBAL const uint* block_unit, uint r_first,
                     GLOBAL const ulong* list_first, GLOBAL const uint* list, real reach2,
                     GLOBAL const real* sides, GLOBAL racing_uint* parent) {
  SHARED real blocks[NODE_BLOCKS];
  SHARED real boxes[CHUNK_STRIDE];
  uint lane = LANE();
  ulong position = (ulong)(r_first + GROUP()) * GROUP_SIZE + lane;
  int is_point = position < n;
  real x[DIM], side[DIM];
  load_sides(sides, side);
  load_point(tree_blocks, is_point ? position : 0, x);
  uint self = (uint)position;
  ulong begin = list_first[GROUP()], end = list_first[GROUP() + 1];
  for (ulong entry = begin; entry < end; ++entry) {
    uint source = list[entry];
    if (source == NO_INDEX) break;  // the rest is, too; the same for all work-items of the group
    BARRIER();
    load_node(tree_blocks, tree_boxes, source, block_count, blocks, boxes);
    BARRIER();
    if (!is_point) continue;
    for (uint b = 0; b < LANES; ++b) {
      uint block = source * LANES + b;
      // Pairs inside a node are looked at once, by the later point.
      if (block >= block_count) break;
      if (source == r_first + GROUP() && block * LANES > self) break;
      if (!(lower_distance2_to(x, boxes, b, side) <= reach2)) continue;
      int is_unit = block_unit[block];
      uint root = find_root(parent, self);
      if (is_unit && find_root(parent, block * LANES) == root) continue;
      for (uint i = 0; i < LANES; ++i) {
        uint other = block * LANES + i;
        if (other >= n || other == self) break;
        if (!(distance2_to(x, blocks + b * BLOCK_STRIDE, i, side) <= reach2)) continue;
        if (parent[other] != root) {
          unite(parent, self, other);
          root = find_root(parent, self);
        }
        if (is_unit) break;  // linked with one, linked with all
      }
    }
  }
}

// ---- from sets to labels

// Each entry becomes its root. Work-items write to their own entries alone: one that halved paths, as
// find_root does, could put an older ancestor over a root that another one has just stored.
KERNEL void fof_flatten(GLOBAL racing_uint* parent, ulong n) {
  ulong i = THREAD();
  if (i >= n) return;
  uint root = parent[i];
  for (uint up = parent[root]; up != root; up = parent[root]) root = up;
  parent[i] = root;
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
                     GLOBAL uint* roots, GLOBAL ulong* keys) {
  ulong i = THREAD();
  if (i >= n || number[i + 1] == number[i]) return;
  roots[number[i]] = (uint)i;
  keys[number[i]] = lowest[i];
}

// The second key of the sort: larger groups first.
KERNEL void fof_size_keys(GLOBAL const uint* items, GLOBAL const uint* roots,
                          GLOBAL const uint* size, ulong most, ulong groups, GLOBAL ulong* keys) {
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
