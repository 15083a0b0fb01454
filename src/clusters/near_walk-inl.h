// The task of one node in a walk of receivers and near sources; see near_walk.hpp. Included once
// per SIMD target.
//
// Exact for the same reasons as the join: bounds between boxes need no margin, and away from a
// periodic edge |p - q| decides alone (groups/join-inl.h).
#if defined(KITH_CLUSTERS_NEAR_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_CLUSTERS_NEAR_WALK_INL_H_
#undef KITH_CLUSTERS_NEAR_WALK_INL_H_
#else
#define KITH_CLUSTERS_NEAR_WALK_INL_H_
#endif

#include <algorithm>
#include <bit>

#include "clusters/near_walk.hpp"
#include "geometry/distance.hpp"
#include "kernels/near-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// Boxes and points of an implicit tree by height.
template <int D, class T>
class PackedNodes {
 public:
  explicit PackedNodes(const PlanesView<T>& view) : view_(view), axes_(view.dimension) {}

  int top() const { return view_.plane_count; }
  std::size_t nodes(int height) const { return view_.plane(height - 1).nodes; }
  HWY_INLINE const T* block(std::uint32_t i) const { return view_.block(i, axes_); }
  HWY_INLINE const T* chunk(int height, std::uint32_t i) const {
    return view_.chunk(height - 1, i, axes_);
  }
  HWY_INLINE Bounds<D, T> box(int height, std::uint32_t node) const {
    return view_.box(height - 1, node, axes_);
  }
  HWY_INLINE void load_point(const T* HWY_RESTRICT block, unsigned lane, T* HWY_RESTRICT x) const {
    load_lane(block, lane, axes_, x);
  }
  std::size_t points_below(int height, std::uint32_t node) const {
    return view_.points_of(height - 1, node).size();
  }
  T diagonal2(int height, std::uint32_t node) const {
    return kith::diagonal2(box(height, node), axes_);
  }

 private:
  const PlanesView<T>& view_;
  Axes<D> axes_;
};

/// The walk. `Visitor` has reach2(height, node): the search radius of the receivers of that node,
/// squared; skips(height, node): no receiver below it needs more sources; and visit<Wrap>(walk,
/// block, list, n) for a block of receivers and the n blocks of sources near it.
template <int D, class T, class Visitor>
class NearWalk {
 public:
  using Index = std::uint32_t;

  NearWalk(const NearJob<T>& job, NearScratch<T>& scratch, Visitor& visitor)
      : job_(job),
        receivers_(job.receivers),
        sources_(job.sources),
        range_{Axes<D>(job.receivers.dimension), job.reach2, {}},
        source_box_(sources_.box(sources_.top(), 0)),
        scratch_(scratch),
        visitor_(visitor) {
    std::copy_n(job.side, range_.axes.count(), range_.side);
  }

  const PackedNodes<D, T>& receivers() const { return receivers_; }
  const PackedNodes<D, T>& sources() const { return sources_; }
  const Range<D, T>& range() const { return range_; }

  void run(Index node) {
    const int top = receivers_.top();
    std::size_t n = sources_.nodes(source_height(top));
    Index* const all = scratch_.room(top, n);
    for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<Index>(i);
    for (int height = top - 1; height >= job_.task_height; --height)
      n = gather<true>(height, node >> (3 * (height - job_.task_height)), n);
    descend<true>(job_.task_height, node, n);
  }

 private:
  /// The height of the source nodes in the list of receivers of a height: the same, or the root. A
  /// lower tree of receivers begins with all source nodes of its height.
  int source_height(int height) const { return std::min(height, sources_.top()); }

  /// The list of a receiver from that of its parent; returns its length.
  template <bool Wrap>
  std::size_t gather(int height, Index node, std::size_t n) {
    const Index* HWY_RESTRICT parents = scratch_.near[static_cast<std::size_t>(height) + 1].data();
    const int below = source_height(height);
    Index* const list = scratch_.room(height, (n + 1) * kLanes);
    if (below == source_height(height + 1)) {  // the root of a lower tree stays
      std::copy_n(parents, n, list);
      return n;
    }
    const Bounds<D, T> q = receivers_.box(height, node);
    range_.reach2 = visitor_.reach2(height, node);
    Index* HWY_RESTRICT out = list;
    for (std::size_t i = 0; i < n; ++i)
      out = append(out, parents[i] * static_cast<Index>(kLanes),
                   boxes_near<Wrap>(q, sources_.chunk(below, parents[i]), range_));
    return static_cast<std::size_t>(out - list);
  }

  template <bool Wrap>
  void descend(int height, Index node, std::size_t n) {
    if (n == 0 || visitor_.skips(height, node)) return;
    range_.reach2 = visitor_.reach2(height, node);
    if constexpr (Wrap) {
      if (!is_at_edge(height, node)) return descend<false>(height, node, n);
    }
    if (height == 1) {
      visitor_.template visit<Wrap>(*this, node, scratch_.near[1].data(), n);
      return;
    }
    const Index end = static_cast<Index>(
        std::min(receivers_.nodes(height - 1), (std::size_t{node} + 1) * kLanes));
    for (Index child = node * static_cast<Index>(kLanes); child < end; ++child)
      descend<Wrap>(height - 1, child, gather<Wrap>(height - 1, child, n));
  }

