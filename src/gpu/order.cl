// Sorting points along a curve: the order of src/tree/order.cpp and order_any.cpp, round by round.
//
// A round has active points in segments, each of which is to be sorted in a grid of its bounds:
// keys, a radix sort by (segment, key), and the runs of equal keys that are long enough make the
// segments of the next round. Slots are places among the active points; `row` is the row of the
// point in a slot and `position` its place in the order.
#define SHORT_RUN 16u
#define IN_CACHE 65536u
#define LOW_BITS 18
#define TOP_CELLS 4096u
#define NO_DIGIT (-(1 << 20))
#if DIM == 2 || DIM == 3
#define LONG_DIGITS (30 / DIM)
#define SHORT_DIGITS (18 / DIM)
typedef uint curve_key;
#else
#define WIDE_DIGITS (64 / DIM < 60 ? (64 / DIM < 1 ? 1 : 64 / DIM) : 60)
#define LONG_DIGITS WIDE_DIGITS
#define SHORT_DIGITS WIDE_DIGITS
typedef ulong curve_key;
#endif

// ---- the Hilbert curve

DEVICE int trailing_ones(uint w) {
  uint z = ~w;
  return z == 0 ? 32 : 31 - LEADING_ZEROS(z & (0u - z));
}
#define KITH_CURVE DEVICE
#define KITH_AS_UINT (uint)
#include "geometry/hilbert-inl.h"

// ---- binary digits (src/geometry/digits.hpp)

DEVICE int exponent_digit(real_bits magnitude) {
  int exponent = (int)(magnitude >> MANTISSA);
  return (exponent > 1 ? exponent : 1) - BIAS;
}

#define SIGN_BIT ((real_bits)1 << (WIDTH - 1))
#define SIGN_DIGIT (BIAS + 1)

DEVICE int differing_digit(real a, real b) {
  real_bits p = BITS_OF(a), q = BITS_OF(b), x = p ^ q;
  real_bits p_size = p & ~SIGN_BIT, q_size = q & ~SIGN_BIT;
  int exponent = exponent_digit(p_size > q_size ? p_size : q_size);
  if (x == 0) return NO_DIGIT;
  if (x & SIGN_BIT) return SIGN_DIGIT;
  if (x >> MANTISSA) return exponent;
  return exponent + WIDTH - MANTISSA - 1 - LEADING_ZEROS_REAL(x);
}

DEVICE int leading_digit(real x) { return exponent_digit(BITS_OF(x) & ~SIGN_BIT); }

DEVICE int clamped(int x) { return x < 0 ? 0 : x > 63 ? 63 : x; }

DEVICE ulong digits_of(real x, int low, int count, int has_sign) {
  real_bits leading = (real_bits)1 << MANTISSA;
  real_bits word = BITS_OF(x), magnitude = word & ~SIGN_BIT;
  int is_negative = (word & SIGN_BIT) != 0;
  ulong mantissa = (magnitude & (leading - 1)) | (magnitude >= leading ? leading : 0);
  int shift = exponent_digit(magnitude) - MANTISSA - low;
  ulong mask = ((ulong)1 << count) - 1;
  ulong digits = mantissa << clamped(shift) >> clamped(-shift);
  digits = (is_negative ? ~digits : digits) & mask;
  return has_sign && !is_negative ? digits | (mask + 1) : digits;
}

DEVICE int z_less(const real* p, const real* q) {
  int digit = NO_DIGIT, decides = 0;
  for (int axis = 0; axis < DIM; ++axis) {
    int differs = differing_digit(p[axis], q[axis]);
    if (differs > digit) {
      digit = differs;
      decides = axis;
    }
  }
  return digit != NO_DIGIT && p[decides] < q[decides];
}

// ---- grids (src/geometry/grid.hpp)

// The parameters of a grid, in addition to the lower ends of its bounds: [0] can it split, then the
// window of digits of a z-curve: [1] least digit, [2] number of digits, [3] has a sign.
#define GRID_FACTS 4u

DEVICE real power_of_two(int exponent) { return ldexp((real)1, exponent); }

DEVICE int digits_for(uint size, uint is_long) {
  return is_long || size > IN_CACHE ? LONG_DIGITS : SHORT_DIGITS;
}

