// Tests of points against blocks, put off until there are enough of them to hide their latency;
// then made in one loop, and the links that they find in another. Included once per SIMD target.
#if defined(KITH_GROUPS_JOIN_BATCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_GROUPS_JOIN_BATCH_INL_H_
#undef KITH_GROUPS_JOIN_BATCH_INL_H_
#else
#define KITH_GROUPS_JOIN_BATCH_INL_H_
#endif

#include "groups/join_nodes-inl.h"
#include "parallel/union_find.hpp"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// The sets that a join makes. While no other task touches them, links need no locked instruction.
class JoinSets : public UnionFind<std::uint32_t> {
 public:
  JoinSets(std::uint32_t* parent, bool is_shared) : UnionFind(parent), is_shared_(is_shared) {}

  HWY_INLINE void link(std::uint32_t p, std::uint32_t q) const {
    if (is_shared_)
      unite(p, q);
    else
      unite_alone(p, q);
  }

 private:
  bool is_shared_;
};

template <int D, class T, bool Packed>
class JoinBatch : protected JoinNodes<D, T, Packed> {
 public:
  JoinBatch(const JoinJob<T>& whole, JoinScratch& scratch, bool is_shared)
      : Nodes(whole),
        scratch_(scratch),
        sets_(whole.parent, is_shared),
        own_{0, whole.points},
        test_(scratch.test) {}

 protected:
  using Nodes = JoinNodes<D, T, Packed>;
  using Nodes::block;
  using Nodes::box;
  using Nodes::job;
  using Nodes::level_at;
  using Nodes::load_point;
  using Nodes::reach;
  using typename Nodes::Box;
  using typename Nodes::Chunks;
  using typename Nodes::Index;

  /// In cells, blocks are shared by leaves: from now on links are made with these points alone.
  void set_own(IndexRange own) { own_ = own; }

  /// Adds the pairs of a point of the leaf and a block of the n leaves. No branch depends on the
  /// points. Lanes of a source block that belong to other leaves (cells) do no harm: their links
  /// are links. (Taking the points of whichever block has fewer near the other leaf makes half as
  /// many tests, and no difference to the time.)
  template <bool Wrap>
  HWY_INLINE void put_off(Index leaf, const Index* HWY_RESTRICT near, std::size_t n) {
    if (wraps_ != Wrap) finish_batch();
    wraps_ = Wrap;
    for (Chunks mine(level_at(1), leaf); !mine.is_done(); mine.next()) {
      const T* HWY_RESTRICT points = block(mine.index());
      for (std::size_t i = 0; i < n; ++i) {
        const unsigned lanes = points_near<Wrap>(box(1, near[i]), points, reach()) & mine.lanes();
        for (Chunks at(level_at(1), near[i]); !at.is_done(); at.next()) {
          test_ = append_pairs(test_, mine.base(), lanes, at.index());
          if (HWY_UNLIKELY(test_ > scratch_.test + JoinScratch::kBatch)) finish_batch();
        }
      }
    }
  }

  /// Makes the tests that were put off, and the links that they find.
  void finish_batch() {
    if (wraps_)
      link_all<true>();
    else
      link_all<false>();
  }

  JoinScratch& scratch_;
  JoinSets sets_;

 private:
  template <bool Wrap>
  HWY_NOINLINE void link_all() {
    const std::uint64_t* const end = test_;
    test_ = scratch_.test;
    std::uint64_t* HWY_RESTRICT hit = scratch_.hit;
    std::uint32_t* HWY_RESTRICT hit_lanes = scratch_.hit_lanes;
    std::size_t hits = 0;
    for (const std::uint64_t* HWY_RESTRICT test = test_; test < end; ++test) {
      const auto p = static_cast<Index>(*test >> 32), other = static_cast<Index>(*test);
      T x[kAxisRoom<D>];
      load_point(block(p / kWidth), p % kWidth, x);
      const unsigned near = points_near<Wrap>(x, block(other), reach()) & own_lanes(other) &
                            ~equal_parents(job().parent + other * kLanes, sets_.parent(p));
      hit[hits] = *test;
      hit_lanes[hits] = near;
      hits += near != 0;  // one count for both, or the compiler makes it a branch
    }
    for (std::size_t i = 0; i < hits; ++i)
      link_hit(static_cast<Index>(scratch_.hit[i] >> 32),
               static_cast<Index>(scratch_.hit[i]) * kWidth, scratch_.hit_lanes[i]);
  }

  /// Lanes of a block whose points this task may touch.
  HWY_INLINE unsigned own_lanes(Index i) const {
    if constexpr (Packed) return 0xff;  // nodes share no blocks
    const std::size_t base = std::size_t{i} * kLanes;
    unsigned lanes = 0xff;
    if (base < own_.begin) lanes &= 0xffu << (own_.begin - base);
    if (base + kLanes > own_.end) lanes &= 0xffu >> (base + kLanes - own_.end);
    return lanes;
  }

  /// Links p with lanes of a block, but not again with the set that it was linked with last. One by
  /// one: a vector load of parents that were stored a moment ago would wait for the stores.
  HWY_INLINE void link_hit(Index p, Index other, unsigned lanes) const {
    Index root = sets_.find(p), last = root;
    for (; lanes != 0; lanes &= lanes - 1) {
      const Index o = other + static_cast<Index>(std::countr_zero(lanes)), up = sets_.parent(o);
      if (up == root || up == last) continue;
      sets_.link(p, o);
      last = up;
      root = sets_.parent(p);
    }
  }

  IndexRange own_;
  std::uint64_t* test_;  // end of the batch
  bool wraps_ = false;   // the tests that are put off
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
