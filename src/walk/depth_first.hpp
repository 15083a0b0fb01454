// One receiver against the sources, depth first: where no list has to be kept.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "tree/planes_view.hpp"

namespace kith {

/// drop: nothing in the node matters. keep: open it. settle: the node counts as a whole.
enum class Verdict { drop, keep, settle };

/// `Judge` has
///   Seen look(plane, chunk): what it wants to know of the 8 nodes of a chunk;
///   Verdict verdict(seen, lane, plane, node);
///   void settle(plane, node);
///   void leaf(node, seen, lane): a leaf that is kept.
/// If it has bool comes_before(seen, lane, other lane), the nodes of a chunk that are kept are
/// opened in that order; each is judged once more before, and once one is dropped so is the rest.
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
    std::array<std::size_t, kLanes> kept;
    std::size_t count = 0;
    for (std::size_t lane = nodes.begin - base; lane < nodes.end - base; ++lane) {
      const Verdict verdict = judge_.verdict(seen, lane, plane, base + lane);
      if (verdict == Verdict::settle) judge_.settle(plane, base + lane);
      if (verdict != Verdict::keep) continue;
      std::size_t at = count++;
      if constexpr (kIsOrdered<decltype(seen)>)
        for (; at > 0 && judge_.comes_before(seen, lane, kept[at - 1]); --at)
          kept[at] = kept[at - 1];
      kept[at] = lane;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t node = base + kept[i];
      if constexpr (kIsOrdered<decltype(seen)>)
        if (judge_.verdict(seen, kept[i], plane, node) == Verdict::drop) break;
      if (plane > 0)
        open(plane - 1, sources_.children(plane, node));
      else
        judge_.leaf(node, seen, kept[i]);
    }
  }

  template <class Seen>
  static constexpr bool kIsOrdered = requires(Judge& judge, Seen& seen) {
    judge.comes_before(seen, 0, 0);
  };

  const PlanesView<T>& sources_;
  Judge& judge_;
};

}  // namespace kith
