// Counting points within a radius: nodes that are within it as a whole are counted by their size,
// the blocks on its surface are listed.
//
// An upper bound is never below the d2 of a point inside, so every point of a node that is counted
// as a whole is within reach.
#if defined(KITH_WALK_WHOLLY_WITHIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_WALK_WHOLLY_WITHIN_INL_H_
#undef KITH_WALK_WHOLLY_WITHIN_INL_H_
#else
#define KITH_WALK_WHOLLY_WITHIN_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <hwy/highway.h>
#include <vector>

#include "walk/sources-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T, class Norm = Squares>
class WhollyWithin {
 public:
  explicit WhollyWithin(const Sources<D, T, Norm>& sources) : sources_(sources) {}

  /// Counts the points of nodes within r2 (finite) of every point of the probe, and lists the
  /// blocks that are within it in part.
  template <bool Wrap, class Probe>
  HWY_NOINLINE std::size_t list(const Probe& probe, T r2, InteractionList<T>& out) {
    const PlanesView<T>& tree = sources_.tree();
    std::size_t inside = 0;
    front_.assign(1, 0);
    for (int plane = tree.entry(); plane > 0; --plane) {
      next_.clear();
      sources_.look();
      for (const std::uint32_t chunk : front_) {
        const Cut cut = cut_chunk<Wrap>(probe, r2, plane, chunk);
        inside += points_of(plane, chunk, cut.whole);
        for (unsigned part = cut.part; part != 0; part &= part - 1)
          next_.push_back(chunk * std::uint32_t{kLanes} +
                          static_cast<std::uint32_t>(std::countr_zero(part)));
      }
      std::swap(front_, next_);
    }
    return inside + list_leaves<Wrap>(probe, r2, out);
  }

  /// How many points of some blocks are within r2 of a point.
  template <bool Wrap>
  HWY_NOINLINE std::size_t count(const std::uint32_t* HWY_RESTRICT blocks, std::size_t size,
                                 const T* point, T r2) const {
    const Tag<T> tag;
    const Axes<D> axes = sources_.axes();
    const PointProbe<D, T> q(point, kLanes, axes);
    const auto reach = hn::Set(tag, r2);
    const T* HWY_RESTRICT base = sources_.tree().blocks;
    const T* HWY_RESTRICT side = sources_.side();
    const Norm norm = sources_.norm();
    const std::size_t stride = block_stride<T>(axes);
    std::size_t count = 0;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
        const PointColumns<T> points{base + blocks[i] * stride + lane};
        const auto d2 = distance2<Wrap>(q, points, side, axes, norm);
        count += count_bits(bits_of(tag, hn::Le(d2, reach)));
      }
    return count;
  }

 private:
  /// Nodes of a chunk, as bits.
  struct Cut {
    unsigned whole, part;
  };

  template <bool Wrap, class Probe>
  HWY_INLINE Cut cut_chunk(const Probe& q, T r2, int plane, std::size_t chunk) const {
    const Tag<T> tag;
    const Axes<D> axes = sources_.axes();
    const auto reach = hn::Set(tag, r2);
    const T* boxes = sources_.tree().chunk(plane, chunk, axes);
    unsigned near = 0, whole = 0;
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
      const ChunkColumns<D, T> to{boxes + lane, axes};
      const auto lower = lower2<Wrap>(q, to, sources_.side(), axes, sources_.norm());
      const auto upper = upper2<Wrap>(q, to, sources_.side(), axes, sources_.norm());
      near |= bits_of(tag, hn::Le(lower, reach)) << lane;
      whole |= bits_of(tag, hn::Le(upper, reach)) << lane;
    }
    return {near & whole, near & ~whole};
  }

  std::size_t points_of(int plane, std::size_t chunk, unsigned nodes) const {
    const PlanesView<T>& tree = sources_.tree();
    std::size_t points = 0;
    for (; nodes != 0; nodes &= nodes - 1) {
      const std::size_t node = chunk * kLanes + static_cast<std::size_t>(std::countr_zero(nodes));
      points += tree.plane(plane).points_of(node, plane, tree.points).size();
    }
    return points;
  }

  template <bool Wrap, class Probe>
  std::size_t list_leaves(const Probe& probe, T r2, InteractionList<T>& out) const {
    const Axes<D> axes = sources_.axes();
    const auto columns = 2 * static_cast<std::size_t>(axes.count());
    out.reserve(front_.size() * kLanes, axes.count());
    std::size_t inside = 0, listed = 0;
    for (const std::uint32_t chunk : front_) {
      const Cut cut = cut_chunk<Wrap>(probe, r2, 0, chunk);
      inside += points_of(0, chunk, cut.whole);
      const T* boxes = sources_.tree().chunk(0, chunk, axes);
      for (unsigned part = cut.part; part != 0; part &= part - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(part));
        for (std::size_t column = 0; column < columns; ++column)
          out.boxes[column * out.stride + listed] = boxes[column * kLanes + lane];
        out.source[listed++] = static_cast<std::uint32_t>(chunk * kLanes + lane);
      }
    }
    out.close(listed, axes.count());
    return inside;
  }

  const Sources<D, T, Norm>& sources_;
  std::vector<std::uint32_t> front_, next_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
