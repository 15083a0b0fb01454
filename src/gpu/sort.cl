// Stable radix sort of (key, item), 8 bits per pass, for keys of 32 and of 64 bits: count the digits
// of each tile, scan the counts (digit by digit, tile by tile), scatter.
//
// A tile is read in rows of 64, one entry per work-item. In each row, the work-items with the same
// digit find each other by a mask, so entries keep their order although no two wait for each other.
// The tile is put into the order of its digits in local memory; so neighbors there are neighbors in
// global memory, and their writes go together.
#define SORT_ROWS 16u
#define SORT_TILE (GROUP_SIZE * SORT_ROWS)
#define DIGITS 256u

// The sums of the counts of all digits before, in place.
DEVICE void start_digits(LOCAL uint* count, LOCAL uint* part) {
  uint lane = LANE(), each = DIGITS / GROUP_SIZE, sum = 0;
  for (uint i = 0; i < each; ++i) sum += count[lane * each + i];
  part[lane] = sum;
  BARRIER();
  for (uint step = 1; step < GROUP_SIZE; step *= 2) {
    uint before = lane >= step ? part[lane - step] : 0;
    BARRIER();
    part[lane] += before;
    BARRIER();
  }
  sum = part[lane] - sum;
  for (uint i = 0; i < each; ++i) {
    uint size = count[lane * each + i];
    count[lane * each + i] = sum;
    sum += size;
  }
  BARRIER();
}

// The place of an entry among those of its digit in the tile; all work-items call it for each row.
// match: two words of lanes for each digit and each of two rows, which take turns.
DEVICE uint rank_in_row(LOCAL uint* match, LOCAL uint* count, uint row, uint digit, int is_entry) {
  uint lane = LANE(), bit = 1u << (lane & 31u);
  LOCAL uint* lanes = match + (row & 1u) * 2u * DIGITS + 2u * digit;
  if (is_entry) ATOMIC_OR(lanes + lane / 32u, bit);
  BARRIER();
  COUNT(load, row);
  uint low = lanes[0], high = lanes[1];
  uint all = POPCOUNT(low) + POPCOUNT(high);
  uint before = lane < 32u ? POPCOUNT(low & (bit - 1u)) : POPCOUNT(low) + POPCOUNT(high & (bit - 1u));
  uint rank = count[digit] + before;
  BARRIER();
  if (is_entry && before + 1u == all) {
    count[digit] += all;
    lanes[0] = lanes[1] = 0;
  }
  return rank;
}

#define DIGIT_OF(key) ((uint)((key) >> shift) & mask)

// mask: of the bits of this pass.
#define SORT_KERNELS(name, type)                                                                   \
  KERNEL void sort_count_##name(GLOBAL const type* keys, GLOBAL uint* counts, uint shift,          \
                                uint mask, ulong n, uint tiles) {                                  \
    SHARED uint count[DIGITS];                                                                     \
    for (uint digit = LANE(); digit < DIGITS; digit += GROUP_SIZE) count[digit] = 0;               \
    BARRIER();                                                                                     \
    ulong begin = (ulong)GROUP() * SORT_TILE + LANE();                                             \
    for (uint row = 0; row < SORT_ROWS; ++row) {                                                   \
      ulong i = begin + row * GROUP_SIZE;                                                          \
      COUNT(load, row);                                                                            \
      if (i < n) ATOMIC_ADD(count + DIGIT_OF(keys[i]), 1u);                                        \
    }                                                                                              \
    BARRIER();                                                                                     \
    for (uint digit = LANE(); digit <= mask; digit += GROUP_SIZE)                                  \
      counts[(ulong)digit * tiles + GROUP()] = count[digit];                                       \
  }                                                                                                \
  KERNEL void sort_scatter_##name(GLOBAL const type* keys, GLOBAL const uint* items,               \
                                  GLOBAL type* out_keys, GLOBAL uint* out_items,                   \
                                  GLOBAL const uint* starts, uint shift, uint mask, ulong n,       \
                                  uint tiles) {                                                    \
    SHARED type held_keys[SORT_TILE];                                                              \
    SHARED uint held_items[SORT_TILE]; /* at first the masks of lanes */                           \
    SHARED uint count[DIGITS];                                                                     \
    SHARED uint part[GROUP_SIZE];                                                                  \
    type key[SORT_ROWS];                                                                           \
    uint rank[SORT_ROWS];                                                                          \
    uint lane = LANE();                                                                            \
    ulong begin = (ulong)GROUP() * SORT_TILE;                                                      \
    uint size = (uint)(n - begin < SORT_TILE ? n - begin : SORT_TILE);                             \
    for (uint i = lane; i < 4u * DIGITS; i += GROUP_SIZE) held_items[i] = 0;                       \
    for (uint digit = lane; digit < DIGITS; digit += GROUP_SIZE) count[digit] = 0;                 \
    BARRIER();                                                                                     \
    UNROLL                                                                                         \
    for (uint row = 0; row < SORT_ROWS; ++row) {                                                   \
      uint i = row * GROUP_SIZE + lane;                                                            \
      key[row] = i < size ? keys[begin + i] : 0;                                                   \
      rank[row] = rank_in_row(held_items, count, row, DIGIT_OF(key[row]), i < size);               \
    }                                                                                              \
    BARRIER();                                                                                     \
    start_digits(count, part);                                                                     \
    UNROLL                                                                                         \
    for (uint row = 0; row < SORT_ROWS; ++row) {                                                   \
      uint i = row * GROUP_SIZE + lane;                                                            \
      if (i >= size) continue;                                                                     \
      uint at = count[DIGIT_OF(key[row])] + rank[row];                                             \
      held_keys[at] = key[row];                                                                    \
      held_items[at] = items[begin + i];                                                           \
    }                                                                                              \
    BARRIER();                                                                                     \
    for (uint digit = lane; digit <= mask; digit += GROUP_SIZE)                                    \
      count[digit] = starts[(ulong)digit * tiles + GROUP()] - count[digit];                        \
    BARRIER();                                                                                     \
    for (uint i = lane; i < size; i += GROUP_SIZE) {                                               \
      uint to = count[DIGIT_OF(held_keys[i])] + i;                                                 \
      out_keys[to] = held_keys[i];                                                                 \
      out_items[to] = held_items[i];                                                               \
    }                                                                                              \
  }                                                                                                \
  /* Keys for a second sort by a coarser key. */                                                   \
  KERNEL void sort_gather_##name(GLOBAL const uint* values, GLOBAL const uint* items,              \
                                 GLOBAL type* keys, ulong n) {                                     \
    ulong i = THREAD();                                                                            \
    if (i < n) keys[i] = values[items[i]];                                                         \
  }                                                                                                \
  KERNEL void sort_copy_##name(GLOBAL const type* from, GLOBAL type* to, ulong n) {                \
    ulong i = THREAD();                                                                            \
    if (i < n) to[i] = from[i];                                                                    \
  }

SORT_KERNELS(uint, uint)
SORT_KERNELS(ulong, ulong)

KERNEL void sort_identity(GLOBAL uint* items, ulong n) {
  ulong i = THREAD();
  if (i < n) items[i] = (uint)i;
}