// One work-item per segment. `is_long`: its keys are long at any size.
KERNEL void make_grids(GLOBAL const real* lo, GLOBAL const real* hi, GLOBAL const uint* begin,
                       uint segments, uint is_long, uint is_hilbert, GLOBAL real* scale,
                       GLOBAL int* facts) {
  ulong segment = THREAD();
  if (segment >= segments) return;
  int bits = digits_for(begin[segment + 1] - begin[segment], is_long);
  GLOBAL const real* lower = lo + segment * DIM;
  GLOBAL const real* upper = hi + segment * DIM;
  GLOBAL int* fact = facts + segment * GRID_FACTS;
  if (is_hilbert) {
    real widest = 0;
    for (int axis = 0; axis < DIM; ++axis) {
      real width = upper[axis] - lower[axis];
      widest = widest < width ? width : widest;
    }
    real by = quotient(power_of_two(bits), widest);
    scale[segment] = by;
    fact[0] = by > 0 && by <= REAL_MOST;
    fact[1] = fact[2] = fact[3] = 0;
    return;
  }
  int top = NO_DIGIT;
  for (int axis = 0; axis < DIM; ++axis) {
    int digit = differing_digit(lower[axis], upper[axis]);
    top = digit > top ? digit : top;
  }
  int has_sign = top == SIGN_DIGIT;
  fact[0] = top != NO_DIGIT;
  if (has_sign) {
    top = NO_DIGIT;
    for (int axis = 0; axis < DIM; ++axis) {
      int digit = lower[axis] != 0 ? leading_digit(lower[axis]) : NO_DIGIT;
      top = digit > top ? digit : top;
      digit = upper[axis] != 0 ? leading_digit(upper[axis]) : NO_DIGIT;
      top = digit > top ? digit : top;
    }
  }
  fact[1] = top - (bits - has_sign) + 1;
  fact[2] = bits - has_sign;
  fact[3] = has_sign;
}

DEVICE ulong equal_cell(real x, real lo, real scale, ulong last) {
  ulong cell = (ulong)((x - lo) * scale);
  return cell < last ? cell : last;
}

// The place of each point on the curve of its segment; 0 where the segment cannot be split.
KERNEL void make_keys(GLOBAL const real* points, GLOBAL const uint* row, GLOBAL const uint* segment,
                      GLOBAL const uint* begin, ulong n, uint is_long, uint is_hilbert,
                      GLOBAL const real* lo, GLOBAL const real* scale, GLOBAL const int* facts,
                      GLOBAL curve_key* keys) {
  ulong slot = THREAD();
  if (slot >= n) return;
  uint s = segment[slot];
  GLOBAL const int* fact = facts + (ulong)s * GRID_FACTS;
  ulong place = 0;
  if (fact[0]) {
    int bits = digits_for(begin[s + 1] - begin[s], is_long);
    ulong last = ((ulong)1 << bits) - 1;
    ulong cell[DIM];
    for (int axis = 0; axis < DIM; ++axis) {
      real x = points[(ulong)row[slot] * DIM + axis];
      cell[axis] = is_hilbert ? equal_cell(x, lo[(ulong)s * DIM + axis], scale[s], last)
                              : digits_of(x, fact[1], fact[2], fact[3]);
    }
    uint entry = 0;
    int direction = 0;
    for (int bit = bits - 1; bit >= 0; --bit) {
      uint digit = 0;
      for (int axis = 0; axis < DIM; ++axis) digit = digit << 1 | (uint)(cell[axis] >> bit & 1);
      if (is_hilbert) digit = curve_step(digit, DIM, &entry, &direction);
      place = place << (DIM & 63) | digit;
    }
  }
  keys[slot] = (curve_key)place;
}

// ---- segments too large for the CPU's cache (2-D and 3-D): top cells that still are too large
// lose the low bits of their keys and are sorted again, as on the CPU

// The numbers of the segments with long keys, in any order.
KERNEL void find_large(GLOBAL const uint* begin, uint segments, GLOBAL uint* large,
                       GLOBAL uint* slot_of, GLOBAL uint* count) {
  ulong segment = THREAD();
  if (segment >= segments) return;
  uint size = begin[segment + 1] - begin[segment];
  slot_of[segment] = NO_INDEX;
  if (size <= IN_CACHE) return;
  uint at = ATOMIC_ADD(count, 1u);
  large[at] = (uint)segment;
  slot_of[segment] = at;
}

KERNEL void count_top_cells(GLOBAL const curve_key* keys, GLOBAL const uint* segment,
                            GLOBAL const uint* slot_of, ulong n, GLOBAL uint* counts) {
  ulong slot = THREAD();
  if (slot >= n) return;
  uint large = slot_of[segment[slot]];
  if (large != NO_INDEX)
    ATOMIC_ADD(counts + (ulong)large * TOP_CELLS + (uint)(keys[slot] >> LOW_BITS), 1u);
}

KERNEL void clear_low_bits(GLOBAL curve_key* keys, GLOBAL const uint* segment,
                           GLOBAL const uint* slot_of, ulong n, GLOBAL const uint* counts) {
  ulong slot = THREAD();
  if (slot >= n) return;
  uint large = slot_of[segment[slot]];
  if (large == NO_INDEX) return;
  curve_key top = keys[slot] >> LOW_BITS;
  if (counts[(ulong)large * TOP_CELLS + (uint)top] > IN_CACHE) keys[slot] = top << LOW_BITS;
}

// ---- bounds of segments

// One group for each range of slots: its tight box.
KERNEL void range_boxes(GLOBAL const real* points, GLOBAL const uint* row,
                        GLOBAL const uint* begin, uint shortest, uint longest, GLOBAL real* out_lo,
                        GLOBAL real* out_hi) {
  SHARED real part[GROUP_SIZE];
  real lo[DIM], hi[DIM];
  start_box(lo, hi);
  uint first = begin[GROUP()], last = begin[GROUP() + 1];
  if (last - first < shortest || last - first > longest) return;
  for (ulong i = (ulong)first + LANE(); i < last; i += GROUP_SIZE) {
    GLOBAL const real* x = points + (ulong)row[i] * DIM;
    widen_box(lo, hi, x, x);
  }
  reduce_box(part, lo, hi, out_lo + (ulong)GROUP() * DIM, out_hi + (ulong)GROUP() * DIM);
}

