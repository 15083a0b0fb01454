// The task of one node in the search for edges; see span.hpp. Included once per SIMD target.
#if defined(KITH_CLUSTERS_SPAN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_CLUSTERS_SPAN_INL_H_
#undef KITH_CLUSTERS_SPAN_INL_H_
#else
#define KITH_CLUSTERS_SPAN_INL_H_
#endif

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

#include "clusters/near_walk-inl.h"
#include "clusters/span.hpp"
#include "groups/components-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// Which of 8 neighboring components equal a value.
HWY_INLINE unsigned equal_components(const std::uint32_t* HWY_RESTRICT components,
                                     std::uint32_t value) {
  const Tag<std::uint32_t> tag;
  unsigned equal = 0;
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag))
    equal |= bits_of(tag, hn::Eq(hn::Load(tag, components + lane), hn::Set(tag, value))) << lane;
  return equal;
}

template <int D, class T, SpanRound Round>
class Spanner {
 public:
  using Index = std::uint32_t;

  Spanner(const SpanJob<T>& job, SpanScratch<T>& scratch)
      : job_(job),
        nodes_(job.tree),
        axes_(job.tree.dimension),
        root_box_(nodes_.box(nodes_.top(), 0)),
        scratch_(scratch),
        has_core_(!job.core2.empty()) {
    std::copy_n(job.side, axes_.count(), side_);
  }

  void run(Index node) {
    if (job_.is_periodic)
      run<true>(node);
    else
      run<false>(node);
  }

 private:
  static constexpr bool kIsLeaving = Round == SpanRound::leaving;

  template <bool Wrap>
  void run(Index node) {
    const int top = nodes_.top();
    scratch_.room(top, 1)[0] = 0;
    std::size_t n = 1;
    for (int height = top - 1; height >= job_.task_height; --height)
      n = gather<Wrap>(height, node >> (3 * (height - job_.task_height)), n);
    descend<Wrap>(job_.task_height, node, n);
  }

  HWY_INLINE T need(int height, Index node) const {
    return job_.need[static_cast<std::size_t>(height)][node];
  }

  /// The nodes of `height`, not before `node`, that may have an edge with it: from the n nodes of
  /// the height above in the list.
  template <bool Wrap>
  std::size_t gather(int height, Index node, std::size_t n) {
    const Index* HWY_RESTRICT parents = scratch_.near[static_cast<std::size_t>(height) + 1].data();
    Index* const list = scratch_.room(height, (n + 1) * kLanes);
    const Bounds<D, T> q = nodes_.box(height, node);
    const auto at = static_cast<std::size_t>(height);
    const T my_need = kIsLeaving && height == 1 ? need_now(node) : need(height, node);
    const T my_core2 = has_core_ ? job_.core2[at][node] : T(0);
    const Index mine = kIsLeaving ? job_.node_component[at][node] : kMixed;
    Index* HWY_RESTRICT out = list;
    for (std::size_t i = 0; i < n; ++i) {
      const Index parent = parents[i];
      unsigned near = chunk_near<Wrap>(q, height, parent, my_need, my_core2);
      if (parent == node / kLanes) near &= 0xffu << node % kLanes;
      if (kIsLeaving && mine != kMixed)
        near &= ~equal_components(job_.node_component[at] + std::size_t{parent} * kLanes, mine);
      out = append(out, parent * static_cast<Index>(kLanes), near);
    }
    return static_cast<std::size_t>(out - list);
  }

