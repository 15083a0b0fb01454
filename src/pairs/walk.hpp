// All pairs of two trees, sorted into bins: receivers x sources, plane by plane.
//
// A node of the receivers carries a list of source nodes, on the same plane where the trees are
// deep enough; children refine their parent's list. A pair of nodes is
// dropped (too far), settled (all its pairs are in one bin) or kept, down to groups of 8 blocks.
//
// This is a separate walk because its verdict is a bin, made for 8 boxes at once, and because
// a tree with itself sees every pair of nodes once. One text for all SIMD targets and norms:
// `Blocks` counts the pairs of groups, and its `Geometry` measures boxes.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "pairs/job.hpp"

namespace kith {

/// Bounds of the keys between a box and 8 others, and one bit per lane.
template <class Key>
struct PairLook {
  alignas(64) Key lower[kLanes], upper[kLanes];
  unsigned near = 0xff;  ///< some pair may count
  unsigned open = 0xff;  ///< the bin does not follow from the bounds of the keys alone
};

/// `Blocks` has the types Scalar and Geometry, the number kIsWeighted, the axes kDimension, and
///   PairTally& tally();
///   void search(group, list): one group of 8 blocks with the listed groups.
/// `Geometry` has the type Key and
///   void look(box, chunk, PairLook& look);
///   std::size_t bin(key).
template <class Blocks>
class PairWalk final : public PairWorker {
  using T = typename Blocks::Scalar;
  using Geometry = typename Blocks::Geometry;
  static constexpr int D = Blocks::kDimension;
  static constexpr bool kIsWeighted = Blocks::kIsWeighted;

 public:
  /// `more` goes to the blocks.
  template <class... More>
  PairWalk(const PairJob<T>& job, const Geometry& geometry, const More&... more)
      : job_(job),
        from_(*job.receivers),
        to_(*job.sources),
        axes_(from_.view.dimension),
        geometry_(geometry),
        is_alone_(job.is_pairwise()),
        blocks_(job, geometry, more...),
        lists_(2 * kMaxPlanes) {}

  std::vector<PairPart> run(int plane, std::size_t node) override {
    lists_[0].assign(1, 0);
    descend(0, {plane, node}, to_.planes());
    return blocks_.tally().release();
  }

 private:
  struct Place {
    int plane;
    std::size_t node;
  };

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
  void refine(Place at, int plane, const std::vector<std::uint32_t>& list,
              std::vector<std::uint32_t>& out) {
    out.clear();
    const bool has_box = at.plane < from_.planes();
    const auto box = has_box ? from_.view.box(at.plane, at.node, axes_) : Bounds<D, T>::empty();
    const std::size_t count = to_.nodes(plane - 1);
    const int shift = 3 * (plane - 1 - at.plane);
    for (const std::uint32_t parent : list) {
      const std::size_t first = parent * kLanes;
      PairLook<typename Geometry::Key> look;
      if (has_box) geometry_.look(box, to_.view.chunk(plane - 1, parent, axes_), look);
      unsigned in = look.near & ((1U << std::min(count - first, kLanes)) - 1);
      for (; in != 0; in &= in - 1) {
        const int lane = std::countr_zero(in);
        const std::size_t node = first + static_cast<std::size_t>(lane);
        if (job_.is_own && (node + 1) << shift <= at.node) continue;
        const bool may_settle = !is_alone_ && (look.open >> lane & 1) == 0;
        const bool is_later = !job_.is_own || node << shift > at.node;
        if (may_settle && is_later &&
            settle(at, {plane - 1, node}, look.lower[lane], look.upper[lane]))
          continue;
        out.push_back(static_cast<std::uint32_t>(node));
      }
    }
  }

  template <class Key>
  bool settle(Place at, Place source, Key lower, Key upper) {
    const std::size_t bin = geometry_.bin(lower);
    if (bin != geometry_.bin(upper)) return false;
    const std::int32_t receiver_region = from_.region_of(at.plane, at.node),
                       source_region = to_.region_of(source.plane, source.node);
    if (receiver_region < 0 || source_region < 0) return false;
    blocks_.tally().select(receiver_region, source_region);
    blocks_.tally().add(bin, from_.template sum<kIsWeighted>(at.plane, at.node) *
                                 to_.template sum<kIsWeighted>(source.plane, source.node));
    return true;
  }

  const PairJob<T>& job_;
  const PairSide<T>&from_, &to_;
  Axes<D> axes_;
  Geometry geometry_;
  bool is_alone_;  ///< every pair is visited: no node is settled as a whole
  Blocks blocks_;
  std::vector<std::vector<std::uint32_t>> lists_;
};

}  // namespace kith