// ---- from sorted keys to the next round

// row and position hold the slots of the last round; item: the slot whose point comes to each slot.
KERNEL void place_rows(GLOBAL const uint* item, GLOBAL const uint* row,
                       GLOBAL const uint* position, ulong n, GLOBAL uint* new_row,
                       GLOBAL uint* order) {
  ulong slot = THREAD();
  if (slot >= n) return;
  uint moved = row[item[slot]];
  new_row[slot] = moved;
  order[position[slot]] = moved;
}

// 1 where a run of equal keys of one segment begins; n + 1 values, the last one 0.
KERNEL void mark_heads(GLOBAL const uint* item, GLOBAL const uint* segment,
                       GLOBAL const curve_key* keys, ulong n, GLOBAL uint* head) {
  ulong slot = THREAD();
  if (slot > n) return;
  uint is_head = 0;
  if (slot < n) {
    is_head = 1;
    if (slot > 0) {
      uint a = item[slot - 1], b = item[slot];
      is_head = segment[a] != segment[b] || keys[a] != keys[b];
    }
  }
  head[slot] = is_head;
}

// Heads of runs where all slots are of one segment, from the sorted keys.
KERNEL void mark_heads_of_one(GLOBAL const curve_key* sorted, ulong n, GLOBAL uint* head) {
  ulong slot = THREAD();
  if (slot > n) return;
  head[slot] = slot < n && (slot == 0 || sorted[slot - 1] != sorted[slot]);
}

// After the scan run_of[slot + 1] - 1 is the run of a slot.
KERNEL void start_runs(GLOBAL const uint* run_of, ulong n, GLOBAL uint* run_begin) {
  ulong slot = THREAD();
  if (slot > n) return;
  if (slot == n)
    run_begin[run_of[n]] = (uint)n;
  else if (run_of[slot + 1] != run_of[slot])
    run_begin[run_of[slot]] = (uint)slot;
}

// For each run: 1 and its length if it is a segment of the next round; runs + 1 values.
KERNEL void keep_runs(GLOBAL const uint* run_begin, GLOBAL const uint* item,
                      GLOBAL const uint* segment, GLOBAL const int* facts, uint runs,
                      GLOBAL uint* kept, GLOBAL uint* length) {
  ulong run = THREAD();
  if (run > runs) return;
  uint keeps = 0, size = 0;
  if (run < runs) {
    size = run_begin[run + 1] - run_begin[run];
    keeps = size > SHORT_RUN && facts[(ulong)segment[item[run_begin[run]]] * GRID_FACTS];
  }
  kept[run] = keeps;
  length[run] = keeps ? size : 0;
}

// kept and length are scanned: numbers and first slots of the new segments.
KERNEL void next_round(GLOBAL const uint* run_of, GLOBAL const uint* run_begin,
                       GLOBAL const uint* kept, GLOBAL const uint* length,
                       GLOBAL const uint* row, GLOBAL const uint* position, ulong n,
                       GLOBAL uint* new_row, GLOBAL uint* new_position, GLOBAL uint* new_segment,
                       GLOBAL uint* new_begin) {
  ulong slot = THREAD();
  if (slot >= n) return;
  uint run = run_of[slot + 1] - 1;
  if (kept[run + 1] == kept[run]) return;
  uint offset = (uint)slot - run_begin[run];
  uint to = length[run] + offset;
  new_row[to] = row[slot];
  new_position[to] = position[slot];
  new_segment[to] = kept[run];
  if (offset == 0) new_begin[kept[run]] = to;
  // The end of the last segment; others end where the next one begins.
  if (slot + 1 == run_begin[run + 1] && kept[run + 1] == kept[run_of[n]])
    new_begin[kept[run + 1]] = to + 1;
}

// z-order: the few points of one cell by comparison. Slots of a run have consecutive positions.
KERNEL void sort_short_runs(GLOBAL const real* points, GLOBAL const uint* run_begin, uint runs,
                            GLOBAL const uint* position, GLOBAL uint* order) {
  ulong run = THREAD();
  if (run >= runs) return;
  uint first = run_begin[run], size = run_begin[run + 1] - first;
  if (size < 2 || size > SHORT_RUN) return;
  GLOBAL uint* rows = order + position[first];
  for (uint i = 1; i < size; ++i) {
    uint moving = rows[i];
    real x[DIM], y[DIM];
    for (int axis = 0; axis < DIM; ++axis) x[axis] = points[(ulong)moving * DIM + axis];
    uint at = i;
    while (at > 0) {
      for (int axis = 0; axis < DIM; ++axis) y[axis] = points[(ulong)rows[at - 1] * DIM + axis];
      if (!z_less(x, y)) break;
      rows[at] = rows[at - 1];
      --at;
    }
    rows[at] = moving;
  }
}
