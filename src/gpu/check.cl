// The operations that equal bits depend on; self_test.cpp computes the same on the host.
#define CHECKS 14u

KERNEL void check_reals(GLOBAL const real* a, GLOBAL const real* b, ulong n, GLOBAL real* out) {
  ulong i = THREAD();
  if (i >= n) return;
  real x = a[i], y = b[i];
  GLOBAL real* to = out + i * CHECKS;
  to[0] = x * x + y * y;
  to[1] = x + y;
  to[2] = x - y;
  to[3] = x * y;
  to[4] = quotient(x, y);
  to[5] = remainder_of(x, y);
  to[6] = ldexp(x, (int)(i % 97) - 48);
  to[7] = y < x ? y : x;
  to[8] = x < y ? y : x;
  to[9] = fabs(x);
  to[10] = floor(x);
  to[11] = x < y;
  to[12] = x == y;
  to[13] = fabs(x) < 1000000 ? (real)(ulong)fabs(x) : (real)0;
}

#define INTEGER_CHECKS 6u

KERNEL void check_integers(GLOBAL const ulong* values, ulong n, GLOBAL ulong* out) {
  ulong i = THREAD();
  if (i >= n) return;
  ulong x = values[i];
  GLOBAL ulong* to = out + i * INTEGER_CHECKS;
  to[0] = x << (i & 63);
  to[1] = x >> (i & 63);
  to[2] = x * (i + 1);
  to[3] = x / (i + 1) + x % (i + 1);
  to[4] = (ulong)LEADING_ZEROS_LONG(x | 1);
  to[5] = (ulong)LEADING_ZEROS((uint)x | 1u);
}

// out: a sum, a minimum, a union of bits and a count by compare and swap over all work-items, in
// global memory and through the local memory of their groups.
KERNEL void check_atomics(GLOBAL racing_uint* out) {
  SHARED uint part[3];
  if (LANE() == 0) {
    part[0] = part[2] = 0;
    part[1] = NO_INDEX;
  }
  BARRIER();
  uint i = (uint)THREAD();
  ATOMIC_ADD(part, i);
  ATOMIC_MIN(part + 1, NO_INDEX - 1 - i);
  ATOMIC_OR(part + 2, 1u << (LANE() & 31));
  ATOMIC_ADD(out, i);
  ATOMIC_MIN(out + 1, NO_INDEX - 1 - i);
  ATOMIC_OR(out + 2, 1u << (LANE() & 31));
  uint seen = 0;
  for (;;) {
    uint was = ATOMIC_CAS(out + 3, seen, seen + 1);
    if (was == seen) break;
    seen = was;
  }
  BARRIER();
  if (LANE() != 0) return;
  ATOMIC_ADD(out + 4, part[0]);
  ATOMIC_MIN(out + 5, part[1]);
  ATOMIC_OR(out + 6, part[2]);
}
