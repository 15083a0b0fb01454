// All pairs of two trees, sorted into bins: receivers x sources, plane by plane.
//
// A node of the receivers carries the list of the source nodes that it has to look at, of its own
// plane where the trees are deep enough; children refine their parent's list. A pair of nodes is
// dropped (too far), settled (all its pairs are in one bin) or kept. Pairs of blocks are sorted
// into classes by the limits that lie between their bounds (pair_blocks-inl.h), and each class is
// one batch for a kernel with that number of limits (pair_batches-inl.h): no pair is compared with
// a limit that cannot matter.
//
// This is a separate walk because its verdict is a class, made for 8 boxes at once, and because
// a tree with itself sees every pair of nodes once.
#if defined(KITH_WALK_PAIR_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_WALK_PAIR_WALK_INL_H_
#undef KITH_WALK_PAIR_WALK_INL_H_
#else
#define KITH_WALK_PAIR_WALK_INL_H_
#endif

#include <algorithm>
#include <hwy/highway.h>
#include <vector>

#include "walk/pair_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <PairMeasure Measure, int D, class T, bool Weighted>
class PairWalk final : public PairWorker {
 public:
  PairWalk(const PairJob<T>& job, Scatter<D, T> plain, Scatter<D, T> wrapped)
      : job_(job),
        from_(*job.receivers),
        to_(*job.sources),
        axes_(from_.view.dimension),
        geometry_(axes_, job),
        is_alone_(job.is_pairwise()),
        batches_(job, plain, wrapped),
        blocks_(job, geometry_, batches_),
        lists_(2 * kMaxPlanes) {}

  std::vector<PairPart> run(int plane, std::size_t node) override {
    lists_[0].assign(1, 0);
    descend(0, {plane, node}, to_.planes());
    return batches_.tally().take();
  }

 private:
  struct Place {
    int plane;
    std::size_t node;
  };

  const T* chunk(const PairSide<T>& side, int plane, std::size_t i) const {
    return side.view.plane(plane).boxes + i * chunk_stride(axes_);
  }

  /// A node of the receivers with the list at `depth` of source nodes of a plane.
  void descend(std::size_t depth, Place at, int plane) {
    if (at.plane == 1 && plane == 1) return blocks_.search(at.node, lists_[depth]);
    if (plane > at.plane) {
      refine(at, plane, lists_[depth], lists_[depth + 1]);
      return descend(depth + 1, at, plane - 1);
    }
    const std::size_t end = std::min((at.node + 1) * kLanes, from_.nodes(at.plane - 1));
    for (std::size_t node = at.node * kLanes; node < end; ++node) {
      const Place child{at.plane - 1, node};
      if (plane < at.plane) {
        descend(depth, child, plane);
      } else {
        refine(child, plane, lists_[depth], lists_[depth + 1]);
        descend(depth + 1, child, plane - 1);
      }
    }
  }

  /// The children of listed source nodes, less those that are too far, settled, or before the
  /// receiver.
  HWY_NOINLINE void refine(Place at, int plane, const std::vector<std::uint32_t>& list,
                           std::vector<std::uint32_t>& out) {
    out.clear();
    const Tag<T> tag;
    const bool has_box = at.plane < from_.planes();
    const Bounds<D, T> q =
        has_box ? box_of_lane(chunk(from_, at.plane, at.node / kLanes), at.node % kLanes, axes_)
                : Bounds<D, T>::empty();
    const std::size_t count = to_.nodes(plane - 1);
    const int shift = 3 * (plane - 1 - at.plane);
    for (const std::uint32_t parent : list)
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
        const std::size_t first = parent * kLanes + lane;
        if (first >= count) break;
        alignas(64) T lower[kLanes] = {}, upper[kLanes] = {};
        unsigned in = ~0U, open = 0;
        if (has_box) {
          const auto verdict = geometry_.bounds(q, chunk(to_, plane - 1, parent) + lane, kLanes);
          const auto is_near = hn::Le(verdict.lower, hn::Set(tag, job_.first.last()));
          hn::Store(verdict.lower, tag, lower);
          hn::Store(verdict.upper, tag, upper);
          in = bits_of(tag, hn::AndNot(verdict.is_beyond, is_near));
          open = bits_of(tag, verdict.is_open);
        }
        in &= static_cast<unsigned>((std::uint64_t{1} << std::min(count - first, hn::Lanes(tag))) -
                                    1);
        for (; in != 0; in &= in - 1) {
          const auto i = static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(in));
          const std::size_t node = first + i;
          const bool may_settle = has_box && !is_alone_ && (open >> i & 1) == 0;
          if (job_.is_own && (node + 1) << shift <= at.node) continue;
          const bool is_later = !job_.is_own || node << shift > at.node;
          if (may_settle && is_later && settle(at, {plane - 1, node}, lower[i], upper[i])) continue;
          out.push_back(static_cast<std::uint32_t>(node));
        }
      }
  }

  bool settle(Place at, Place source, T lower, T upper) {
    const std::size_t bin = job_.first.bin(lower);
    if (bin != job_.first.bin(upper)) return false;
    const std::int32_t receiver_region = from_.region_of(at.plane, at.node),
                       source_region = to_.region_of(source.plane, source.node);
    if (receiver_region < 0 || source_region < 0) return false;
    batches_.tally().select(receiver_region, source_region);
    batches_.tally().add(bin, from_.template sum<Weighted>(at.plane, at.node) *
                                  to_.template sum<Weighted>(source.plane, source.node));
    return true;
  }

  const PairJob<T>& job_;
  const PairSide<T>&from_, &to_;
  Axes<D> axes_;
  PairGeometry<Measure, D, T> geometry_;
  bool is_alone_;  ///< every pair is looked at: no node is settled as a whole
  PairBatches<Measure, D, T, Weighted> batches_;
  PairBlocks<Measure, D, T, Weighted> blocks_;
  std::vector<std::vector<std::uint32_t>> lists_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
