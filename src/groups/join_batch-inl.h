// Tests of points against blocks, collected until there are enough of them to hide their latency;
// then run in one loop, and the links that they find made in another. Included once per SIMD
// target.
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
class JoinBatch {
 public:
  using Nodes = JoinNodes<D, T, Packed>;
  using Index = typename Nodes::Index;
  using Chunks = typename Nodes::Chunks;

  JoinBatch(const Nodes& nodes, const JoinSets& sets, JoinScratch& scratch)
      : nodes_(nodes),
        sets_(sets),
        scratch_(scratch),
        own_{0, nodes.job().planes.points},
        test_(scratch.test) {}

  /// In cells, blocks are shared by leaves: from now on links are made with these points alone.
  void set_own(IndexRange own) { own_ = own; }

  /// Adds the pairs of a point of the leaf and a block of the n leaves. No branch depends on the
  /// points. Lanes of a source block that belong to other leaves (cells) do no harm: their links
  /// are links. (Taking the points of whichever block has fewer near the other leaf makes half as
  /// many tests, and no difference to the time.)
  template <bool Wrap>
  HWY_INLINE void add_tests(Index leaf, const Index* HWY_RESTRICT near, std::size_t n) {
    if (wraps_ != Wrap) finish();
    wraps_ = Wrap;
    for (Chunks mine(nodes_.at(1), leaf); !mine.is_done(); mine.next()) {
      const T* HWY_RESTRICT points = nodes_.block(mine.index());
      for (std::size_t i = 0; i < n; ++i) {
        const unsigned lanes =
            points_near<Wrap>(nodes_.box(1, near[i]), points, nodes_.reach()) & mine.lanes();
        for (Chunks at(nodes_.at(1), near[i]); !at.is_done(); at.next()) {
          test_ = append_pairs(test_, mine.base(), lanes, at.index());
          if (HWY_UNLIKELY(test_ > scratch_.test + JoinScratch::kBatch)) finish();
        }
      }
    }
  }

  /// Runs the tests that wait, and makes the links that they find.
  void finish() {
    if (wraps_)
      link_all<true>();
    else
      link_all<false>();
  }

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
      nodes_.load_point(nodes_.block(p / kWidth), p % kWidth, x);
      const unsigned near = points_near<Wrap>(x, nodes_.block(other), nodes_.reach()) &
                            own_lanes(other) &
                            ~equal_parents(nodes_.job().parent + other * kLanes, sets_.parent(p));
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

  // Copies: a few pointers that the loops then need not fetch through another object.
  const Nodes nodes_;
  const JoinSets sets_;
  JoinScratch& scratch_;
  IndexRange own_;
  std::uint64_t* test_;  // end of the batch
  bool wraps_ = false;   // the tests that wait
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
