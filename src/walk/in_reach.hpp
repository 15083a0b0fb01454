// The leaves of a tree within reach of a box: the surroundings of a center, or what a rank has to
// give to the owner of that box.
#pragma once

#include <array>

#include "geometry/distance.hpp"
#include "walk/depth_first.hpp"

namespace kith {

/// Calls leaf(node) for every leaf of the sources whose lower bound to the receiver is at most
/// reach2, in the order of the tree.
template <int D, class T, class Leaf>
class InReach {
 public:
  InReach(const PlanesView<T>& sources, const Metric<D, T>& metric, Leaf leaf)
      : sources_(sources), metric_(metric), leaf_(leaf) {}

  void run(const Bounds<D, T>& receiver, T reach2) {
    receiver_ = receiver;
    reach2_ = reach2;
    DepthFirst<T, InReach>(sources_, *this).run();
  }

  // ---- as the judge of the walk

  using Lowers = std::array<T, kLanes>;

  Lowers look(int plane, std::size_t chunk) const {
    const T* boxes = sources_.chunk(plane, chunk, metric_.axes);
    Lowers lower;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      lower[lane] = metric_.lower2(receiver_, box_of_lane(boxes, lane, metric_.axes));
    return lower;
  }
  Verdict verdict(const Lowers& lower, std::size_t lane, int, std::size_t) const {
    return lower[lane] <= reach2_ ? Verdict::keep : Verdict::drop;
  }
  void settle(int, std::size_t) const {}
  void leaf(std::size_t node, const Lowers&, std::size_t) { leaf_(node); }

 private:
  const PlanesView<T>& sources_;
  const Metric<D, T>& metric_;
  Leaf leaf_;
  Bounds<D, T> receiver_{};
  T reach2_ = 0;
};

}  // namespace kith
