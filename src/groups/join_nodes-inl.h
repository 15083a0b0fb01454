// A join's view of a tree: nodes of all heights, their boxes, children and points; see join.hpp.
// Included once per SIMD target.
#if defined(KITH_GROUPS_JOIN_NODES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_GROUPS_JOIN_NODES_INL_H_
#undef KITH_GROUPS_JOIN_NODES_INL_H_
#else
#define KITH_GROUPS_JOIN_NODES_INL_H_
#endif

#include "geometry/distance.hpp"
#include "groups/join.hpp"
#include "kernels/near-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// The number of lanes in the type of node and point numbers.
constexpr std::uint32_t kWidth = kLanes;

/// The chunks that hold the children of a node, and which of their lanes are children. In a packed
/// tree that is one whole chunk.
template <bool Packed, class T>
class ChildChunks {
 public:
  HWY_INLINE ChildChunks(const PlaneView<T>& plane, std::uint32_t node) {
    if constexpr (Packed) {
      at_ = node;
      end_ = node + 1;
    } else {
      first_ = plane.first[node];
      last_ = plane.first[node + 1] - 1;
      at_ = first_ / kWidth;
      end_ = last_ / kWidth + 1;
    }
  }
  HWY_INLINE bool is_done() const { return at_ == end_; }
  HWY_INLINE void next() { ++at_; }
  HWY_INLINE std::uint32_t index() const { return at_; }
  HWY_INLINE std::uint32_t base() const { return at_ * kWidth; }
  HWY_INLINE std::size_t count() const { return end_ - at_; }
  HWY_INLINE unsigned lanes() const {
    unsigned lanes = 0xff;
    if constexpr (!Packed) {
      if (at_ == first_ / kWidth) lanes &= 0xffu << first_ % kWidth;
      if (at_ + 1 == end_) lanes &= 0xffu >> (kWidth - 1 - last_ % kWidth);
    }
    return lanes;
  }

 private:
  std::uint32_t at_ = 0, end_ = 0, first_ = 0, last_ = 0;
};

template <int D, class T, bool Packed>
class JoinNodes {
 public:
  using Index = std::uint32_t;
  using NodeBox = Bounds<D, T>;
  using Chunks = ChildChunks<Packed, T>;

  explicit JoinNodes(const JoinJob<T>& job)
      : job_(job),
        planes_(job.planes.planes),
        joined_(job.is_joined.data()),
        blocks_(job.planes.blocks),
        range_{Axes<D>(job.planes.dimension), job.reach2, {}},
        root_box_(box(job.top(), 0)) {
    for (int axis = 0; axis < range_.axes.count(); ++axis) range_.side[axis] = job.side[axis];
  }

  const JoinJob<T>& job() const { return job_; }
  const Range<D, T>& reach() const { return range_; }
  /// The nodes of a height from 1 on.
  HWY_INLINE const PlaneView<T>& at(int height) const { return planes_[height - 1]; }

  const T* chunk(int height, Index i) const {
    return at(height).boxes + i * chunk_stride(range_.axes);
  }
  HWY_INLINE const T* block(Index i) const { return blocks_ + i * block_stride<T>(range_.axes); }
  int range_axes() const { return Axes<D>(job_.planes.dimension).count(); }

  HWY_INLINE NodeBox box(int height, Index node) const {
    return box_of_lane(chunk(height, node / kWidth), node % kWidth, range_.axes);
  }
  HWY_INLINE void load_point(const T* HWY_RESTRICT block, unsigned lane, T* HWY_RESTRICT x) const {
    load_lane(block, lane, range_.axes, x);
  }
  HWY_INLINE Index first_point(int height, Index node) const {
    if constexpr (Packed) return node << (3 * height);
    return height == 0 ? node : at(height).begin[node];
  }
  Index end_point(int height, Index node) const {
    if constexpr (!Packed) return at(height).begin[node + 1];
    return static_cast<Index>(
        std::min(job_.planes.points, (std::size_t{node} + 1) << (3 * height)));
  }
  IndexRange children(int height, Index node) const {
    const std::size_t first = node;
    if constexpr (!Packed) return {at(height).first[first], at(height).first[first + 1]};
    return {first * kLanes, std::min(job_.nodes(height - 1), (first + 1) * kLanes)};
  }
  Index ancestor(int height, Index node) const {
    if constexpr (Packed) return node >> (3 * (height - job_.task_height));
    const Index point = first_point(job_.task_height, node);
    const Index* begin = at(height).begin;
    return static_cast<Index>(std::upper_bound(begin, begin + at(height).nodes, point) - begin - 1);
  }

  /// Are all points of the node linked with each other, by its diagonal alone?
  bool is_tight(int height, Index node) const {
    return diagonal2(box(height, node), range_.axes) <= range_.reach2;
  }
  /// Could a link of the node cross a periodic edge?
  HWY_INLINE bool is_at_edge(int height, Index node) const {
    const NodeBox q = box(height, node);
    bool could_cross = false;
    for (int axis = 0; axis < range_axes(); ++axis) {
      const T most = std::max(root_box_.hi[axis] - q.lo[axis], q.hi[axis] - root_box_.lo[axis]);
      const T rest = range_.side[axis] - most;
      could_cross |= range_.side[axis] > 0 && rest * rest <= range_.reach2;
    }
    return could_cross;
  }

  HWY_INLINE bool is_joined(int height, Index node) const { return joined_[height][node] != 0; }
  void set_joined(int height, IndexRange nodes) const {
    std::fill(joined_[height] + nodes.begin, joined_[height] + nodes.end, std::uint8_t{1});
  }
  HWY_INLINE void set_joined(int height, Index node, bool is_joined) const {
    joined_[height][node] = is_joined;
  }

 private:
  const JoinJob<T>& job_;
  const PlaneView<T>* planes_;
  std::uint8_t* const* joined_;
  const T* blocks_;
  Range<D, T> range_;
  NodeBox root_box_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
