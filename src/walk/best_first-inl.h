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

#include "kernels/select-inl.h"
#include "walk/reach-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T>
class BestFirst {
 public:
  explicit BestFirst(const Reach<D, T>& reach) : reach_(reach) {}

  /// The `need` nearest points within limit2 (may be infinite) of a point, in order. Valid until
  /// the next call.
  const std::vector<Candidate<T>>& search(const T* point, std::size_t need, T limit2) {
    const PointProbe<D, T> q(point, kLanes, reach_.axes());
    need_ = need;
    limit2_ = limit2;
    nodes_.clear();
    best_.clear();
    if (need == 0) return best_;
    push_chunk(q, reach_.tree().entry(), 0);
    while (!nodes_.empty()) {
      std::pop_heap(nodes_.begin(), nodes_.end());
      const Node node = nodes_.back();
      nodes_.pop_back();
      if (!is_wanted(node.key)) break;
      if (node.plane > 0)
        push_chunk(q, node.plane - 1, node.index);
      else
        add_block(q, node.index);
    }
    std::sort_heap(best_.begin(), best_.end());
    return best_;
  }

 private:
  struct Node {
    Candidate<T> key;  ///< lower bound and smallest index
    std::uint32_t index;
    int plane;
    bool operator<(const Node& other) const {
      return other.key < key;
    }  // the heap's top is the nearest
  };

  /// best_ is a heap whose front is the farthest; once it is full only what comes before that
  /// counts.
  bool is_wanted(const Candidate<T>& key) const {
    return key.d2 <= limit2_ && (best_.size() < need_ || key < best_.front());
  }

  void push_chunk(const PointProbe<D, T>& q, int plane, std::size_t chunk) {
    const PlaneView<T>& at = reach_.tree().plane(plane);
    alignas(64) T lower[kLanes];
    const T* boxes = reach_.tree().chunk(plane, chunk, reach_.axes());
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(Tag<T>()))
      hn::Store(boxes_lower2<true>(q, boxes + lane, kLanes, reach_.side(), reach_.axes()), Tag<T>(),
                lower + lane);
    const std::size_t first = chunk * kLanes, count = std::min(kLanes, at.nodes - first);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const Candidate<T> key{lower[lane], at.smallest[first + lane]};
      if (!is_wanted(key)) continue;
      nodes_.push_back({key, static_cast<std::uint32_t>(first + lane), plane});
      std::push_heap(nodes_.begin(), nodes_.end());
    }
  }

  void add_block(const PointProbe<D, T>& q, std::size_t index) {
    const T* block = reach_.tree().block(index, reach_.axes());
    const std::uint32_t* id = indices_of(block, reach_.axes());
    alignas(64) T d2[kLanes];
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(Tag<T>()))
      hn::Store(block_distance2<true>(q, block, lane, reach_.side(), reach_.axes()), Tag<T>(),
                d2 + lane);
    const std::size_t count = reach_.tree().points_of_block(index);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const Candidate<T> candidate{d2[lane], id[lane]};
      if (!is_wanted(candidate)) continue;
      if (best_.size() == need_) {
        std::pop_heap(best_.begin(), best_.end());
        best_.pop_back();
      }
      best_.push_back(candidate);
      std::push_heap(best_.begin(), best_.end());
    }
  }

  const Reach<D, T>& reach_;
  std::size_t need_ = 0;
  T limit2_ = 0;
  std::vector<Node> nodes_;
  std::vector<Candidate<T>> best_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
