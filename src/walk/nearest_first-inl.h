// The nearest points of one query, for which a radius is known that holds enough: nodes are visited
// nearest first, their points within the radius are appended without a branch, and the radius
// shrinks whenever much more than enough came together. No heap and no sorted list, so it takes a
// third of the time of a best-first walk, but it cannot end among points of equal distance: when
// these are too many it gives up.
#if defined(KITH_WALK_NEAREST_FIRST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_WALK_NEAREST_FIRST_INL_H_
#undef KITH_WALK_NEAREST_FIRST_INL_H_
#else
#define KITH_WALK_NEAREST_FIRST_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <hwy/highway.h>
#include <vector>

#include "kernels/keys-inl.h"
#include "kernels/rank-inl.h"
#include "walk/sources-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T, class Norm = Squares>
class NearestFirst {
 public:
  NearestFirst(const Sources<D, T, Norm>& sources, std::size_t need)
      : sources_(sources), need_(need), many_(2 * need + 4 * kLanes) {}

  /// Candidates that a slot must have room for, and a vector.
  std::size_t room() const { return 2 * many_ + kLanes * kLanes; }

  /// Puts all points that may be among those needed, and are within r2 (finite), into the slot;
  /// false if there are too many at the same distance.
  template <bool Wrap>
  HWY_NOINLINE bool search(const T* point, T r2, const Slots<T>& slot, std::size_t& count) {
    const PointProbe<D, T> q(point, kLanes, sources_.axes());
    count = 0;
    nodes_.clear();
    const int entry = sources_.tree().entry();
    nodes_.push_back({0, 0, entry});
    for (std::size_t steps = 1; !nodes_.empty(); ++steps) {
      if (steps % 1024 == 0) sources_.look();
      const Node node = nodes_.back();
      nodes_.pop_back();
      if (node.lower2 > r2) continue;
      if (node.plane > 0) {
        push_children<Wrap>(q, r2, node);
        continue;
      }
      add_leaves<Wrap>(q, r2, node.chunk, slot, count);
      if (count <= many_) continue;
      r2 = std::min(r2, rank_bound(slot.d2, count, need_));
      count = keep_within(slot.d2, slot.index, count, r2);
      if (count > 2 * many_) return false;
    }
    return true;
  }

 private:
  /// A chunk of nodes, the children of one.
  struct Node {
    T lower2;
    std::uint32_t chunk;
    int plane;
  };

  /// Which nodes of a chunk are within r2, and how far they are.
  template <bool Wrap>
  HWY_INLINE unsigned in_reach(const PointProbe<D, T>& q, T r2, int plane, std::size_t chunk,
                               T* HWY_RESTRICT lower) const {
    const Tag<T> tag;
    const Axes<D> axes = sources_.axes();
    const T* boxes = sources_.tree().chunk(plane, chunk, axes);
    unsigned bits = 0;
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
      const auto d2 = lower2<Wrap>(q, ChunkColumns<D, T>{boxes + lane, axes}, sources_.side(), axes,
                                   sources_.norm());
      hn::Store(d2, tag, lower + lane);
      bits |= bits_of(tag, hn::Le(d2, hn::Set(tag, r2))) << lane;
    }
    return bits;
  }

  /// The nearest child comes to the end, from where it is taken.
  template <bool Wrap>
  HWY_INLINE void push_children(const PointProbe<D, T>& q, T r2, const Node& parent) {
    alignas(64) T lower[kLanes];
    unsigned bits = in_reach<Wrap>(q, r2, parent.plane, parent.chunk, lower);
    const std::size_t begin = nodes_.size();
    for (; bits != 0; bits &= bits - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(bits));
      const Node node{lower[lane], parent.chunk * std::uint32_t{kLanes} + lane, parent.plane - 1};
      std::size_t at = nodes_.size();
      nodes_.push_back(node);
      for (; at > begin && nodes_[at - 1].lower2 < node.lower2; --at) nodes_[at] = nodes_[at - 1];
      nodes_[at] = node;
    }
  }

  /// The points of a chunk of leaves.
  template <bool Wrap>
  HWY_INLINE void add_leaves(const PointProbe<D, T>& q, T r2, std::size_t chunk,
                             const Slots<T>& slot, std::size_t& count) const {
    const Tag<T> tag;
    const hn::Rebind<std::uint32_t, Tag<T>> word;
    const Axes<D> axes = sources_.axes();
    const auto reach = hn::Set(tag, r2);
    alignas(64) T lower[kLanes];
    for (unsigned leaves = in_reach<Wrap>(q, r2, 0, chunk, lower); leaves != 0;
         leaves &= leaves - 1) {
      const auto leaf = chunk * kLanes + static_cast<std::size_t>(std::countr_zero(leaves));
      const T* block = sources_.tree().block(leaf, axes);
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
        const auto d2 = distance2<Wrap>(q, PointColumns<T>{block + lane}, sources_.side(), axes,
                                        sources_.norm());
        const unsigned bits = bits_of(tag, hn::Le(d2, reach));
        append(tag, d2, bits, slot.d2 + count);
        append(word, hn::LoadU(word, indices_of(block, axes) + lane), bits, slot.index + count);
        count += count_bits(bits);
      }
    }
  }

  const Sources<D, T, Norm>& sources_;
  std::size_t need_;
  std::size_t many_;  ///< the radius shrinks when more are collected
  std::vector<Node> nodes_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
