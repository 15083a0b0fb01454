// Stable radix sort of (64-bit key, item), 4 bits per pass: count the digits of each tile, scan the
// counts (digit by digit, tile by tile), scatter. A work-item has 16 consecutive items, so their
// order is kept without atomics.
#define SORT_ITEMS 16u
#define SORT_TILE (GROUP_SIZE * SORT_ITEMS)
#define DIGITS 16u

DEVICE void count_digits(GLOBAL const ulong* keys, ulong n, uint shift, LOCAL uint* table) {
  uint count[DIGITS];
  for (uint digit = 0; digit < DIGITS; ++digit) count[digit] = 0;
  ulong begin = (ulong)GROUP() * SORT_TILE + LANE() * SORT_ITEMS;
  for (ulong i = begin; i < begin + SORT_ITEMS && i < n; ++i) ++count[keys[i] >> shift & 15u];
  for (uint digit = 0; digit < DIGITS; ++digit) table[digit * GROUP_SIZE + LANE()] = count[digit];
}

KERNEL void sort_count(GLOBAL const ulong* keys, GLOBAL uint* counts, uint shift, ulong n,
                       uint tiles) {
  SHARED uint table[DIGITS * GROUP_SIZE];
  count_digits(keys, n, shift, table);
  BARRIER();
  if (LANE() < DIGITS) {
    uint sum = 0;
    for (uint i = 0; i < GROUP_SIZE; ++i) sum += table[LANE() * GROUP_SIZE + i];
    counts[(ulong)LANE() * tiles + GROUP()] = sum;
  }
}

KERNEL void sort_scatter(GLOBAL const ulong* keys, GLOBAL const uint* items,
                         GLOBAL ulong* out_keys, GLOBAL uint* out_items,
                         GLOBAL const uint* starts, uint shift, ulong n, uint tiles) {
  SHARED uint table[DIGITS * GROUP_SIZE];
  count_digits(keys, n, shift, table);
  BARRIER();
  if (LANE() < DIGITS) {
    uint sum = starts[(ulong)LANE() * tiles + GROUP()];
    for (uint i = 0; i < GROUP_SIZE; ++i) {
      uint count = table[LANE() * GROUP_SIZE + i];
      table[LANE() * GROUP_SIZE + i] = sum;
      sum += count;
    }
  }
  BARRIER();
  ulong begin = (ulong)GROUP() * SORT_TILE + LANE() * SORT_ITEMS;
  for (ulong i = begin; i < begin + SORT_ITEMS && i < n; ++i) {
    ulong key = keys[i];
    uint at = table[(uint)(key >> shift & 15u) * GROUP_SIZE + LANE()]++;
    out_keys[at] = key;
    out_items[at] = items[i];
  }
}

KERNEL void sort_identity(GLOBAL uint* items, ulong n) {
  ulong i = THREAD();
  if (i < n) items[i] = (uint)i;
}

// Keys for a second sort by a coarser key.
KERNEL void sort_gather(GLOBAL const uint* values, GLOBAL const uint* items, GLOBAL ulong* keys,
                        ulong n) {
  ulong i = THREAD();
  if (i < n) keys[i] = values[items[i]];
}

KERNEL void sort_copy(GLOBAL const ulong* from, GLOBAL ulong* to, ulong n) {
  ulong i = THREAD();
  if (i < n) to[i] = from[i];
}
