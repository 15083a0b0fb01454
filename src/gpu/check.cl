// A kernel that would differ from the CPU's arithmetic if products and sums were contracted.
KERNEL void sums_of_squares(GLOBAL const real* a, GLOBAL const real* b, ulong n, GLOBAL real* out) {
  ulong i = THREAD();
  if (i < n) out[i] = a[i] * a[i] + b[i] * b[i];
}
