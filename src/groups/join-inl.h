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

#include "groups/components-inl.h"
#include "groups/join_batch-inl.h"
#include "groups/join_gaps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T, bool Packed>
class Joiner {
  using Nodes = JoinNodes<D, T, Packed>;
  using NodeBox = typename Nodes::NodeBox;
  using Chunks = typename Nodes::Chunks;

 public:
  using Index = typename Nodes::Index;

  Joiner(const JoinJob<T>& job, JoinScratch& scratch, bool is_shared)
      : nodes_(job),
        sets_(job.parent, is_shared),
        scratch_(scratch),
        components_(nodes_, sets_),
        batch_(nodes_, sets_, scratch),
        gaps_(nodes_) {}

  /// Round one: links inside a node of the task height.
  void join_inside(Index node) {
    // If nodes above are tight, the highest one gives the root.
    for (int height = nodes_.job().top(); height > nodes_.job().task_height; --height)
      if (const Index above = nodes_.ancestor(height, node); nodes_.is_joined(height, above))
        return fuse(nodes_.job().task_height, node, nodes_.first_point(height, above));
    join_below(nodes_.job().task_height, node);
  }

  /// Round two: links of the node with all later nodes of its height.
  void join_outside(Index node) {
    const int top = nodes_.job().top();
    if (nodes_.job().task_height == top) return;
    Index* list = scratch_.room(top, 1);
    list[0] = 0;
    std::size_t n = 1;
    for (int height = top - 1; height >= nodes_.job().task_height; --height) {
      const bool is_last = height == nodes_.job().task_height;
      const Index self = is_last ? node : nodes_.ancestor(height, node);
      n = gather<true>(height, self, is_last ? self + 1 : self, n);
    }
    visit<true>(nodes_.job().task_height, node, n);
    batch_.finish();
  }

 private:
  /// Makes one set of a tight node.
  void fuse(int height, Index node, Index root) const {
    const Index end = nodes_.end_point(height, node);
    for (Index i = nodes_.first_point(height, node); i < end; ++i) sets_.set(i, root);
    IndexRange nodes{node, std::size_t{node} + 1};
    for (; height > 0; --height) {
      nodes_.set_joined(height, nodes);
      nodes = {nodes_.children(height, static_cast<Index>(nodes.begin)).begin,
               nodes_.children(height, static_cast<Index>(nodes.end - 1)).end};
    }
  }

  // ---- round one

  void join_below(int height, Index node) {
    if (nodes_.is_tight(height, node)) return fuse(height, node, nodes_.first_point(height, node));
    nodes_.set_joined(height, node, false);  // until its children are linked
    if (height == 1) return inside_leaf(node);
    const IndexRange range = nodes_.children(height, node);
    const auto begin = static_cast<Index>(range.begin), end = static_cast<Index>(range.end);
    for (Index child = begin; child < end; ++child) join_below(height - 1, child);
    batch_.set_own({nodes_.first_point(height, node), nodes_.end_point(height, node)});
    link_children(height, node);
    components_.refresh(height - 1, begin, end);
    nodes_.set_joined(height, node, components_.are_joined(height - 1, begin, end));
  }

  void link_children(int height, Index node) {
    const IndexRange range = nodes_.children(height, node);
    const bool wraps = nodes_.is_at_edge(height, node);
    scratch_.room(height, 1)[0] = node;
    for (auto child = static_cast<Index>(range.begin); child + 1 < range.end; ++child) {
      if (wraps)
        visit<true>(height - 1, child, gather<true>(height - 1, child, child + 1, 1));
      else
        visit<false>(height - 1, child, gather<false>(height - 1, child, child + 1, 1));
    }
    batch_.finish();
  }

  void inside_leaf(Index leaf) {
    batch_.set_own({nodes_.first_point(1, leaf), nodes_.end_point(1, leaf)});
    const bool wraps = nodes_.is_at_edge(1, leaf);
    std::size_t chunks = 0;
    for (Chunks at(nodes_.at(1), leaf); !at.is_done(); at.next(), ++chunks) {
      if (wraps)
        close_block<true>(at.index(), at.lanes());
      else
        close_block<false>(at.index(), at.lanes());
    }
    if constexpr (!Packed) {
      if (chunks > 1) test_inside(leaf, wraps);
    }
    nodes_.set_joined(
        1, leaf, components_.are_joined(0, nodes_.first_point(1, leaf), nodes_.end_point(1, leaf)));
  }

  void test_inside(Index leaf, bool wraps) {
    if (wraps)
      batch_.template add_tests<true>(leaf, &leaf, 1);
    else
      batch_.template add_tests<false>(leaf, &leaf, 1);
    batch_.finish();
  }

