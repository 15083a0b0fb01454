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

#include "groups/join.hpp"
#include "kernels/near-inl.h"
#include "parallel/union_find.hpp"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// The number of lanes in the type of node and point numbers.
constexpr std::uint32_t kWidth = kLanes;

/// The chunks that hold the children of a node, and which of their lanes are children. In a packed
/// tree that is one whole chunk.
template <bool Packed, class T>
class ChildChunks {
 public:
  HWY_INLINE ChildChunks(const JoinLevel<T>& level, std::uint32_t node) {
    if constexpr (Packed) {
      at_ = node;
      end_ = node + 1;
    } else {
      first_ = level.first[node];
      last_ = level.first[node + 1] - 1;
      at_ = first_ / kWidth;
      end_ = last_ / kWidth + 1;
    }
  }
  HWY_INLINE bool is_done() const { return at_ == end_; }
  HWY_INLINE void next() { ++at_; }
  HWY_INLINE std::uint32_t index() const { return at_; }
  HWY_INLINE std::uint32_t base() const { return at_ * kWidth; }
  HWY_INLINE std::size_t count() const { return end_ - at_; }
  HWY_INLINE unsigned lanes() const {
    unsigned lanes = 0xff;
    if constexpr (!Packed) {
      if (at_ == first_ / kWidth) lanes &= 0xffu << first_ % kWidth;
      if (at_ + 1 == end_) lanes &= 0xffu >> (kWidth - 1 - last_ % kWidth);
    }
    return lanes;
  }

 private:
  std::uint32_t at_ = 0, end_ = 0, first_ = 0, last_ = 0;
};

template <int D, class T, bool Packed>
class Joiner {
 public:
  using Index = std::uint32_t;
  using Box = Bounds<D, T>;
  using Chunks = ChildChunks<Packed, T>;

  Joiner(const JoinJob<T>& job, JoinScratch& scratch, bool is_shared)
      : job_(job),
        levels_(job.levels.data()),
        blocks_(levels_[0].data),
        block_stride_(Planes<T>::block_stride(job.dimension)),
        parent_(job.parent),
        sets_(job.parent),
        scratch_(scratch),
        range_{Axes<D>(job.dimension), job.reach2, {}},
        root_box_(box(job.top(), 0)),
        own_{0, job.points},
        is_shared_(is_shared),
        tests_(scratch.test) {
    for (int axis = 0; axis < range_.axes.count(); ++axis) range_.side[axis] = job.side[axis];
  }

  /// Round one: links inside a node of the task level.
  void join_inside(Index node) {
    // If nodes above are tight, the highest one gives the root.
    for (int level = job_.top(); level > job_.task_level; --level)
      if (const Index above = ancestor(level, node); is_one(level, above))
        return fuse(job_.task_level, node, first_point(level, above));
    inside(job_.task_level, node);
  }

  /// Round two: links of the node with all later nodes of its level.
  void join_outside(Index node) {
    const int top = job_.top();
    if (job_.task_level == top) return;
    Index* list = scratch_.room(top, 1);
    list[0] = 0;
    std::size_t n = 1;
    for (int level = top - 1; level >= job_.task_level; --level) {
      const bool is_last = level == job_.task_level;
      const Index self = is_last ? node : ancestor(level, node);
      n = gather<true>(level, self, is_last ? self + 1 : self, n);
    }
    visit<true>(job_.task_level, node, n);
    finish_batch();
  }

 private:
  static constexpr Index none = 0xffffffff;

  // ---- the tree

  const T* chunk(int level, Index i) const {
    return levels_[level].data +
           std::size_t{i} * 2 * kLanes * static_cast<std::size_t>(range_axes());
  }
  HWY_INLINE const T* block(Index i) const { return blocks_ + i * block_stride(); }
  HWY_INLINE std::size_t block_stride() const {
    if constexpr (D != kAnyDimension) return Planes<T>::block_stride(D);
    return block_stride_;
  }
  int range_axes() const { return Axes<D>(job_.dimension).count(); }

