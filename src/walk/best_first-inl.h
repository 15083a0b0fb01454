// The nearest points of one query by a best-first walk in the order of (lower bound, smallest
// index). It needs no guess and never looks at a node that comes after the answer in that order:
// identical points are cheap, and so are points at infinite distance.
#if defined(KITH_WALK_BEST_FIRST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_WALK_BEST_FIRST_INL_H_
#undef KITH_WALK_BEST_FIRST_INL_H_
#else
#define KITH_WALK_BEST_FIRST_INL_H_
#endif

#include <algorithm>
#include <hwy/highway.h>
#include <vector>

#include "walk/first.hpp"
#include "walk/sources-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T, class Norm = Squares>
class BestFirst {
 public:
  explicit BestFirst(const Sources<D, T, Norm>& sources) : sources_(sources) {}

  /// The `need` nearest points within limit2 (may be infinite) of a point, in order. Valid until
  /// the next call.
  const std::vector<Candidate<T>>& search(const T* point, std::size_t need, T limit2) {
    const PointProbe<D, T> q(point, kLanes, sources_.axes());
    nodes_.clear();
    first_.reset(need, {limit2, kNoIndex});
    if (need == 0) return first_.sorted();
    push_chunk(q, sources_.tree().entry(), 0);
    for (std::size_t steps = 1; !nodes_.empty(); ++steps) {
      if (steps % 1024 == 0) sources_.look();
      std::pop_heap(nodes_.begin(), nodes_.end());
      const Node node = nodes_.back();
      nodes_.pop_back();
      if (!first_.wants(node.begin)) break;
      if (node.plane > 0)
        push_chunk(q, node.plane - 1, node.index);
      else
        add_block(q, node.index);
    }
    return first_.sorted([&] { sources_.look(); });
  }

 private:
  struct Node {
    Candidate<T> begin;  ///< lower bound and smallest index
    std::uint32_t index;
    int plane;
    bool operator<(const Node& other) const {
      return other.begin < begin;
    }  // the heap's top is the nearest
  };

  void push_chunk(const PointProbe<D, T>& q, int plane, std::size_t chunk) {
    const PlaneView<T>& at = sources_.tree().plane(plane);
    alignas(64) T lower[kLanes];
    const T* boxes = sources_.tree().chunk(plane, chunk, sources_.axes());
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(Tag<T>()))
      hn::Store(lower2<true>(q, ChunkColumns<D, T>{boxes + lane, sources_.axes()}, sources_.side(),
                             sources_.axes(), sources_.norm()),
                Tag<T>(), lower + lane);
    const std::size_t first = chunk * kLanes, count = std::min(kLanes, at.nodes - first);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const Candidate<T> begin{lower[lane], at.smallest[first + lane]};
      if (!first_.wants(begin)) continue;
      nodes_.push_back({begin, static_cast<std::uint32_t>(first + lane), plane});
      std::push_heap(nodes_.begin(), nodes_.end());
    }
  }

  void add_block(const PointProbe<D, T>& q, std::size_t index) {
    const T* block = sources_.tree().block(index, sources_.axes());
    const std::uint32_t* from = indices_of(block, sources_.axes());
    alignas(64) T d2[kLanes];
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(Tag<T>()))
      hn::Store(distance2<true>(q, PointColumns<T>{block + lane}, sources_.side(), sources_.axes(),
                                sources_.norm()),
                Tag<T>(), d2 + lane);
    const std::size_t count = sources_.tree().points_of_block(index);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const Candidate<T> candidate{d2[lane], from[lane]};
      if (first_.wants(candidate)) first_.add(candidate);
    }
  }

  const Sources<D, T, Norm>& sources_;
  std::vector<Node> nodes_;
  First<T> first_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
