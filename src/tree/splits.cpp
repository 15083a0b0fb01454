#include <kith/tree.hpp>

#include "base/fail.hpp"
#include "parallel/public_call.hpp"
#include "tree/kd_splits.hpp"
#include "tree/tree_impl.hpp"

namespace kith {

std::array<Split, 7> AnyTree::splits(int plane, std::size_t node) const {
  return public_call("tree: splits", [&] {
    if (options().curve != Curve::kd)
      refuse("tree: splits of a tree that is not in kd order; build it with curve = kd");
    if (node >= nodes(plane))
      refuse("tree: node {} of plane {}, which has {} nodes", node, plane, nodes(plane));
    std::array<Split, 7> splits;
    if (plane == 0) return splits;  // the points of a block are not split
    impl_->visit([&]<class T>(const TreeData<T>& data) {
      const KdSplits<T> tree(data.planes.view(), options().split_axis);
      tree.for_each(plane, node, [&](const KdSplit& split) {
        const auto greater = tree.bounds(plane - 1, {split.boundary, split.points.end});
        splits[static_cast<std::size_t>(split.place)] = {
            split.axis, data.frame.original(greater.lo[split.axis], split.axis)};
      });
    });
    return splits;
  });
}

}  // namespace kith
