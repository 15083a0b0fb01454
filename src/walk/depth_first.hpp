// One receiver against the sources, depth first, in the order of the tree: where no list has to be
// kept.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tree/planes_view.hpp"

namespace kith {

/// drop: nothing in the node matters. keep: open it. settle: the node counts as a whole.
enum class Verdict { drop, keep, settle };

/// `Judge` has
///   Seen look(plane, chunk): measures the 8 nodes of a chunk;
///   Verdict verdict(seen, lane, plane, node);
///   void settle(plane, node);
///   void leaf(node, seen, lane): a leaf that is kept.
template <class T, class Judge>
class DepthFirst {
 public:
  DepthFirst(const PlanesView<T>& sources, Judge& judge) : sources_(sources), judge_(judge) {}

  void run() {
    if (sources_.plane_count == 0) return;
    const int plane = sources_.is_implicit() ? sources_.entry() : sources_.top();
    open(plane, {0, sources_.plane(plane).nodes});
  }

 private:
  void open(int plane, const IndexRange& nodes) {
    for (std::size_t begin = nodes.begin; begin < nodes.end;) {
      const std::size_t end = std::min(nodes.end, begin / kLanes * kLanes + kLanes);
      open_chunk(plane, {begin, end});
      begin = end;
    }
  }

  /// Nodes of one chunk.
  void open_chunk(int plane, const IndexRange& nodes) {
    const std::size_t chunk = nodes.begin / kLanes, base = chunk * kLanes;
    const auto seen = judge_.look(plane, chunk);
    for (std::size_t lane = nodes.begin - base; lane < nodes.end - base; ++lane) {
      const std::size_t node = base + lane;
      const Verdict verdict = judge_.verdict(seen, lane, plane, node);
      if (verdict == Verdict::settle) judge_.settle(plane, node);
      if (verdict != Verdict::keep) continue;
      if (plane > 0)
        open(plane - 1, sources_.children(plane, node));
      else
        judge_.leaf(node, seen, lane);
    }
  }

  const PlanesView<T>& sources_;
  Judge& judge_;
};

}  // namespace kith
