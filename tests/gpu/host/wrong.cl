// Kernels with faults that the scheduler must find: tests of the tests.

DEVICE uint find_and_halve(GLOBAL racing_uint* parent, uint at) {
  uint up = parent[at];
  while (up != at) {
    uint above = parent[up];
    if (above != up) parent[at] = above;
    at = up;
    up = above;
  }
  return at;
}

// fof_flatten as it once was: a work-item that halves paths may put an older ancestor over a root
// that another one has stored.
KERNEL void flatten_and_halve(GLOBAL racing_uint* parent, ulong n) {
  ulong i = THREAD();
  if (i < n) parent[i] = find_and_halve(parent, (uint)i);
}

// Reads what another work-item writes without a barrier in between.
KERNEL void reverse_without_barrier(GLOBAL uint* values) {
  SHARED uint part[GROUP_SIZE];
  part[LANE()] = values[THREAD()];
  values[THREAD()] = part[GROUP_SIZE - 1 - LANE()];
}

KERNEL void reverse(GLOBAL uint* values) {
  SHARED uint part[GROUP_SIZE];
  part[LANE()] = values[THREAD()];
  BARRIER();
  values[THREAD()] = part[GROUP_SIZE - 1 - LANE()];
}

// A barrier does not order groups.
KERNEL void reverse_into_other_groups(GLOBAL uint* values) {
  uint seen = values[THREAD()];
  BARRIER();
  values[THREADS() - 1 - THREAD()] = seen;
}

KERNEL void barrier_of_some(GLOBAL uint* values) {
  if (LANE() < 32) BARRIER();
  values[THREAD()] = 1;
}

// Two work-items may read the same value and add to it.
KERNEL void add_in_two_steps(GLOBAL racing_uint* sum) {
  uint seen = sum[0];
  sum[0] = seen + 1;
}

KERNEL void add_without_atomics(GLOBAL uint* sum) { sum[0] += 1; }

KERNEL void add_at_once(GLOBAL racing_uint* sum) { ATOMIC_ADD(sum, 1u); }

// Half of the lanes pay for the other half.
KERNEL void diverge(GLOBAL uint* values) {
  COUNT(box, 0);
  if (LANE() % 2) {
    COUNT(pair, 0);
    values[THREAD()] = 1;
  }
  if (LANE() < 16) COUNT(insert, 0);
}
