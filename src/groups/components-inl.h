// Which nodes are joined: all their points are known to be in one set.
//
// The component of a node is the set of its points if it is joined, else kMixed. Two joined nodes
// of one component need no look; two of different components need only the first link between them.
// The join keeps a flag per node and asks the union-find; a spanning tree keeps the components
// themselves, which are final for a round. Both climb a tree by `common_component`.
// Included once per SIMD target: code of one target is inlined only into code of the same.
#if defined(KITH_GROUPS_COMPONENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_GROUPS_COMPONENTS_INL_H_
#undef KITH_GROUPS_COMPONENTS_INL_H_
#else
#define KITH_GROUPS_COMPONENTS_INL_H_
#endif

#include <cstdint>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// The component of a node whose points are not known to be in one set.
constexpr std::uint32_t kMixed = 0xffffffff;

/// The one component of [begin, end), or kMixed: component_of(i) is asked until two differ.
template <class ComponentOf>
std::uint32_t common_component(std::uint32_t begin, std::uint32_t end, ComponentOf component_of) {
  const std::uint32_t common = component_of(begin);
  for (std::uint32_t i = begin + 1; i < end; ++i)
    if (common == kMixed || component_of(i) != common) return kMixed;
  return common;
}

/// The components of the nodes of a tree while sets grow. `Nodes` has first_point, children and the
/// flag is_joined(height, node) of each node; `Sets` has find.
template <class Nodes, class Sets>
class Components {
 public:
  Components(const Nodes& nodes, const Sets& sets) : nodes_(nodes), sets_(sets) {}

  /// The component of a node, or the set of a point (height 0).
  std::uint32_t of(int height, std::uint32_t node) const {
    if (height > 0 && !nodes_.is_joined(height, node)) return kMixed;
    return sets_.find(nodes_.first_point(height, node));
  }

  /// Are all these nodes, or these points, known to be in one set?
  bool are_joined(int height, std::uint32_t begin, std::uint32_t end) const {
    return common_component(
               begin, end, [&](std::uint32_t node) HWY_ATTR { return of(height, node); }) != kMixed;
  }

  /// Notes which of these nodes have become joined by links outside them.
  void refresh(int height, std::uint32_t begin, std::uint32_t end) const {
    for (std::uint32_t node = begin; node < end; ++node) {
      if (nodes_.is_joined(height, node)) continue;
      const auto children = nodes_.children(height, node);
      nodes_.set_joined(height, node,
                        are_joined(height - 1, static_cast<std::uint32_t>(children.begin),
                                   static_cast<std::uint32_t>(children.end)));
    }
  }

 private:
  const Nodes nodes_;
  const Sets sets_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
