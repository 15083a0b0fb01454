// The task of one node in the join of a tree with itself; see join.hpp. Included once per SIMD
// target.
//
// Why it is exact: bounds between boxes need no margin (geometry/distance.hpp), so a box bound
// beyond the reach excludes every pair, and a diagonal within it links every pair. If L - (the
// largest extent from a node to any point) is out of reach on every periodic axis, no link of the
// node crosses an edge, and |p - q| alone decides as min(|p - q|, L - |p - q|) does: where the two
// differ, both are out of reach. Hence Wrap = false away from the edge.
#if defined(KITH_GROUPS_JOIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_GROUPS_JOIN_INL_H_
#undef KITH_GROUPS_JOIN_INL_H_
#else
#define KITH_GROUPS_JOIN_INL_H_
#endif

#include "groups/join_batch-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T, bool Packed>
class Joiner : JoinBatch<D, T, Packed> {
  using Batch = JoinBatch<D, T, Packed>;

 public:
  using Batch::Batch;
  using typename Batch::Index;

  /// Round one: links inside a node of the task level.
  void join_inside(Index node) {
    // If nodes above are tight, the highest one gives the root.
    for (int level = job().top(); level > job().task_level; --level)
      if (const Index above = ancestor(level, node); is_one(level, above))
        return fuse(job().task_level, node, first_point(level, above));
    inside(job().task_level, node);
  }

  /// Round two: links of the node with all later nodes of its level.
  void join_outside(Index node) {
    const int top = job().top();
    if (job().task_level == top) return;
    Index* list = scratch_.room(top, 1);
    list[0] = 0;
    std::size_t n = 1;
    for (int level = top - 1; level >= job().task_level; --level) {
      const bool is_last = level == job().task_level;
      const Index self = is_last ? node : ancestor(level, node);
      n = gather<true>(level, self, is_last ? self + 1 : self, n);
    }
    visit<true>(job().task_level, node, n);
    finish_batch();
  }

 private:
  static constexpr Index none = 0xffffffff;

  using Batch::ancestor;
  using Batch::block;
  using Batch::box;
  using Batch::children;
  using Batch::chunk;
  using Batch::end_point;
  using Batch::finish_batch;
  using Batch::first_point;
  using Batch::is_at_edge;
  using Batch::is_one;
  using Batch::is_tight;
  using Batch::job;
  using Batch::level_at;
  using Batch::load_point;
  using Batch::reach;
  using Batch::scratch_;
  using Batch::set_own;
  using Batch::sets_;
  using typename Batch::Box;
  using typename Batch::Chunks;

  /// Makes one set of a tight node.
  void fuse(int level, Index node, Index root) const {
    const Index end = end_point(level, node);
    for (Index i = first_point(level, node); i < end; ++i) sets_.set(i, root);
    IndexRange nodes{node, std::size_t{node} + 1};
    for (; level > 0; --level) {
      std::fill(level_at(level).is_one + nodes.begin, level_at(level).is_one + nodes.end,
                std::uint8_t{1});
      nodes = {children(level, static_cast<Index>(nodes.begin)).begin,
               children(level, static_cast<Index>(nodes.end - 1)).end};
    }
  }

  // ---- round one

  void inside(int level, Index node) {
    if (is_tight(level, node)) return fuse(level, node, first_point(level, node));
    level_at(level).is_one[node] = 0;  // until its children are linked
    if (level == 1) return inside_leaf(node);
    const IndexRange range = children(level, node);
    const auto begin = static_cast<Index>(range.begin), end = static_cast<Index>(range.end);
    for (Index child = begin; child < end; ++child) inside(level - 1, child);
    set_own({first_point(level, node), end_point(level, node)});
    link_children(level, node);
    refresh(level - 1, begin, end);
    level_at(level).is_one[node] = are_one(level - 1, begin, end);
  }

