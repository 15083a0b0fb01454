// Checking the points and bringing them to the tree's frame (src/tree/input.cpp, geometry/frame.hpp).

DEVICE void reduce_box(LOCAL real* part, real* lo, real* hi, GLOBAL real* out_lo,
                       GLOBAL real* out_hi) {
  uint lane = LANE();
  for (int axis = 0; axis < DIM; ++axis) {
    for (int end = 0; end < 2; ++end) {
      part[lane] = end == 0 ? lo[axis] : -hi[axis];
      BARRIER();
      for (uint step = GROUP_SIZE / 2; step > 0; step /= 2) {
        if (lane < step) part[lane] = part[lane + step] < part[lane] ? part[lane + step] : part[lane];
        BARRIER();
      }
      if (lane == 0) {
        if (end == 0)
          out_lo[axis] = part[0];
        else
          out_hi[axis] = -part[0];
      }
      BARRIER();
    }
  }
}

DEVICE void start_box(real* lo, real* hi) {
  for (int axis = 0; axis < DIM; ++axis) {
    lo[axis] = REAL_INFINITY;
    hi[axis] = -REAL_INFINITY;
  }
}

DEVICE void widen_box(real* lo, real* hi, GLOBAL const real* by_lo, GLOBAL const real* by_hi) {
  for (int axis = 0; axis < DIM; ++axis) {
    lo[axis] = by_lo[axis] < lo[axis] ? by_lo[axis] : lo[axis];
    hi[axis] = by_hi[axis] > hi[axis] ? by_hi[axis] : hi[axis];
  }
}

// A box for each group of work-items; `bad` is set if a coordinate is not finite.
KERNEL void extent(GLOBAL const real* rows, ulong n, GLOBAL real* out_lo, GLOBAL real* out_hi,
                   GLOBAL uint* bad) {
  SHARED real part[GROUP_SIZE];
  real lo[DIM], hi[DIM];
  start_box(lo, hi);
  uint is_bad = 0;
  for (ulong i = THREAD(); i < n; i += THREADS()) {
    GLOBAL const real* row = rows + i * DIM;
    widen_box(lo, hi, row, row);
    for (int axis = 0; axis < DIM; ++axis) is_bad |= !(fabs(row[axis]) <= REAL_MOST);
  }
  if (is_bad) ATOMIC_ADD(bad, 1u);
  reduce_box(part, lo, hi, out_lo + (ulong)GROUP() * DIM, out_hi + (ulong)GROUP() * DIM);
}

// One box of some.
KERNEL void join_boxes(GLOBAL const real* from_lo, GLOBAL const real* from_hi, ulong first,
                       ulong count, GLOBAL real* out_lo, GLOBAL real* out_hi, ulong to) {
  SHARED real part[GROUP_SIZE];
  real lo[DIM], hi[DIM];
  start_box(lo, hi);
  for (ulong i = LANE(); i < count; i += GROUP_SIZE)
    widen_box(lo, hi, from_lo + (first + i) * DIM, from_hi + (first + i) * DIM);
  reduce_box(part, lo, hi, out_lo + to * DIM, out_hi + to * DIM);
}

DEVICE int is_finite(real x) { return fabs(x) <= REAL_MOST; }
DEVICE real times_power_of_two(real x, int exponent) { return ldexp(x, exponent); }
DEVICE real largest_like(real x) { return (void)x, REAL_MOST; }
#define KITH_WRAP DEVICE
#define V real
#include "geometry/wrap-inl.h"
#undef V

// frame: DIM origins, then DIM periods (0: open). With `live`, row i is row live[i] of the input.
KERNEL void prepare(GLOBAL const real* rows, GLOBAL const uint* live, uint has_live,
                    GLOBAL real* points, ulong n, GLOBAL const real* frame, int exponent) {
  ulong i = THREAD();
  if (i >= n) return;
  ulong row = has_live ? live[i] : i;
  for (int axis = 0; axis < DIM; ++axis)
    points[i * DIM + axis] =
        in_frame(rows[row * DIM + axis], frame[axis], frame[DIM + axis], exponent);
}
