// Sets that many threads join at once: lock-free union-find, the lower number becomes the root.
//
// The race argument. parent[i] <= i always, and parent[i] only ever moves to a smaller member of
// the same set: (1) `unite` writes to a root only by compare-and-swap, expecting the root to point
// at itself, so two threads cannot both attach it and no link is lost (swapping against a
// value that was just read again, instead of the root that was found, would lose one); (2) `find`
// shortens a path by storing the grandparent, which is an ancestor for good. A store of (2) may
// overwrite another store of (2) with an older ancestor: still an ancestor, only a longer path. It
// cannot overwrite (1), because (1) changes a root, and (2) writes only to entries that were seen
// not to be roots, and an entry that is not a root never becomes one again. All accesses are
// relaxed atomics: the array holds no pointer to other data, and what a thread must see of the
// others' work is ordered by the end of the parallel loop.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace kith {

template <class Index>
class UnionFind {
 public:
  /// Over memory of the caller, which holds the parents. Call `reset` for every i before use.
  explicit UnionFind(Index* parent) : parent_(parent) {}

  void reset(Index i) const { store(i, i); }
  /// At the start, instead: puts i below a point of its set that is not higher, or at itself.
  void set(Index i, Index up) const { store(i, up); }

  /// The parent as seen now. Equal parents mean one set; different ones mean nothing.
  Index parent(Index i) const {
    return std::atomic_ref<Index>(parent_[i]).load(std::memory_order_relaxed);
  }

  /// The root of i's set as of now: the smallest member that is linked so far.
  Index find(Index i) const {
    for (Index up = parent(i); up != i;) {
      const Index above = parent(up);
      if (above == up) return up;
      store(i, above);
      i = above;
      up = parent(i);
    }
    return i;
  }

  /// Once all sets are joined: makes i point at its root, which it returns. Calls for different i
  /// may run at once, for they write to their own i alone; a `find` beside them could undo one with
  /// an older ancestor.
  Index flatten(Index i) const {
    Index root = parent(i);
    for (Index up = parent(root); up != root; up = parent(root)) root = up;
    store(i, root);
    return root;
  }

  /// Makes one set of the sets of i and j. Returns true if this call joined them.
  bool unite(Index i, Index j) const { return unite<true>(i, j); }

  /// The same while no other thread touches the two sets: without the cost of a locked instruction.
  bool unite_alone(Index i, Index j) const { return unite<false>(i, j); }

 private:
  template <bool IsShared>
  bool unite(const Index p, const Index q) const {
    Index i = p, j = q;
    for (;;) {
      i = find(i);
      j = find(j);
      if (i > j) std::swap(i, j);
      if (i == j || hang<IsShared>(j, i)) break;
    }
    // Short paths: readers compare parents, not roots. A store of kind (2), as neither is a root
    // now.
    if (p != i) store(p, i);
    if (q != i) store(q, i);
    return i != j;
  }

  /// Hangs a root below a lower one if it still is a root.
  template <bool IsShared>
  bool hang(Index root, Index below) const {
    if constexpr (!IsShared) {
      store(root, below);
      return true;
    }
    return std::atomic_ref<Index>(parent_[root])
        .compare_exchange_weak(root, below, std::memory_order_relaxed);
  }

  void store(Index i, Index up) const {
    std::atomic_ref<Index>(parent_[i]).store(up, std::memory_order_relaxed);
  }

  Index* parent_;
};

}  // namespace kith