  void link_children(int level, Index node) {
    const IndexRange range = children(level, node);
    const bool wraps = is_at_edge(level, node);
    scratch_.room(level, 1)[0] = node;
    for (auto child = static_cast<Index>(range.begin); child + 1 < range.end; ++child) {
      if (wraps)
        visit<true>(level - 1, child, gather<true>(level - 1, child, child + 1, 1));
      else
        visit<false>(level - 1, child, gather<false>(level - 1, child, child + 1, 1));
    }
    finish_batch();
  }

  /// Notes which of these nodes have become one by links outside them.
  void refresh(int level, Index begin, Index end) const {
    for (Index node = begin; node < end; ++node) {
      if (is_one(level, node)) continue;
      const IndexRange range = children(level, node);
      level_at(level).is_one[node] =
          are_one(level - 1, static_cast<Index>(range.begin), static_cast<Index>(range.end));
    }
  }

  /// Are all these nodes, or these points, known to be in one set?
  bool are_one(int level, Index begin, Index end) const {
    const Index root = sets_.find(first_point(level, begin));
    for (Index node = begin; node < end; ++node)
      if ((level > 0 && !is_one(level, node)) || sets_.find(first_point(level, node)) != root)
        return false;
    return true;
  }

  void inside_leaf(Index leaf) {
    set_own({first_point(1, leaf), end_point(1, leaf)});
    const bool wraps = is_at_edge(1, leaf);
    std::size_t chunks = 0;
    for (Chunks at(level_at(1), leaf); !at.is_done(); at.next(), ++chunks) {
      if (wraps)
        close_block<true>(at.index(), at.lanes());
      else
        close_block<false>(at.index(), at.lanes());
    }
    if constexpr (!Packed) {
      if (chunks > 1) put_off_inside(leaf, wraps);
    }
    level_at(1).is_one[leaf] = are_one(0, first_point(1, leaf), end_point(1, leaf));
  }

  void put_off_inside(Index leaf, bool wraps) {
    if (wraps)
      this->template put_off<true>(leaf, &leaf, 1);
    else
      this->template put_off<false>(leaf, &leaf, 1);
    finish_batch();
  }

