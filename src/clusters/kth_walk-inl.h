// The k least distances of the points of a block; see kth_walk.hpp. Included once per SIMD target.
#if defined(KITH_CLUSTERS_KTH_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_CLUSTERS_KTH_WALK_INL_H_
#undef KITH_CLUSTERS_KTH_WALK_INL_H_
#else
#define KITH_CLUSTERS_KTH_WALK_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "clusters/kth_walk.hpp"
#include "clusters/near_walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// The k least squared distances of each point of one block.
template <int D, class T>
class LeastDistances {
 public:
  LeastDistances(const T* HWY_RESTRICT block, std::size_t points, std::size_t k,
                 const Range<D, T>& range)
      : block_(block), points_(points), k_(k), range_(range) {
    std::fill_n(least_[0], k * kLanes, std::numeric_limits<T>::infinity());
  }

  /// The k-th of all lanes.
  const T* kth2() const { return least_[k_ - 1]; }
  /// The largest k-th distance of the points, as of the last `update`.
  T most() const { return most_; }
  HWY_INLINE void update() { most_ = *std::max_element(kth2(), kth2() + points_); }
  /// Begins with upper bounds of the k-th distances: only nearer points are added.
  void start(const T* HWY_RESTRICT bounds2) {
    for (std::size_t rank = 0; rank < k_; ++rank) std::copy_n(bounds2, kLanes, least_[rank]);
    update();
  }

  /// Adds the distances to those points of a block that are nearer than `most` to the box of the
  /// receivers.
  template <bool Wrap>
  HWY_INLINE void add_near(const Bounds<D, T>& box, const T* HWY_RESTRICT sources) {
    const Tag<T> tag;
    const auto most = hn::Set(tag, most_);
    unsigned near = 0;
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
      const auto lower = lower2_of_points<Wrap>(box, sources, lane, range_.side, range_.axes);
      near |= bits_of(tag, hn::Lt(lower, most)) << lane;
    }
    if (near == 0) return;
    add<Wrap>(sources, near);
    update();
  }

  /// Adds the distances to some points of a block. Unused lanes, NaN, are near nothing.
  template <bool Wrap>
  HWY_INLINE void add(const T* HWY_RESTRICT sources, unsigned lanes = 0xff) {
    const Tag<T> tag;
    for (; lanes != 0; lanes &= lanes - 1) {
      const PointProbe<D, T> from(sources + std::countr_zero(lanes), kLanes, range_.axes);
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
        const auto d2 =
            distance2<Wrap>(from, PointColumns<T>{block_ + lane}, range_.side, range_.axes);
        const auto is_near = hn::Lt(d2, hn::Load(tag, kth2() + lane));
        if (hn::AllFalse(tag, is_near)) continue;
        insert(hn::IfThenElse(is_near, d2, hn::Set(tag, std::numeric_limits<T>::infinity())), lane);
      }
    }
  }

 private:
  HWY_INLINE void insert(Vec<T> d2, std::size_t lane) {
    const Tag<T> tag;
    for (std::size_t rank = 0; rank < k_; ++rank) {
      const auto here = hn::Load(tag, least_[rank] + lane);
      hn::Store(hn::Min(here, d2), tag, least_[rank] + lane);
      d2 = hn::Max(here, d2);
    }
  }

  const T* HWY_RESTRICT block_;
  std::size_t points_, k_;
  const Range<D, T>& range_;
  T most_ = std::numeric_limits<T>::infinity();
  alignas(64) T least_[kMostKth][kLanes];
};

template <int D, class T>
class KthFinder {
 public:
  using Index = std::uint32_t;
  explicit KthFinder(const KthJob<T>& job)
      : job_(job),
        nodes_(job.receivers),
        range_{Axes<D>(job.receivers.dimension), T(0), {}},
        window_(job.k / (2 * kLanes) + 1) {
    std::copy_n(job.side, range_.axes.count(), range_.side);
  }

  /// The first pass for one block.
  void bound(Index block) const {
    LeastDistances<D, T> least(nodes_.block(block), points(block), job_.k, range_);
    add_window(block, least);
    std::copy_n(least.kth2(), kLanes, job_.kth2 + std::size_t{block} * kLanes);
    const T most = std::min(least.most(), std::numeric_limits<T>::max());
    job_.reach2[1][block] = most > 0 ? std::nextafter(most, T(0)) : T(-1);
  }

  // ---- as a visitor of the walk
  bool skips(int height, Index node) const { return reach2(height, node) < 0; }
  T reach2(int height, Index node) const {
    return job_.reach2[static_cast<std::size_t>(height)][node];
  }
  template <bool Wrap, class Walk>
  void visit(const Walk&, Index block, const Index* near, std::size_t n) const {
    LeastDistances<D, T> least(nodes_.block(block), points(block), job_.k, range_);
    T* const kth2 = job_.kth2 + std::size_t{block} * kLanes;
    least.start(kth2);
    const Bounds<D, T> box = nodes_.box(1, block);
    for (std::size_t i = 0; i < n; ++i) least.template add_near<Wrap>(box, nodes_.block(near[i]));
    std::copy_n(least.kth2(), kLanes, kth2);
  }

 private:
  std::size_t points(Index block) const { return nodes_.points_below(1, block); }

  /// Blocks around this one along the curve, with at least k points if there are as many.
  void add_window(Index block, LeastDistances<D, T>& least) const {
    const std::size_t blocks = nodes_.nodes(1), size = std::min(blocks, 2 * window_ + 1);
    const std::size_t begin =
        std::min(blocks - size, std::size_t{block} - std::min<std::size_t>(block, window_));
    least.template add<true>(nodes_.block(block));
    for (std::size_t other = begin; other < begin + size; ++other)
      if (other != block) least.template add<true>(nodes_.block(static_cast<Index>(other)));
    least.update();
  }

  const KthJob<T>& job_;
  const PackedNodes<D, T> nodes_;
  Range<D, T> range_;
  std::size_t window_;  // blocks on either side
};

template <int D, class T>
void find_kth_bounds(const KthJob<T>& job, std::size_t begin, std::size_t end) {
  const KthFinder<D, T> finder(job);
  for (std::size_t block = begin; block < end; ++block)
    finder.bound(static_cast<std::uint32_t>(block));
}

template <int D, class T>
void find_kth(const KthJob<T>& job, std::uint32_t node, NearScratch<T>& scratch) {
  KthFinder<D, T> finder(job);
  NearWalk<D, T, KthFinder<D, T>>(job, scratch, finder).run(node);
}

template <class T>
void run_any_kth_bounds(const KthJob<T>& job, std::size_t begin, std::size_t end) {
  switch (job.receivers.dimension) {
    case 2: return find_kth_bounds<2>(job, begin, end);
    case 3: return find_kth_bounds<3>(job, begin, end);
    default: return find_kth_bounds<kAnyDimension>(job, begin, end);
  }
}

template <class T>
void run_any_kth_task(const KthJob<T>& job, std::uint32_t node, NearScratch<T>& scratch) {
  switch (job.receivers.dimension) {
    case 2: return find_kth<2>(job, node, scratch);
    case 3: return find_kth<3>(job, node, scratch);
    default: return find_kth<kAnyDimension>(job, node, scratch);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
