// Rows of neighbors in the caller's arrays on the device: in the order of the input, with distances
// instead of their squares.
//
// Indices have 1 or 2 words, for 32 or 64 bits, or none if they are not wanted.

KERNEL void fill_rows(GLOBAL uint* index, uint words, GLOBAL real* distance, uint has_distance,
                      ulong n) {
  ulong i = THREAD();
  if (i >= n) return;
  for (uint word = 0; word < words; ++word) index[i * words + word] = NO_INDEX;
  if (has_distance) distance[i] = REAL_INFINITY;
}

// Row `first + q` of the queries' order has the neighbors q * k, ...
KERNEL void store_rows(GLOBAL const real* blocks, ulong first, ulong count, uint k,
                       uint in_tree_order, GLOBAL const uint* found, GLOBAL const real* d2,
                       real unscale, GLOBAL uint* index, uint words, GLOBAL real* distance,
                       uint has_distance) {
  ulong i = THREAD();
  if (i >= count * k || found[i] == NO_INDEX) return;
  ulong query = first + i / k;
  ulong row = in_tree_order ? query : (ulong)index_of(blocks, query);
  ulong at = row * k + i % k;
  if (words > 0) index[at * words] = found[i];
  if (words > 1) index[at * words + 1] = 0;
  if (has_distance) distance[at] = sqrt(d2[i]) * unscale;
}

KERNEL void check_roots(GLOBAL const real* values, ulong n, GLOBAL real* roots) {
  ulong i = THREAD();
  if (i < n) roots[i] = sqrt(values[i]);
}