  /// Sets among lanes of one block: an 8 x 8 matrix of bits, row i and column j: i and j are
  /// linked; then its transitive closure. An unused lane is a set of its own that nothing meets.
  template <bool Wrap>
  void close_block(Index i, unsigned lanes) const {
    constexpr std::uint64_t kColumn = 0x0101010101010101;
    const T* HWY_RESTRICT points = block(i);
    const auto base = i * kWidth;
    std::uint64_t links = 0;
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      T x[kAxisRoom<D>];
      load_point(points, lane, x);
      links |= std::uint64_t{points_near<Wrap>(x, points, reach()) & lanes} << (8 * lane);
    }
    for (unsigned lane = 0; lane < kLanes; ++lane)
      links |= (links >> lane & kColumn) * (links >> (8 * lane) & 0xff);
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint64_t row = links >> (8 * lane) & 0xff;
      sets_.set(base + lane, base + (row != 0 ? static_cast<Index>(std::countr_zero(row)) : lane));
    }
  }

  // ---- lists

  /// The nodes of `level`, not before `from`, that are near `node`: from the n nodes of the level
  /// above that the scratch lists. Returns their number.
  template <bool Wrap>
  std::size_t gather(int level, Index node, Index from, std::size_t n) {
    const JoinLevel<T>& above = level_at(level + 1);
    const Index* HWY_RESTRICT parents = scratch_.near[static_cast<std::size_t>(level) + 1].data();
    std::size_t chunks = n;
    if constexpr (!Packed) {
      chunks = 0;
      for (std::size_t i = 0; i < n; ++i) chunks += Chunks(above, parents[i]).count();
    }
    Index* const list = scratch_.room(level, (chunks + 1) * kLanes);
    const Box q = box(level, node);
    const Index root = is_one(level, node) ? sets_.find(first_point(level, node)) : none;
    Index* HWY_RESTRICT out = list;
    for (std::size_t i = 0; i < n; ++i) {
      const Index parent = parents[i];
      if (root != none && above.is_one[parent] &&
          sets_.find(first_point(level + 1, parent)) == root)
        continue;
      for (Chunks at(above, parent); !at.is_done(); at.next()) {
        const unsigned near = boxes_near<Wrap>(q, chunk(level, at.index()), reach());
        out = append(out, at.base(), near & at.lanes() & lanes_from(at.base(), from));
      }
    }
    return static_cast<std::size_t>(out - list);
  }
  static HWY_INLINE unsigned lanes_from(Index base, Index from) {
    if (base >= from) return 0xff;
    return from - base < kLanes ? 0xffu << (from - base) & 0xff : 0;
  }

  /// All links between `node` and the n nodes in the list of its level.
  template <bool Wrap>
  void visit(int level, Index node, std::size_t n) {
    if (n == 0) return;
    if constexpr (Wrap) {
      if (!is_at_edge(level, node)) return visit<false>(level, node, n);
    }
    if (level == 1) return link_leaf<Wrap>(node, n);
    if (is_one(level, node)) {
      const Box q = box(level, node);
      const Index* near = scratch_.near[static_cast<std::size_t>(level)].data();
      for (std::size_t i = 0; i < n; ++i) meet<Wrap>({level, node}, q, {level, near[i]});
      return;
    }
    const IndexRange range = children(level, node);
    for (auto child = static_cast<Index>(range.begin); child < range.end; ++child)
      visit<Wrap>(level - 1, child, gather<Wrap>(level - 1, child, 0, n));
  }

  // ---- nodes that are one

  struct Place {
    int level;
    Index node;
  };

  /// `one` with box q against any node near it.
  template <bool Wrap>
  void meet(Place one, const Box& q, Place other) {
    const Index p = first_point(one.level, one.node);
    if (is_one(other.level, other.node)) {
      const Index o = first_point(other.level, other.node);
      if (sets_.find(p) != sets_.find(o) && have_link<Wrap>(one, other)) sets_.link(p, o);
      return;
    }
    for (Chunks at(level_at(other.level), other.node); !at.is_done(); at.next()) {
      if (other.level == 1) {
        meet_points<Wrap>(one, q, at.index(), at.lanes());
        continue;
      }
      unsigned near = boxes_near<Wrap>(q, chunk(other.level - 1, at.index()), reach()) & at.lanes();
      for (; near != 0; near &= near - 1)
        meet<Wrap>(one, q,
                   {other.level - 1, at.base() + static_cast<Index>(std::countr_zero(near))});
    }
  }
  template <bool Wrap>
  void meet_points(Place one, const Box& q, Index i, unsigned lanes) {
    const T* HWY_RESTRICT points = block(i);
    const Index p = first_point(one.level, one.node);
    for (unsigned near = points_near<Wrap>(q, points, reach()) & lanes; near != 0;
         near &= near - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(near));
      const Index o = i * kWidth + lane;
      if (o >= job().points) return;
      T x[kAxisRoom<D>];
      load_point(points, lane, x);
      if (sets_.find(p) != sets_.find(o) && has_point_near<Wrap>(x, one)) sets_.link(p, o);
    }
  }

  /// Is any point of a linked with any of b? The nodes are near each other.
  template <bool Wrap>
  bool have_link(Place a, Place b) const {
    if (a.level < b.level) std::swap(a, b);
    if (a.level == 1) return leaves_have_link<Wrap>(a.node, b.node);
    const Box q = box(b.level, b.node);
    for (Chunks at(level_at(a.level), a.node); !at.is_done(); at.next()) {
      unsigned near = boxes_near<Wrap>(q, chunk(a.level - 1, at.index()), reach()) & at.lanes();
      for (; near != 0; near &= near - 1)
        if (have_link<Wrap>({a.level - 1, at.base() + static_cast<Index>(std::countr_zero(near))},
                            b))
          return true;
    }
    return false;
  }
  template <bool Wrap>
  HWY_INLINE bool leaves_have_link(Index a, Index b) const {
    const Box box_a = box(1, a), box_b = box(1, b);
    for (Chunks at_a(level_at(1), a); !at_a.is_done(); at_a.next()) {
      const T* block_a = block(at_a.index());
      const unsigned lanes_a = points_near<Wrap>(box_b, block_a, reach()) & at_a.lanes();
      if (lanes_a == 0) continue;
      for (Chunks at_b(level_at(1), b); !at_b.is_done(); at_b.next()) {
        const T* block_b = block(at_b.index());
        const unsigned lanes_b = points_near<Wrap>(box_a, block_b, reach()) & at_b.lanes();
        const bool is_a_fewer = std::popcount(lanes_a) < std::popcount(lanes_b);
        if (is_a_fewer ? any_is_near<Wrap>(block_a, lanes_a, block_b, lanes_b)
                       : any_is_near<Wrap>(block_b, lanes_b, block_a, lanes_a))
          return true;
      }
    }
    return false;
  }
  /// Some lanes of a block, one by one, against some lanes of another.
  template <bool Wrap>
  HWY_INLINE bool any_is_near(const T* points, unsigned lanes, const T* others,
                              unsigned other_lanes) const {
    for (; lanes != 0; lanes &= lanes - 1) {
      T x[kAxisRoom<D>];
      load_point(points, static_cast<unsigned>(std::countr_zero(lanes)), x);
      if (points_near<Wrap>(x, others, reach()) & other_lanes) return true;
    }
    return false;
  }
  template <bool Wrap>
  bool has_point_near(const T* x, Place a) const {
    for (Chunks at(level_at(a.level), a.node); !at.is_done(); at.next()) {
      if (a.level == 1) {
        if (points_near<Wrap>(x, block(at.index()), reach()) & at.lanes()) return true;
        continue;
      }
      unsigned near = boxes_near<Wrap>(x, chunk(a.level - 1, at.index()), reach()) & at.lanes();
      for (; near != 0; near &= near - 1)
        if (has_point_near<Wrap>(
                x, {a.level - 1, at.base() + static_cast<Index>(std::countr_zero(near))}))
          return true;
    }
    return false;
  }

  // ---- leaves

  /// Leaf against the n leaves in the list. A pair of leaves that are one is settled at once: most
  /// are in one set, others need one link. (With all pairs in the batch, 19 of 20 of its links were
  /// known.)
  template <bool Wrap>
  void link_leaf(Index leaf, std::size_t n) {
    Index* HWY_RESTRICT near = scratch_.near[1].data();
    if (is_one(1, leaf)) {
      const Index p = first_point(1, leaf);
      Index root = sets_.find(p);
      std::size_t rest = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const Index other = near[i];
        near[rest] = other;
        rest += !is_one(1, other);
        if (!is_one(1, other)) continue;
        const Index o = first_point(1, other);
        if (sets_.find(o) == root || !leaves_have_link<Wrap>(leaf, other)) continue;
        sets_.link(p, o);
        root = sets_.find(p);
      }
      n = rest;
    }
    this->template put_off<Wrap>(leaf, near, n);
  }
};

template <int D, bool Packed, class T>
void run_task(const JoinJob<T>& job, JoinRound round, std::uint32_t node, JoinScratch& scratch) {
  if (round == JoinRound::inside)
    Joiner<D, T, Packed>(job, scratch, false).join_inside(node);
  else
    Joiner<D, T, Packed>(job, scratch, true).join_outside(node);
}

template <bool Packed, class T>
void run_task_of_dimension(const JoinJob<T>& job, JoinRound round, std::uint32_t node,
                           JoinScratch& scratch) {
  switch (job.dimension) {
    case 2: return run_task<2, Packed>(job, round, node, scratch);
    case 3: return run_task<3, Packed>(job, round, node, scratch);
    default: return run_task<kAnyDimension, Packed>(job, round, node, scratch);
  }
}

template <class T>
void run_any_task(const JoinJob<T>& job, JoinRound round, std::uint32_t node,
                  JoinScratch& scratch) {
  if (job.is_packed)
    run_task_of_dimension<true>(job, round, node, scratch);
  else
    run_task_of_dimension<false>(job, round, node, scratch);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