  HWY_INLINE Box box(int level, Index node) const {
    const T* lane = chunk(level, node / kWidth) + node % kWidth;
    const int axes = range_axes();
    Box result;
    for (int axis = 0; axis < axes; ++axis) {
      result.lo[axis] = lane[static_cast<std::size_t>(axis) * kLanes];
      result.hi[axis] = lane[static_cast<std::size_t>(axes + axis) * kLanes];
    }
    return result;
  }
  HWY_INLINE void load_point(const T* HWY_RESTRICT block, unsigned lane, T* HWY_RESTRICT x) const {
    for (int axis = 0; axis < range_axes(); ++axis)
      x[axis] = block[static_cast<std::size_t>(axis) * kLanes + lane];
  }
  HWY_INLINE Index first_point(int level, Index node) const {
    if constexpr (Packed) return node << (3 * level);
    return level == 0 ? node : levels_[level].begin[node];
  }
  Index end_point(int level, Index node) const {
    if constexpr (!Packed) return levels_[level].begin[node + 1];
    return static_cast<Index>(std::min(job_.points, (std::size_t{node} + 1) << (3 * level)));
  }
  IndexRange children(int level, Index node) const {
    const std::size_t first = node;
    if constexpr (!Packed) return {levels_[level].first[first], levels_[level].first[first + 1]};
    return {first * kLanes, std::min(levels_[level - 1].nodes, (first + 1) * kLanes)};
  }
  Index ancestor(int level, Index node) const {
    if constexpr (Packed) return node >> (3 * (level - job_.task_level));
    const Index point = first_point(job_.task_level, node);
    const Index* begin = levels_[level].begin;
    return static_cast<Index>(std::upper_bound(begin, begin + levels_[level].nodes, point) - begin -
                              1);
  }

  bool is_tight(int level, Index node) const {
    const Box q = box(level, node);
    T sum = 0;
    for (int axis = 0; axis < range_axes(); ++axis) {
      const T extent = q.hi[axis] - q.lo[axis];
      const T square = extent * extent;
      sum += square;
    }
    return sum <= range_.reach2;
  }
  /// Could a link of the node cross a periodic edge?
  HWY_INLINE bool is_at_edge(int level, Index node) const {
    const Box q = box(level, node);
    bool is_any = false;
    for (int axis = 0; axis < range_axes(); ++axis) {
      const T most = std::max(root_box_.hi[axis] - q.lo[axis], q.hi[axis] - root_box_.lo[axis]);
      const T rest = range_.side[axis] - most;
      is_any |= range_.side[axis] > 0 && rest * rest <= range_.reach2;
    }
    return is_any;
  }

  // ---- sets

  HWY_INLINE void unite(Index p, Index q) const {
    if (is_shared_)
      sets_.unite(p, q);
    else
      sets_.unite_alone(p, q);
  }
  HWY_INLINE bool is_one(int level, Index node) const { return levels_[level].is_one[node] != 0; }

  /// Makes one set of a tight node.
  void fuse(int level, Index node, Index root) const {
    const Index end = end_point(level, node);
    for (Index i = first_point(level, node); i < end; ++i) sets_.set(i, root);
    IndexRange nodes{node, std::size_t{node} + 1};
    for (; level > 0; --level) {
      std::fill(levels_[level].is_one + nodes.begin, levels_[level].is_one + nodes.end,
                std::uint8_t{1});
      nodes = {children(level, static_cast<Index>(nodes.begin)).begin,
               children(level, static_cast<Index>(nodes.end - 1)).end};
    }
  }

  // ---- round one