  /// Could a link of the node cross a periodic edge?
  bool is_at_edge(int height, Index node) const {
    const Bounds<D, T> q = receivers_.box(height, node);
    bool could_cross = false;
    for (int axis = 0; axis < range_.axes.count(); ++axis) {
      const T most = std::max(source_box_.hi[axis] - q.lo[axis], q.hi[axis] - source_box_.lo[axis]);
      const T rest = range_.side[axis] - most;
      could_cross |= range_.side[axis] > 0 && rest * rest <= range_.reach2;
    }
    return could_cross;
  }

  const NearJob<T>& job_;
  const PackedNodes<D, T> receivers_, sources_;
  Range<D, T> range_;
  Bounds<D, T> source_box_;
  NearScratch<T>& scratch_;
  Visitor& visitor_;
};

/// Counts sources until each receiver has enough.
template <int D, class T>
class CoreCounter {
 public:
  using Index = std::uint32_t;
  CoreCounter(const CoreJob<T>& job, const PackedNodes<D, T>& nodes) : job_(job), nodes_(nodes) {}

  T reach2(int, Index) const { return job_.reach2; }
  /// All points of a node whose diagonal is within reach are near each other.
  bool skips(int height, Index node) const {
    const std::size_t points = nodes_.points_below(height, node);
    if (points < job_.min_samples || nodes_.diagonal2(height, node) > job_.reach2) return false;
    std::fill_n(job_.is_core + (std::size_t{node} << (3 * height)), points, std::uint8_t{1});
    return true;
  }

  template <bool Wrap, class Walk>
  void visit(const Walk& walk, Index block, const Index* near, std::size_t n) const {
    const std::size_t points = nodes_.points_below(1, block);
    const T* HWY_RESTRICT mine = nodes_.block(block);
    std::size_t counts[kLanes] = {};
    unsigned open = 0xffu >> (kLanes - points);
    count<Wrap>(walk, mine, block, open, counts);
    for (std::size_t i = 0; i < n && open != 0; ++i)
      if (near[i] != block) count<Wrap>(walk, mine, near[i], open, counts);
    std::uint8_t* const out = job_.is_core + std::size_t{block} * kLanes;
    for (std::size_t lane = 0; lane < kLanes; ++lane) out[lane] = counts[lane] >= job_.min_samples;
  }

 private:
  /// The receivers of `open` that have enough leave it.
  template <bool Wrap, class Walk>
  HWY_INLINE void count(const Walk& walk, const T* HWY_RESTRICT mine, Index source, unsigned& open,
                        std::size_t* counts) const {
    const T* HWY_RESTRICT others = nodes_.block(source);
    unsigned lanes = open & points_near<Wrap>(nodes_.box(1, source), mine, walk.range());
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      T x[kAxisRoom<D>];
      nodes_.load_point(mine, lane, x);
      counts[lane] +=
          static_cast<std::size_t>(std::popcount(points_near<Wrap>(x, others, walk.range())));
      if (counts[lane] >= job_.min_samples) open &= ~(1u << lane);
    }
  }

  const CoreJob<T>& job_;
  const PackedNodes<D, T> nodes_;
};

/// Adds the weights of sources, exactly, until each receiver has enough.
template <int D, class T>
class CoreWeigher {
 public:
  using Index = std::uint32_t;
  CoreWeigher(const CoreJob<T>& job, const PackedNodes<D, T>& nodes, ExactSum& sum)
      : job_(job), nodes_(nodes), sum_(sum), least_(static_cast<double>(job.min_samples)) {}

  T reach2(int, Index) const { return job_.reach2; }
  bool skips(int height, Index node) const {
    if (job_.has_negative || nodes_.diagonal2(height, node) > job_.reach2) return false;
    const std::size_t begin = std::size_t{node} << (3 * height);
    const std::size_t points = nodes_.points_below(height, node);
    sum_.clear();
    for (std::size_t at = begin; at < begin + points; ++at) sum_.add(job_.weight[at]);
    if (!sum_.reaches(least_)) return false;
    std::fill_n(job_.is_core + begin, points, std::uint8_t{1});
    return true;
  }

  template <bool Wrap, class Walk>
  void visit(const Walk& walk, Index block, const Index* near, std::size_t n) const {
    const std::size_t points = nodes_.points_below(1, block);
    const T* HWY_RESTRICT mine = nodes_.block(block);
    for (unsigned lane = 0; lane < points; ++lane) {
      T x[kAxisRoom<D>];
      nodes_.load_point(mine, lane, x);
      job_.is_core[std::size_t{block} * kLanes + lane] = has_enough<Wrap>(walk, x, block, near, n);
    }
  }