  /// Sets among lanes of one block: an 8 x 8 matrix of bits, row i and column j: i and j are
  /// linked; then its transitive closure. An unused lane is a separate set that nothing meets.
  template <bool Wrap>
  void close_block(Index i, unsigned lanes) const {
    constexpr std::uint64_t kColumn = 0x0101010101010101;
    const T* HWY_RESTRICT points = nodes_.block(i);
    const auto base = i * kWidth;
    std::uint64_t links = 0;
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      T x[kAxisRoom<D>];
      nodes_.load_point(points, lane, x);
      links |= std::uint64_t{points_near<Wrap>(x, points, nodes_.reach()) & lanes} << (8 * lane);
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

  /// The nodes of `height`, not before `from`, that are near `node`: from the n nodes of the height
  /// above that the scratch lists. Returns their number.
  template <bool Wrap>
  std::size_t gather(int height, Index node, Index from, std::size_t n) {
    const PlaneView<T>& above = nodes_.at(height + 1);
    const Index* HWY_RESTRICT parents = scratch_.near[static_cast<std::size_t>(height) + 1].data();
    std::size_t chunks = n;
    if constexpr (!Packed) {
      chunks = 0;
      for (std::size_t i = 0; i < n; ++i) chunks += Chunks(above, parents[i]).count();
    }
    Index* const list = scratch_.room(height, (chunks + 1) * kLanes);
    const NodeBox q = nodes_.box(height, node);
    const Index root = components_.of(height, node);
    Index* HWY_RESTRICT out = list;
    for (std::size_t i = 0; i < n; ++i) {
      const Index parent = parents[i];
      if (root != kMixed && nodes_.is_joined(height + 1, parent) &&
          sets_.find(nodes_.first_point(height + 1, parent)) == root)
        continue;
      for (Chunks at(above, parent); !at.is_done(); at.next()) {
        const unsigned near = boxes_near<Wrap>(q, nodes_.chunk(height, at.index()), nodes_.reach());
        out = append(out, at.base(), near & at.lanes() & lanes_from(at.base(), from));
      }
    }
    return static_cast<std::size_t>(out - list);
  }
  static HWY_INLINE unsigned lanes_from(Index base, Index from) {
    if (base >= from) return 0xff;
    return from - base < kLanes ? 0xffu << (from - base) & 0xff : 0;
  }

  /// All links between `node` and the n nodes in the list of its height.
  template <bool Wrap>
  void visit(int height, Index node, std::size_t n) {
    if (n == 0) return;
    if constexpr (Wrap) {
      if (!nodes_.is_at_edge(height, node)) return visit<false>(height, node, n);
    }
    if (height == 1) return link_leaf<Wrap>(node, n);
    if (nodes_.is_joined(height, node)) {
      const NodeBox q = nodes_.box(height, node);
      const Index* near = scratch_.near[static_cast<std::size_t>(height)].data();
      for (std::size_t i = 0; i < n; ++i)
        link_joined_with<Wrap>({height, node}, q, {height, near[i]});
      return;
    }
    const IndexRange range = nodes_.children(height, node);
    for (auto child = static_cast<Index>(range.begin); child < range.end; ++child)
      visit<Wrap>(height - 1, child, gather<Wrap>(height - 1, child, 0, n));
  }

  // ---- joined nodes

  struct Place {
    int height;
    Index node;
  };

  /// Links a joined node with box q with any node near it.
  template <bool Wrap>
  void link_joined_with(Place joined, const NodeBox& q, Place other) {
    const Index p = nodes_.first_point(joined.height, joined.node);
    if (nodes_.is_joined(other.height, other.node)) {
      const Index o = nodes_.first_point(other.height, other.node);
      if (sets_.find(p) != sets_.find(o) && have_link<Wrap>(joined, other)) sets_.link(p, o);
      return;
    }
    for (Chunks at(nodes_.at(other.height), other.node); !at.is_done(); at.next()) {
      if (other.height == 1) {
        link_joined_with_points<Wrap>(joined, q, at.index(), at.lanes());
        continue;
      }
      unsigned near =
          boxes_near<Wrap>(q, nodes_.chunk(other.height - 1, at.index()), nodes_.reach()) &
          at.lanes();
      for (; near != 0; near &= near - 1)
        link_joined_with<Wrap>(
            joined, q, {other.height - 1, at.base() + static_cast<Index>(std::countr_zero(near))});
    }
  }
  template <bool Wrap>
  void link_joined_with_points(Place joined, const NodeBox& q, Index i, unsigned lanes) {
    const T* HWY_RESTRICT points = nodes_.block(i);
    const Index p = nodes_.first_point(joined.height, joined.node);
    for (unsigned near = points_near<Wrap>(q, points, nodes_.reach()) & lanes; near != 0;
         near &= near - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(near));
      const Index o = i * kWidth + lane;
      if (o >= nodes_.job().planes.points) return;
      T x[kAxisRoom<D>];
      nodes_.load_point(points, lane, x);
      if (sets_.find(p) != sets_.find(o) && has_point_near<Wrap>(x, joined)) sets_.link(p, o);
    }
  }