  void inside(int level, Index node) {
    if (is_tight(level, node)) return fuse(level, node, first_point(level, node));
    levels_[level].is_one[node] = 0;  // until its children are linked
    if (level == 1) return inside_leaf(node);
    const IndexRange range = children(level, node);
    const auto begin = static_cast<Index>(range.begin), end = static_cast<Index>(range.end);
    for (Index child = begin; child < end; ++child) inside(level - 1, child);
    own_ = {first_point(level, node), end_point(level, node)};
    link_children(level, node);
    refresh(level - 1, begin, end);
    levels_[level].is_one[node] = are_one(level - 1, begin, end);
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
      levels_[level].is_one[node] =
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
    own_ = {first_point(1, leaf), end_point(1, leaf)};
    const bool wraps = is_at_edge(1, leaf);
    std::size_t chunks = 0;
    for (Chunks at(levels_[1], leaf); !at.is_done(); at.next(), ++chunks) {
      if (wraps)
        close_block<true>(at.index(), at.lanes());
      else
        close_block<false>(at.index(), at.lanes());
    }
    if (chunks > 1) {
      scratch_.room(1, 1)[0] = leaf;
      if (wraps)
        put_off<true>(leaf, 1);
      else
        put_off<false>(leaf, 1);
      finish_batch();
    }
    levels_[1].is_one[leaf] = are_one(0, first_point(1, leaf), end_point(1, leaf));
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
      links |= std::uint64_t{points_near<Wrap>(x, points, range_) & lanes} << (8 * lane);
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
    const JoinLevel<T>& above = levels_[level + 1];
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
        const unsigned near = boxes_near<Wrap>(q, chunk(level, at.index()), range_);
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
      if (sets_.find(p) != sets_.find(o) && have_link<Wrap>(one, other)) unite(p, o);
      return;
    }
    for (Chunks at(levels_[other.level], other.node); !at.is_done(); at.next()) {
      if (other.level == 1) {
        meet_points<Wrap>(one, q, at.index(), at.lanes());
        continue;
      }
      unsigned near = boxes_near<Wrap>(q, chunk(other.level - 1, at.index()), range_) & at.lanes();
      for (; near != 0; near &= near - 1)
        meet<Wrap>(one, q,
                   {other.level - 1, at.base() + static_cast<Index>(std::countr_zero(near))});
    }
  }
  template <bool Wrap>
  void meet_points(Place one, const Box& q, Index i, unsigned lanes) {
    const T* HWY_RESTRICT points = block(i);
    const Index p = first_point(one.level, one.node);
    for (unsigned near = points_near<Wrap>(q, points, range_) & lanes; near != 0;
         near &= near - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(near));
      const Index o = i * kWidth + lane;
      if (o >= job_.points) return;
      T x[kAxisRoom<D>];
      load_point(points, lane, x);
      if (sets_.find(p) != sets_.find(o) && has_point_near<Wrap>(x, one)) unite(p, o);
    }
  }

  /// Is any point of a linked with any of b? The nodes are near each other.
  template <bool Wrap>
  bool have_link(Place a, Place b) const {
    if (a.level < b.level) std::swap(a, b);
    if (a.level == 1) return leaves_have_link<Wrap>(a.node, b.node);
    const Box q = box(b.level, b.node);
    for (Chunks at(levels_[a.level], a.node); !at.is_done(); at.next()) {
      unsigned near = boxes_near<Wrap>(q, chunk(a.level - 1, at.index()), range_) & at.lanes();
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
    for (Chunks at_a(levels_[1], a); !at_a.is_done(); at_a.next()) {
      const T* block_a = block(at_a.index());
      const unsigned lanes_a = points_near<Wrap>(box_b, block_a, range_) & at_a.lanes();
      if (lanes_a == 0) continue;
      for (Chunks at_b(levels_[1], b); !at_b.is_done(); at_b.next()) {
        const T* block_b = block(at_b.index());
        const unsigned lanes_b = points_near<Wrap>(box_a, block_b, range_) & at_b.lanes();
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
      if (points_near<Wrap>(x, others, range_) & other_lanes) return true;
    }
    return false;
  }
  template <bool Wrap>
  bool has_point_near(const T* x, Place a) const {
    for (Chunks at(levels_[a.level], a.node); !at.is_done(); at.next()) {
      if (a.level == 1) {
        if (points_near<Wrap>(x, block(at.index()), range_) & at.lanes()) return true;
        continue;
      }
      unsigned near = boxes_near<Wrap>(x, chunk(a.level - 1, at.index()), range_) & at.lanes();
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
        unite(p, o);
        root = sets_.find(p);
      }
      n = rest;
    }
    put_off<Wrap>(leaf, n);
  }

  /// Adds the pairs of a point of the leaf and a block of the n leaves to the batch. No branch
  /// depends on the points. Lanes of a source block that belong to other leaves (cells) do no harm:
  /// their links are links. (Taking the points of whichever leaf has fewer near the other was 6 %
  /// slower in all.)
  template <bool Wrap>
  HWY_INLINE void put_off(Index leaf, std::size_t n) {
    const Index* HWY_RESTRICT near = scratch_.near[1].data();
    if (batch_wraps_ != Wrap) finish_batch();
    batch_wraps_ = Wrap;
    for (Chunks mine(levels_[1], leaf); !mine.is_done(); mine.next()) {
      const T* HWY_RESTRICT points = block(mine.index());
      for (std::size_t i = 0; i < n; ++i) {
        const unsigned lanes = points_near<Wrap>(box(1, near[i]), points, range_) & mine.lanes();
        for (Chunks at(levels_[1], near[i]); !at.is_done(); at.next()) {
          tests_ = append_pairs(tests_, mine.base(), lanes, at.index());
          if (HWY_UNLIKELY(tests_ > scratch_.test + JoinScratch::kBatch)) finish_batch();
        }
      }
    }
  }

  /// Does the tests of the batch and makes the links that they find.
  template <bool Wrap>
  HWY_NOINLINE void link_batch() {
    const std::uint64_t* const end = tests_;
    tests_ = scratch_.test;
    std::uint64_t* HWY_RESTRICT hit = scratch_.hit;
    std::uint32_t* HWY_RESTRICT hit_lanes = scratch_.hit_lanes;
    for (const std::uint64_t* HWY_RESTRICT test = tests_; test < end; ++test) {
      const auto p = static_cast<Index>(*test >> 32), other = static_cast<Index>(*test);
      T x[kAxisRoom<D>];
      load_point(block(p / kWidth), p % kWidth, x);
      const unsigned near = points_near<Wrap>(x, block(other), range_) & own_lanes(other) &
                            ~equal_parents(parent_ + other * kLanes, parent(p));
      *hit = *test;
      *hit_lanes = near;
      hit += near != 0;
      hit_lanes += near != 0;
    }
    const std::size_t hits = static_cast<std::size_t>(hit - scratch_.hit);
    for (std::size_t i = 0; i < hits; ++i)
      link_hit(static_cast<Index>(scratch_.hit[i] >> 32),
               static_cast<Index>(scratch_.hit[i]) * kWidth, scratch_.hit_lanes[i]);
  }
  void finish_batch() {
    if (batch_wraps_)
      link_batch<true>();
    else
      link_batch<false>();
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
      const Index o = other + static_cast<Index>(std::countr_zero(lanes)), up = parent(o);
      if (up == root || up == last) continue;
      unite(p, o);
      last = up;
      root = parent(p);
    }
  }
  HWY_INLINE Index parent(Index i) const { return sets_.parent(i); }

  const JoinJob<T>& job_;
  const JoinLevel<T>* levels_;
  const T* blocks_;
  std::size_t block_stride_;
  Index* parent_;
  UnionFind<Index> sets_;
  JoinScratch& scratch_;
  Range<D, T> range_;
  Box root_box_;
  IndexRange own_;  // the points that may be touched: in round one, those that have parents already
  bool is_shared_;  // by other tasks
  std::uint64_t* tests_;  // end of the batch
  bool batch_wraps_ = false;
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
