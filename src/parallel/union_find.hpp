// Sets that many threads join at once: lock-free union-find, the lower number becomes the root.
//
// The race argument. parent[i] <= i always, and parent[i] only ever moves to a smaller member of
// the same set: (1) `unite` writes to a root only by compare-and-swap, expecting the root to point
// at itself, so two threads cannot both attach it and no link is lost (swapping against a
// value that was just read again, instead of the root that was found, would lose one); (2) `find`
// shortens a path by storing the grandparent, which remains an ancestor. A store of (2) may
// overwrite another store of (2) with an older ancestor: still an ancestor, only a longer path. It
// cannot overwrite (1), because (1) changes a root, and (2) writes only to entries that were seen
// not to be roots, and an entry that is not a root never becomes one again. All accesses are
// relaxed atomics: the array holds no pointer to other data, and the end of the parallel loop
// orders the threads' other memory accesses. Devices compile the same text.
#pragma once

#include <atomic>
#include <cstddef>

namespace kith {

/// Sets as operations on an array of parents.
namespace sets {

/// An array of parents. If no other thread changes it (IsShared = false), a link needs no locked
/// instruction.
template <class Index, bool IsShared>
struct ParentArray {
  Index* parent;
};

template <class Index, bool IsShared>
Index load_parent(ParentArray<Index, IsShared> of, Index i) {
  return std::atomic_ref<Index>(of.parent[i]).load(std::memory_order_relaxed);
}

template <class Index, bool IsShared>
void store_parent(ParentArray<Index, IsShared> of, Index i, Index up) {
  std::atomic_ref<Index>(of.parent[i]).store(up, std::memory_order_relaxed);
}

template <class Index>
bool attach_root(ParentArray<Index, true> of, Index root, Index below) {
  return std::atomic_ref<Index>(of.parent[root])
      .compare_exchange_weak(root, below, std::memory_order_relaxed);
}
template <class Index>
bool attach_root(ParentArray<Index, false> of, Index root, Index below) {
  store_parent(of, root, below);
  return true;
}

#define KITH_SETS                       \
  template <class Parents, class Index> \
  inline
#include "parallel/sets-inl.h"
#undef KITH_SETS

}  // namespace sets

template <class Index>
class UnionFind {
 public:
  /// Over memory of the caller, which holds the parents. Call `reset` for every i before use.
  explicit UnionFind(Index* parent) : parent_{parent} {}

  void reset(Index i) const { set(i, i); }
  /// Instead of `reset`: makes `up`, a member of i's set with up <= i, the parent of i.
  void set(Index i, Index up) const { sets::store_parent(parent_, i, up); }

  /// The parent as seen now. Equal parents mean one set; different ones mean nothing.
  Index parent(Index i) const { return sets::load_parent(parent_, i); }

  /// The root of i's set as of now: the smallest member that is linked so far.
  Index find(Index i) const { return sets::find_root(parent_, i); }

  /// Once all sets are joined: makes i point at its root, which it returns. Must not run
  /// concurrently with `find`.
  Index flatten(Index i) const { return sets::flatten(parent_, i); }

  /// Merges the sets of i and j. Returns true if this call joined them.
  bool unite(Index i, Index j) const { return sets::unite(parent_, i, j); }

  /// Merges two sets that no other thread touches meanwhile, without the cost of a locked
  /// instruction.
  bool unite_alone(Index i, Index j) const {
    return sets::unite(sets::ParentArray<Index, false>{parent_.parent}, i, j);
  }

 private:
  sets::ParentArray<Index, true> parent_;
};

}  // namespace kith
