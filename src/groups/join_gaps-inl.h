// Gaps between the nodes of a join that no box shows; see apart-inl.h. Included once per SIMD
// target.
#if defined(KITH_GROUPS_JOIN_GAPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_GROUPS_JOIN_GAPS_INL_H_
#undef KITH_GROUPS_JOIN_GAPS_INL_H_
#else
#define KITH_GROUPS_JOIN_GAPS_INL_H_
#endif

#include "groups/apart-inl.h"
#include "groups/join_nodes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// Looks for a plane between two nodes where that seems worth its time. Pairs of leaves that were
/// compared without a link pay for it, and so does success: where nodes touch, or are apart by
/// their boxes, nothing is spent. (Without this rule a lattice takes 1.4 times as long.)
template <int D, class T, bool Packed>
class JoinGaps {
 public:
  using Nodes = JoinNodes<D, T, Packed>;
  using Index = typename Nodes::Index;

  explicit JoinGaps(const Nodes& nodes) : nodes_(nodes) {}

  /// Two leaves were compared.
  void note_leaves(bool are_linked) { earn(are_linked ? 0 : 1); }

  /// Separating-plane test: have two nodes of one height certainly no pair in range?
  bool are_apart(int height, Index a, Index b) {
    if (height > kHeight) return false;
    const int cost = height == 2 ? 4 : 32;  // in pairs of leaves
    if (earned_ < cost || !can_be_tested(height, a) || !can_be_tested(height, b)) return false;
    const bool are_apart = Plane(nodes_.reach(), points(height, a), points(height, b)).run();
    earn(are_apart ? cost : -cost);
    return are_apart;
  }

 private:
  using Plane = Apart<D, T>;
  static constexpr int kHeight = 3;  ///< nodes of 64 and 512 points
  static constexpr int kMost = 4096;

  void earn(int looks) { earned_ = std::min(earned_ + looks, kMost); }

  static std::size_t blocks(int height) { return std::size_t{1} << (3 * (height - 1)); }
  bool can_be_tested(int height, Index node) const {
    return (std::size_t{node} + 1) * blocks(height) * kLanes <= nodes_.job().planes.points &&
           Plane::is_usable(nodes_.reach().reach2);
  }
  typename Plane::Points points(int height, Index node) const {
    return {nodes_.block(nodes_.first_point(height, node) / kWidth), blocks(height),
            nodes_.box(height, node)};
  }

  const Nodes nodes_;
  int earned_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