  /// Which nodes of a chunk may have an edge with q that either of them needs.
  template <bool Wrap>
  HWY_INLINE unsigned chunk_near(const Bounds<D, T>& q, int height, Index chunk, T my_need,
                                 T my_core2) const {
    const Tag<T> tag;
    const auto at = static_cast<std::size_t>(height);
    const T* HWY_RESTRICT boxes = nodes_.chunk(height, chunk);
    const T* HWY_RESTRICT needs = job_.need[at] + std::size_t{chunk} * kLanes;
    unsigned bits = 0;
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
      auto lower = lower2<Wrap>(q, boxes, lane, side_, axes_);
      if (has_core_)
        lower = hn::Max(lower,
                        hn::Max(hn::Load(tag, job_.core2[at] + std::size_t{chunk} * kLanes + lane),
                                hn::Set(tag, my_core2)));
      const auto most = hn::Max(hn::Load(tag, needs + lane), hn::Set(tag, my_need));
      bits |= bits_of(tag, hn::Le(lower, most)) << lane;
    }
    return bits;
  }

  template <bool Wrap>
  void descend(int height, Index node, std::size_t n) {
    if (n == 0) return;
    if constexpr (Wrap) {
      if (!is_at_edge(height, node, n)) return descend<false>(height, node, n);
    }
    if (height == 1) {
      const Index* const near = scratch_.near[1].data();
      for (std::size_t i = 0; i < n; ++i) add_pairs<Wrap>(node, near[i]);
      return;
    }
    const Index end =
        static_cast<Index>(std::min(nodes_.nodes(height - 1), (std::size_t{node} + 1) * kLanes));
    for (Index child = node * static_cast<Index>(kLanes); child < end; ++child)
      descend<Wrap>(height - 1, child, gather<Wrap>(height - 1, child, n));
  }

  /// Could an edge with any node of the list cross a periodic edge?
  bool is_at_edge(int height, Index node, std::size_t n) const {
    const Index* const near = scratch_.near[static_cast<std::size_t>(height)].data();
    T reach2 = need(height, node);
    for (std::size_t i = 0; i < n; ++i) reach2 = std::max(reach2, need(height, near[i]));
    const Bounds<D, T> q = nodes_.box(height, node);
    bool could_cross = false;
    for (int axis = 0; axis < axes_.count(); ++axis) {
      const T most = std::max(root_box_.hi[axis] - q.lo[axis], q.hi[axis] - root_box_.lo[axis]);
      const T rest = side_[axis] - most;
      could_cross |= side_[axis] > 0 && rest * rest <= reach2;
    }
    return could_cross;
  }

  // ---- blocks

  /// Relaxed: a value that is out of date is too large and costs a test.
  HWY_INLINE T best(Index component) const {
    return std::atomic_ref<T>(job_.best[component]).load(std::memory_order_relaxed);
  }
  HWY_INLINE void lower_best(Index component, T weight) const {
    const std::atomic_ref<T> best(job_.best[component]);
    T seen = best.load(std::memory_order_relaxed);
    while (weight < seen && !best.compare_exchange_weak(seen, weight, std::memory_order_relaxed)) {
    }
  }
  /// The weight up to which a block needs edges, once others have found edges of its component.
  HWY_INLINE T need_now(Index block) const {
    const T asked = need(1, block);
    const Index component = job_.node_component[1][block];
    return asked < 0 || component == kMixed ? asked : best(component);
  }

  /// Appends the pairs of block a and block b >= a that are wanted.
  template <bool Wrap>
  HWY_INLINE void add_pairs(Index a, Index b) {
    const T reach =
        kIsLeaving ? std::max(need_now(a), need_now(b)) : std::max(need(1, a), need(1, b));
    if (reach < 0) return;
    alignas(64) T weight[kLanes * kLanes];
    std::uint64_t pairs = weigh<Wrap>(a, b, reach, weight);
    if (a == b)
      pairs &= 0x0080c0e0f0f8fcfe;  // row i: lanes after i
    else if (!kIsLeaving && static_cast<std::size_t>(std::popcount(pairs)) > kLanes)
      pairs = thinned(a, b, pairs, weight);
    Edge<T>* HWY_RESTRICT out = scratch_.edges.room(kLanes * kLanes);
    const Index p = a * static_cast<Index>(kLanes), q = b * static_cast<Index>(kLanes);
    for (; pairs != 0; pairs &= pairs - 1) {
      const auto pair = static_cast<Index>(std::countr_zero(pairs));
      const Edge<T> edge{weight[pair], p + pair / 8, q + pair % 8};
      if constexpr (kIsLeaving) {
        const Index mine = job_.component[edge.p], other = job_.component[edge.q];
        if (mine == other || (edge.weight > best(mine) && edge.weight > best(other))) continue;
        lower_best(mine, edge.weight);
        lower_best(other, edge.weight);
      }
      *out++ = edge;
    }
    scratch_.edges.end_at(out);
  }

  /// If all edges inside block b are lighter than those between the blocks, every point of a needs
  /// its lightest alone: a heavier one is the heaviest of a triangle. The same for points of b.
  /// Without this, a sparse block beside a dense clump lists all points of the clump 8 times.
  HWY_NOINLINE std::uint64_t thinned(Index a, Index b, std::uint64_t pairs,
                                     const T* HWY_RESTRICT weight) const {
    constexpr std::uint64_t kRow = 0xff, kColumn = 0x0101010101010101;
    const T least = lightest(pairs, weight);
    if (heaviest_inside(b) < least)
      for (unsigned i = 0; i < kLanes; ++i) keep_lightest(kRow << (8 * i), weight, pairs);
    if (heaviest_inside(a) < least)
      for (unsigned i = 0; i < kLanes; ++i) keep_lightest(kColumn << i, weight, pairs);
    return pairs;
  }
  static T lightest(std::uint64_t pairs, const T* HWY_RESTRICT weight) {
    T least = std::numeric_limits<T>::infinity();
    for (; pairs != 0; pairs &= pairs - 1) least = std::min(least, weight[std::countr_zero(pairs)]);
    return least;
  }
  /// Keeps the lightest pairs of a mask; equally light ones all stay.
  static void keep_lightest(std::uint64_t mask, const T* HWY_RESTRICT weight,
                            std::uint64_t& pairs) {
    const T least = lightest(pairs & mask, weight);
    for (std::uint64_t rest = pairs & mask; rest != 0; rest &= rest - 1)
      if (weight[std::countr_zero(rest)] > least) pairs &= ~(rest & -rest);
  }
  /// No edge between two points of a block is heavier.
  T heaviest_inside(Index block) const {
    const T diagonal2 = nodes_.diagonal2(1, block);
    if (!has_core_) return diagonal2;
    const T* const core2 = job_.core2[0] + std::size_t{block} * kLanes;
    return std::max(diagonal2, *std::max_element(core2, core2 + kLanes));
  }

  /// The weights of all pairs, row by row, and a bit for each that is light enough.
  template <bool Wrap>
  HWY_INLINE std::uint64_t weigh(Index a, Index b, T reach, T* HWY_RESTRICT weight) const {
    const Tag<T> tag;
    const T* HWY_RESTRICT mine = nodes_.block(a);
    const T* HWY_RESTRICT others = nodes_.block(b);
    const auto limit = hn::Set(tag, reach);
    std::uint64_t pairs = 0;
    for (unsigned i = 0; i < kLanes; ++i) {
      T x[kAxisRoom<D>];
      nodes_.load_point(mine, i, x);
      unsigned row = 0;
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
        auto w = distance2<Wrap>(x, others, lane, side_, axes_);
        if (has_core_)
          w = hn::Max(w, hn::Max(hn::Load(tag, job_.core2[0] + std::size_t{b} * kLanes + lane),
                                 hn::Set(tag, job_.core2[0][std::size_t{a} * kLanes + i])));
        hn::Store(w, tag, weight + i * kLanes + lane);
        row |= bits_of(tag, kIsLeaving ? hn::Le(w, limit) : hn::Lt(w, limit)) << lane;
      }
      pairs |= std::uint64_t{row} << (8 * i);
    }
    return pairs;
  }

  const SpanJob<T>& job_;
  const PackedNodes<D, T> nodes_;
  Axes<D> axes_;
  T side_[kAxisRoom<D>];
  Bounds<D, T> root_box_;
  SpanScratch<T>& scratch_;
  const bool has_core_;
};

template <int D, class T>
void run_span_of_dimension(const SpanJob<T>& job, SpanRound round, std::uint32_t node,
                           SpanScratch<T>& scratch) {
  if (round == SpanRound::within)
    Spanner<D, T, SpanRound::within>(job, scratch).run(node);
  else
    Spanner<D, T, SpanRound::leaving>(job, scratch).run(node);
}

template <class T>
void run_any_span_task(const SpanJob<T>& job, SpanRound round, std::uint32_t node,
                       SpanScratch<T>& scratch) {
  switch (job.tree.dimension) {
    case 2: return run_span_of_dimension<2>(job, round, node, scratch);
    case 3: return run_span_of_dimension<3>(job, round, node, scratch);
    default: return run_span_of_dimension<kAnyDimension>(job, round, node, scratch);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