 private:
  /// The receiver's own block first: it is the nearest.
  template <bool Wrap, class Walk>
  bool has_enough(const Walk& walk, const T* x, Index block, const Index* near,
                  std::size_t n) const {
    sum_.clear();
    add<Wrap>(walk, x, block);
    for (std::size_t i = 0; i < n; ++i) {
      if (near[i] == block) continue;
      if (!job_.has_negative && sum_.reaches(least_)) return true;
      add<Wrap>(walk, x, near[i]);
    }
    return sum_.reaches(least_);
  }

  template <bool Wrap, class Walk>
  HWY_INLINE void add(const Walk& walk, const T* x, Index source) const {
    unsigned near = points_near<Wrap>(x, nodes_.block(source), walk.range());
    for (; near != 0; near &= near - 1)
      sum_.add(job_.weight[std::size_t{source} * kLanes +
                           static_cast<unsigned>(std::countr_zero(near))]);
  }

  const CoreJob<T>& job_;
  const PackedNodes<D, T> nodes_;
  ExactSum& sum_;
  double least_;
};

/// Lists the sources near each receiver that is not a core point.
template <int D, class T>
class BorderLister {
 public:
  using Index = std::uint32_t;
  BorderLister(const BorderJob<T>& job, const PackedNodes<D, T>& nodes, NearScratch<T>& scratch,
               NearVisitor<T> visit)
      : job_(job), nodes_(nodes), scratch_(scratch), visit_(visit) {}

  T reach2(int, Index) const { return job_.reach2; }
  bool skips(int height, Index node) const {
    const std::uint8_t* const begin = job_.is_core + (std::size_t{node} << (3 * height));
    const std::uint8_t* const end = begin + nodes_.points_below(height, node);
    return std::find(begin, end, std::uint8_t{0}) == end;
  }

  template <bool Wrap, class Walk>
  void visit(const Walk& walk, Index block, const Index* near, std::size_t n) const {
    const std::size_t points = nodes_.points_below(1, block);
    const T* HWY_RESTRICT mine = nodes_.block(block);
    for (unsigned lane = 0; lane < points; ++lane) {
      const Index position = block * static_cast<Index>(kLanes) + lane;
      if (job_.is_core[position]) continue;
      T x[kAxisRoom<D>];
      nodes_.load_point(mine, lane, x);
      scratch_.found.clear();
      for (std::size_t i = 0; i < n; ++i) add<Wrap>(walk, x, near[i]);
      if (!scratch_.found.empty()) visit_(position, scratch_.found);
    }
  }

 private:
  template <bool Wrap, class Walk>
  HWY_INLINE void add(const Walk& walk, const T* x, Index source) const {
    const T* HWY_RESTRICT others = walk.sources().block(source);
    unsigned near = points_near<Wrap>(x, others, walk.range());
    if (near == 0) return;
    T d2[kLanes];
    const Tag<T> tag;
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag))
      hn::StoreU(distance2<Wrap>(x, others, lane, walk.range().side, walk.range().axes), tag,
                 d2 + lane);
    for (; near != 0; near &= near - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(near));
      scratch_.found.push_back({d2[lane], source * static_cast<Index>(kLanes) + lane});
    }
  }

  const BorderJob<T>& job_;
  const PackedNodes<D, T> nodes_;
  NearScratch<T>& scratch_;
  NearVisitor<T> visit_;
};

template <int D, class T>
void count_cores(const CoreJob<T>& job, std::uint32_t node, NearScratch<T>& scratch) {
  if (job.weight) {
    CoreWeigher<D, T> weigher(job, PackedNodes<D, T>(job.receivers), scratch.sum);
    return NearWalk<D, T, CoreWeigher<D, T>>(job, scratch, weigher).run(node);
  }
  CoreCounter<D, T> counter(job, PackedNodes<D, T>(job.receivers));
  NearWalk<D, T, CoreCounter<D, T>>(job, scratch, counter).run(node);
}

template <int D, class T>
void list_borders(const BorderJob<T>& job, std::uint32_t node, NearScratch<T>& scratch,
                  NearVisitor<T> visit) {
  BorderLister<D, T> lister(job, PackedNodes<D, T>(job.receivers), scratch, visit);
  NearWalk<D, T, BorderLister<D, T>>(job, scratch, lister).run(node);
}

template <class T>
void run_any_core_task(const CoreJob<T>& job, std::uint32_t node, NearScratch<T>& scratch) {
  switch (job.receivers.dimension) {
    case 2: return count_cores<2>(job, node, scratch);
    case 3: return count_cores<3>(job, node, scratch);
    default: return count_cores<kAnyDimension>(job, node, scratch);
  }
}

template <class T>
void run_any_border_task(const BorderJob<T>& job, std::uint32_t node, NearScratch<T>& scratch,
                         NearVisitor<T> visit) {
  switch (job.receivers.dimension) {
    case 2: return list_borders<2>(job, node, scratch, visit);
    case 3: return list_borders<3>(job, node, scratch, visit);
    default: return list_borders<kAnyDimension>(job, node, scratch, visit);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