  /// Is any point of a linked with any of b? The nodes are near each other.
  template <bool Wrap>
  bool have_link(Place a, Place b) {
    if (a.height < b.height) std::swap(a, b);
    if (a.height == 1) {
      const bool is_linked = leaves_have_link<Wrap>(a.node, b.node);
      gaps_.note_leaves(is_linked);
      return is_linked;
    }
    if constexpr (Packed && !Wrap) {
      if (a.height == b.height && gaps_.are_apart(a.height, a.node, b.node)) return false;
    }
    const NodeBox q = nodes_.box(b.height, b.node);
    for (Chunks at(nodes_.at(a.height), a.node); !at.is_done(); at.next()) {
      unsigned near =
          boxes_near<Wrap>(q, nodes_.chunk(a.height - 1, at.index()), nodes_.reach()) & at.lanes();
      for (; near != 0; near &= near - 1)
        if (have_link<Wrap>({a.height - 1, at.base() + static_cast<Index>(std::countr_zero(near))},
                            b))
          return true;
    }
    return false;
  }
  template <bool Wrap>
  HWY_INLINE bool leaves_have_link(Index a, Index b) const {
    const NodeBox box_a = nodes_.box(1, a), box_b = nodes_.box(1, b);
    for (Chunks at_a(nodes_.at(1), a); !at_a.is_done(); at_a.next()) {
      const T* block_a = nodes_.block(at_a.index());
      const unsigned lanes_a = points_near<Wrap>(box_b, block_a, nodes_.reach()) & at_a.lanes();
      if (lanes_a == 0) continue;
      for (Chunks at_b(nodes_.at(1), b); !at_b.is_done(); at_b.next()) {
        const T* block_b = nodes_.block(at_b.index());
        const unsigned lanes_b = points_near<Wrap>(box_a, block_b, nodes_.reach()) & at_b.lanes();
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
      nodes_.load_point(points, static_cast<unsigned>(std::countr_zero(lanes)), x);
      if (points_near<Wrap>(x, others, nodes_.reach()) & other_lanes) return true;
    }
    return false;
  }
  template <bool Wrap>
  bool has_point_near(const T* x, Place a) const {
    for (Chunks at(nodes_.at(a.height), a.node); !at.is_done(); at.next()) {
      if (a.height == 1) {
        if (points_near<Wrap>(x, nodes_.block(at.index()), nodes_.reach()) & at.lanes())
          return true;
        continue;
      }
      unsigned near =
          boxes_near<Wrap>(x, nodes_.chunk(a.height - 1, at.index()), nodes_.reach()) & at.lanes();
      for (; near != 0; near &= near - 1)
        if (has_point_near<Wrap>(
                x, {a.height - 1, at.base() + static_cast<Index>(std::countr_zero(near))}))
          return true;
    }
    return false;
  }

  // ---- leaves

  /// Leaf against the n leaves in the list. A pair of joined leaves is settled at once: most
  /// are in one set, others need one link. (With all pairs in the batch, 19 of 20 of its links were
  /// known.)
  template <bool Wrap>
  void link_leaf(Index leaf, std::size_t n) {
    Index* HWY_RESTRICT near = scratch_.near[1].data();
    if (nodes_.is_joined(1, leaf)) {
      const Index p = nodes_.first_point(1, leaf);
      Index root = sets_.find(p);
      std::size_t rest = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const Index other = near[i];
        near[rest] = other;
        rest += !nodes_.is_joined(1, other);
        if (!nodes_.is_joined(1, other)) continue;
        const Index o = nodes_.first_point(1, other);
        if (sets_.find(o) == root || !leaves_have_link<Wrap>(leaf, other)) continue;
        sets_.link(p, o);
        root = sets_.find(p);
      }
      n = rest;
    }
    batch_.template add_tests<Wrap>(leaf, near, n);
  }

  const Nodes nodes_;
  const JoinSets sets_;
  JoinScratch& scratch_;
  const Components<Nodes, JoinSets> components_;
  JoinBatch<D, T, Packed> batch_;
  JoinGaps<D, T, Packed> gaps_;
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
  switch (job.planes.dimension) {
    case 2: return run_task<2, Packed>(job, round, node, scratch);
    case 3: return run_task<3, Packed>(job, round, node, scratch);
    default: return run_task<kAnyDimension, Packed>(job, round, node, scratch);
  }
}

template <class T>
void run_any_task(const JoinJob<T>& job, JoinRound round, std::uint32_t node,
                  JoinScratch& scratch) {
  if (job.planes.is_implicit())
    run_task_of_dimension<true>(job, round, node, scratch);
  else
    run_task_of_dimension<false>(job, round, node, scratch);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
