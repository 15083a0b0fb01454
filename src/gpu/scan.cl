// Exclusive prefix sums in separate launches: tiles first, then the sums of the tiles by the same
// kernel, then the sums added to the tiles. No group waits for another.
#define SCAN_ITEMS 16u
#define SCAN_TILE (GROUP_SIZE * SCAN_ITEMS)

DEVICE ulong scan_group(LOCAL ulong* part, ulong sum) {
  uint lane = LANE();
  part[lane] = sum;
  BARRIER();
  for (uint step = 1; step < GROUP_SIZE; step *= 2) {
    ulong before = lane >= step ? part[lane - step] : 0;
    BARRIER();
    part[lane] += before;
    BARRIER();
  }
  return part[lane] - sum;
}

#define SCAN_KERNELS(name, type)                                                                  \
  KERNEL void scan_##name(GLOBAL type* values, GLOBAL type* sums, ulong n) {                      \
    SHARED ulong part[GROUP_SIZE];                                                                \
    ulong begin = (ulong)GROUP() * SCAN_TILE + LANE() * SCAN_ITEMS;                               \
    ulong end = begin + SCAN_ITEMS < n ? begin + SCAN_ITEMS : n;                                  \
    ulong sum = 0;                                                                                \
    for (ulong i = begin; i < end; ++i) sum += values[i];                                         \
    ulong before = scan_group(part, sum);                                                         \
    if (LANE() == GROUP_SIZE - 1) sums[GROUP()] = (type)(before + sum);                           \
    for (ulong i = begin; i < end; ++i) {                                                         \
      type value = values[i];                                                                     \
      values[i] = (type)before;                                                                   \
      before += value;                                                                            \
    }                                                                                             \
  }                                                                                               \
  KERNEL void add_##name(GLOBAL type* values, GLOBAL const type* sums, ulong n) {                 \
    ulong i = THREAD();                                                                           \
    if (i < n) values[i] += sums[i / SCAN_TILE];                                                  \
  }                                                                                               \
  KERNEL void fill_##name(GLOBAL type* values, type value, ulong n) {                             \
    ulong i = THREAD();                                                                           \
    if (i < n) values[i] = value;                                                                 \
  }

SCAN_KERNELS(uint, uint)
SCAN_KERNELS(ulong, ulong)
