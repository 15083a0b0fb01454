// Union-find, on the CPU and on devices: included by parallel/union_find.hpp, which proves it
// correct, and by gpu/fof.cl, in the common subset of C++ and OpenCL C. Both define load_parent,
// store_parent and attach_root, which makes `below` the parent of `root` if `root` is still a root.

/// The root of i's set as of now: the smallest member that is linked so far.
KITH_SETS Index find_root(Parents parent, Index i) {
  for (Index up = load_parent(parent, i); up != i;) {
    const Index above = load_parent(parent, up);
    if (above == up) return up;
    store_parent(parent, i, above);
    i = above;
    up = load_parent(parent, i);
  }
  return i;
}

/// Once all sets are joined: makes i point at its root, which it returns. Calls for different i may
/// run at once, since each writes to its own i alone; a concurrent find_root could overwrite the
/// root with an older ancestor.
KITH_SETS Index flatten(Parents parent, Index i) {
  Index root = load_parent(parent, i);
  for (Index up = load_parent(parent, root); up != root; up = load_parent(parent, root)) root = up;
  store_parent(parent, i, root);
  return root;
}

/// Merges the sets of p and q. Returns true if this call joined them.
KITH_SETS bool unite(Parents parent, const Index p, const Index q) {
  Index low = p, high = q;
  for (;;) {
    low = find_root(parent, low);
    high = find_root(parent, high);
    if (low > high) {
      const Index other = low;
      low = high;
      high = other;
    }
    if (low == high || attach_root(parent, high, low)) break;
  }
  // Readers compare parents, not roots, so paths are kept short. Neither p nor q is a root now.
  if (p != low) store_parent(parent, p, low);
  if (q != low) store_parent(parent, q, low);
  return low != high;
}
