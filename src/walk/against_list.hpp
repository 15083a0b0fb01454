// A tree of receivers against a flat list of sources, such as the boxes of other ranks: each node
// hands its children the rest of the list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/planes_view.hpp"

namespace kith {

/// `Judge` has
///   void keep(plane, node, from, kept): those of `from` that matter to some child of the node;
///   void leaf(node, kept): for each leaf that has any left.
template <class T, class Judge>
class AgainstList {
 public:
  using List = std::vector<std::uint32_t>;

  AgainstList(const PlanesView<T>& receivers, Judge& judge)
      : receivers_(receivers), judge_(judge) {}

  void open(int plane, std::size_t node, const List& from) {
    List kept;
    judge_.keep(plane, node, from, kept);
    if (kept.empty()) return;
    if (plane == 0) return judge_.leaf(node, kept);
    const IndexRange children = receivers_.children(plane, node);
    for (std::size_t child = children.begin; child < children.end; ++child)
      open(plane - 1, child, kept);
  }

 private:
  const PlanesView<T>& receivers_;
  Judge& judge_;
};

}  // namespace kith
