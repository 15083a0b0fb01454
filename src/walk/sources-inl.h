// Which blocks of a tree are in reach of a group of queries, of a block of them, of one; and the
// points there.
//
// A box bound never exceeds the d2 of a point inside, so nothing in reach is missed.
#if defined(KITH_WALK_SOURCES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_WALK_SOURCES_INL_H_
#undef KITH_WALK_SOURCES_INL_H_
#else
#define KITH_WALK_SOURCES_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <hwy/highway.h>
#include <utility>
#include <vector>

#include "base/function_ref.hpp"
#include "geometry/distance.hpp"
#include "kernels/compress-inl.h"
#include "walk/interaction_list.hpp"
#include "walk/node_source.hpp"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// The key of the corners of a box.
template <int D, class T>
T diagonal_key(const Bounds<D, T>& box, Axes<D> axes, const Squares&) {
  return diagonal2(box, axes);
}
template <int D, class T>
T diagonal_key(const Bounds<D, T>& box, Axes<D> axes, const Differences& norm) {
  T sum = 0;
  for (int axis = 0; axis < axes.count(); ++axis) {
    const T width = box.hi[axis] - box.lo[axis];
    sum = norm.is_sum ? sum + width : std::max(sum, width);
  }
  return sum;
}

/// The geometry of one implicit tree, which must outlive this. Not for use by two threads at once.
/// Radii are keys of the norm: squares for the Euclidean one.
template <int D, class T, class Norm = Squares>
class Sources {
 public:
  using Index = hn::Rebind<std::uint32_t, Tag<T>>;

  /// `checkpoint`, which may be null, is called whenever much work is done.
  Sources(const PlanesView<T>& tree, const T* side, const FunctionRef<void()>* checkpoint = nullptr,
          const Norm& norm = {})
      : tree_(tree), axes_(tree.dimension), side_(side), norm_(norm), checkpoint_(checkpoint) {}

  void look() const {
    if (checkpoint_) (*checkpoint_)();
  }

  const PlanesView<T>& tree() const { return tree_; }
  Axes<D> axes() const { return axes_; }
  const T* side() const { return side_; }
  const Norm& norm() const { return norm_; }

  /// Lists the blocks within r2 (finite) of the probe; false if there are more than `limit` on the
  /// way.
  template <bool Wrap, class Probe>
  bool list(const Probe& q, T r2, std::size_t limit, InteractionList<T>& out) {
    std::size_t count = 1;
    grow(front_, 2 * kLanes);
    front_[0] = 0;
    for (int plane = tree_.entry(); plane > 0; --plane) {
      grow(next_, (count + 2) * kLanes);
      count = nodes_in_reach<Wrap>(q, r2, plane, count);
      if (count > limit) return false;
      std::swap(front_, next_);
    }
    out.reserve(count * kLanes, axes_.count());
    std::size_t listed = 0;
    for (std::size_t begin = 0; begin < count; begin += kChunksPerLook) {
      if (begin > 0) look();
      listed =
          leaves_in_reach<Wrap>(q, r2, begin, std::min(count, begin + kChunksPerLook), listed, out);
    }
    out.close(listed, axes_.count());
    return listed <= limit;
  }

  /// Lists near blocks where points near the probe are much closer to each other than r2: nodes no
  /// larger than `small2` stay whole (NodeSource), after the blocks.
  template <bool Wrap, class Probe>
  bool list_nodes(const Probe& q, T r2, T small2, std::size_t limit, InteractionList<T>& out) {
    std::size_t count = 1;
    grow(front_, 2 * kLanes);
    front_[0] = 0;
    whole_.clear();
    for (int plane = tree_.entry(); plane > 0; --plane) {
      grow(next_, (count + 2) * kLanes);
      count = take_small(nodes_in_reach<Wrap>(q, r2, plane, count), plane, small2);
      if (count + whole_.size() > limit) return false;
      std::swap(front_, next_);
    }
    out.reserve(count * kLanes + whole_.size(), axes_.count());
    std::size_t listed = leaves_in_reach<Wrap>(q, r2, 0, count, 0, out);
    for (const NodeSource node : whole_) {
      for (std::size_t column = 0; column < 2 * static_cast<std::size_t>(axes_.count()); ++column)
        out.boxes[column * out.stride + listed] = tree_.chunk(
            node.plane(), node.index() / kLanes, axes_)[column * kLanes + node.index() % kLanes];
      out.source[listed++] = node.code;
    }
    out.close(listed, axes_.count());
    return listed <= limit;
  }

  /// Replaces the nodes at the end of `picked` by their blocks within r2 of a point, unless these
  /// are more than `limit`; room for `limit` and 16 more.
  template <bool Wrap>
  HWY_NOINLINE std::size_t expand(const T* point, T r2, std::uint32_t* HWY_RESTRICT picked,
                                  std::size_t count, std::size_t limit) {
    const PointProbe<D, T> q(point, kLanes, axes_);
    whole_.clear();
    for (; count > 0 && NodeSource::is_node(picked[count - 1]); --count)
      whole_.push_back({picked[count - 1]});
    while (!whole_.empty() && count <= limit) {
      const NodeSource node = whole_.back();
      whole_.pop_back();
      const int plane = node.plane() - 1;
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(Tag<T>())) {
        const T* chunk = tree_.chunk(plane, node.index(), axes_) + lane;
        unsigned bits = bits_of(
            Tag<T>(), hn::Le(lower2<Wrap>(q, ChunkColumns<D, T>{chunk, axes_}, side_, axes_, norm_),
                             hn::Set(Tag<T>(), r2)));
        for (; bits != 0; bits &= bits - 1) {
          const std::size_t child =
              node.index() * kLanes + lane + static_cast<std::size_t>(std::countr_zero(bits));
          if (plane > 0)
            whole_.push_back(NodeSource::of(plane, child));
          else
            picked[count++] = static_cast<std::uint32_t>(child);
        }
      }
    }
    return whole_.empty() ? count : limit + 1;
  }

  /// The part of a list that is within r2 of the probe.
  template <bool Wrap, class Probe>
  void filter(const InteractionList<T>& in, const Probe& probe, T r2,
              InteractionList<T>& out) const {
    filter<Wrap, false>(in, probe, r2, out,
                        [](std::size_t, Vec<T>, unsigned bits) HWY_ATTR { return bits; });
  }

  /// The part of a list that `select` keeps as well: select(i, d2, bits) are the bits that stay, of
  /// those for the nodes from i on. IsSparse: most nodes do not stay.
  template <bool Wrap, bool IsSparse, class Probe, class Select>
  HWY_NOINLINE void filter(const InteractionList<T>& in, const Probe& probe, T r2,
                           InteractionList<T>& out, Select select) const {
    const Tag<T> tag;
    const Index index;
    const Probe q = probe;
    const auto reach = hn::Set(tag, r2);
    out.reserve(in.size, axes_.count());
    const T* HWY_RESTRICT from = in.boxes.data();
    const std::uint32_t* HWY_RESTRICT from_block = in.source.data();
    T* HWY_RESTRICT to = out.boxes.data();
    std::uint32_t* HWY_RESTRICT to_block = out.source.data();
    const std::size_t size = in.size, from_stride = in.stride, to_stride = out.stride;
    const T* HWY_RESTRICT side = side_;
    const Axes<D> axes = axes_;
    const Norm norm = norm_;
    std::size_t count = 0;
    for (std::size_t i = 0; i < size; i += hn::Lanes(tag)) {
      const auto d2 =
          lower2<Wrap>(q, ListColumns<D, T>{from + i, from_stride, axes}, side, axes, norm);
      const unsigned bits = select(i, d2, bits_of(tag, hn::Le(d2, reach)));
      if (IsSparse && bits == 0) continue;
      for (std::size_t column = 0; column < 2 * static_cast<std::size_t>(axes.count()); ++column)
        append(tag, hn::LoadU(tag, from + column * from_stride + i), bits,
               to + column * to_stride + count);
      append(index, hn::LoadU(index, from_block + i), bits, to_block + count);
      count += count_bits(bits);
    }
    out.close(count, axes_.count());
  }

  /// The blocks of a list that are within r2 of a point; room for list.size + 8 of them.
  template <bool Wrap>
  HWY_NOINLINE std::size_t pick(const InteractionList<T>& list, const T* point, T r2,
                                std::uint32_t* HWY_RESTRICT picked) const {
    const Tag<T> tag;
    const Index index;
    const PointProbe<D, T> q(point, kLanes, axes_);
    const auto reach = hn::Set(tag, r2);
    const T* HWY_RESTRICT boxes = list.boxes.data();
    const std::uint32_t* HWY_RESTRICT block = list.source.data();
    const std::size_t size = list.size, stride = list.stride;
    const T* HWY_RESTRICT side = side_;
    const Axes<D> axes = axes_;
    const Norm norm = norm_;
    std::size_t count = 0;
    for (std::size_t i = 0; i < size; i += hn::Lanes(tag)) {
      const auto d2 = lower2<Wrap>(q, ListColumns<D, T>{boxes + i, stride, axes}, side, axes, norm);
      const unsigned bits = bits_of(tag, hn::Le(d2, reach));
      append(index, hn::LoadU(index, block + i), bits, picked + count);
      count += count_bits(bits);
    }
    return count;
  }

  /// The points of some blocks within r2 of a point; room for 8 times as many points and a vector.
  template <bool Wrap>
  HWY_NOINLINE std::size_t collect(const std::uint32_t* HWY_RESTRICT picked, std::size_t blocks,
                                   const T* point, T r2, T* HWY_RESTRICT to_d2,
                                   std::uint32_t* HWY_RESTRICT to_index) const {
    const Tag<T> tag;
    const Index index;
    const PointProbe<D, T> q(point, kLanes, axes_);
    const auto reach = hn::Set(tag, r2);
    const T* HWY_RESTRICT base = tree_.blocks;
    const T* HWY_RESTRICT side = side_;
    const Axes<D> axes = axes_;
    const Norm norm = norm_;
    const std::size_t stride = block_stride<T>(axes);
    std::size_t count = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      const T* HWY_RESTRICT block = base + picked[i] * stride;
      const std::uint32_t* HWY_RESTRICT from = indices_of(block, axes);
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
        const auto d2 = distance2<Wrap>(q, PointColumns<T>{block + lane}, side, axes, norm);
        const unsigned bits = bits_of(tag, hn::Le(d2, reach));
        append(tag, d2, bits, to_d2 + count);
        append(index, hn::LoadU(index, from + lane), bits, to_index + count);
        count += count_bits(bits);
      }
    }
    return count;
  }

  /// Follows the node whose farthest corner is nearest to a point, as long as nodes hold `need`
  /// points: visit(upper bound, box, points) for each on the way.
  template <class Visit>
  void follow_nearest(const T* point, std::size_t need, Visit visit) const {
    const PointProbe<D, T> q(point, kLanes, axes_);
    std::size_t chunk = 0, points = kLanes;
    for (int plane = 0; plane < tree_.entry(); ++plane) points *= kLanes;
    for (int plane = tree_.entry(); plane >= 0 && points >= need; --plane, points /= kLanes) {
      const T* boxes = tree_.chunk(plane, chunk, axes_);
      alignas(64) T upper[kLanes];
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(Tag<T>()))
        hn::Store(upper2<true>(q, ChunkColumns<D, T>{boxes + lane, axes_}, side_, axes_, norm_),
                  Tag<T>(), upper + lane);
      // The last node of a plane may be short of points: not counted on.
      const std::size_t first = chunk * kLanes, nodes = tree_.plane(plane).nodes;
      const std::size_t full = first + 1 < nodes ? std::min(kLanes, nodes - 1 - first) : 0;
      if (full == 0) return;
      const auto nearest = static_cast<std::size_t>(std::min_element(upper, upper + full) - upper);
      visit(upper[nearest], box_of_lane(boxes, nearest, axes_), points);
      chunk = first + nearest;
    }
  }

  /// Follows the node whose farthest corner is nearest to a point, down to a block.
  std::size_t nearest_block(const T* point) const {
    const PointProbe<D, T> q(point, kLanes, axes_);
    std::size_t chunk = 0;
    for (int plane = tree_.entry(); plane >= 0; --plane) {
      const T* boxes = tree_.chunk(plane, chunk, axes_);
      alignas(64) T upper[kLanes];
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(Tag<T>()))
        hn::Store(upper2<true>(q, ChunkColumns<D, T>{boxes + lane, axes_}, side_, axes_, norm_),
                  Tag<T>(), upper + lane);
      const std::size_t first = chunk * kLanes,
                        count = std::min(kLanes, tree_.plane(plane).nodes - first);
      chunk = first + static_cast<std::size_t>(std::min_element(upper, upper + count) - upper);
    }
    return chunk;
  }

 private:
  /// Moves the small ones of the next nodes to the whole ones; how many are left.
  std::size_t take_small(std::size_t count, int plane, T small2) {
    std::size_t left = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t node = next_[i];
      const Bounds<D, T> box = tree_.box(plane, node, axes_);
      if (diagonal_key(box, axes_, norm_) <= small2)
        whole_.push_back(NodeSource::of(plane, node));
      else
        next_[left++] = node;
    }
    return left;
  }

  static void grow(Array<std::uint32_t>& array, std::size_t size) {
    if (array.size() < size) array = Array<std::uint32_t>(2 * size);
  }

  template <bool Wrap, class Probe>
  HWY_NOINLINE std::size_t nodes_in_reach(const Probe& probe, T r2, int plane,
                                          std::size_t chunks) const {
    const Tag<T> tag;
    const Index index;
    const Probe q = probe;
    const auto reach = hn::Set(tag, r2);
    const T* HWY_RESTRICT boxes = tree_.plane(plane).boxes;
    const std::uint32_t* HWY_RESTRICT from = front_.data();
    std::uint32_t* HWY_RESTRICT to = next_.data();
    const T* HWY_RESTRICT side = side_;
    const Axes<D> axes = axes_;
    const Norm norm = norm_;
    const std::size_t stride = chunk_stride(axes);
    std::size_t count = 0;
    for (std::size_t i = 0; i < chunks; ++i)
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
        const T* chunk = boxes + from[i] * stride + lane;
        const unsigned bits = bits_of(
            tag, hn::Le(lower2<Wrap>(q, ChunkColumns<D, T>{chunk, axes}, side, axes, norm), reach));
        const auto node = hn::Iota(index, static_cast<std::uint32_t>(from[i] * kLanes + lane));
        append(index, node, bits, to + count);
        count += count_bits(bits);
      }
    return count;
  }

  template <bool Wrap, class Probe>
  HWY_NOINLINE std::size_t leaves_in_reach(const Probe& probe, T r2, std::size_t begin,
                                           std::size_t end, std::size_t count,
                                           InteractionList<T>& out) const {
    const Tag<T> tag;
    const Index index;
    const Probe q = probe;
    const auto reach = hn::Set(tag, r2);
    const T* HWY_RESTRICT boxes = tree_.plane(0).boxes;
    const std::uint32_t* HWY_RESTRICT from = front_.data();
    T* HWY_RESTRICT to = out.boxes.data();
    std::uint32_t* HWY_RESTRICT to_block = out.source.data();
    const T* HWY_RESTRICT side = side_;
    const Axes<D> axes = axes_;
    const Norm norm = norm_;
    const std::size_t stride = chunk_stride(axes), to_stride = out.stride;
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
        const T* HWY_RESTRICT chunk = boxes + from[i] * stride + lane;
        const unsigned bits = bits_of(
            tag, hn::Le(lower2<Wrap>(q, ChunkColumns<D, T>{chunk, axes}, side, axes, norm), reach));
        if (bits == 0) continue;
        for (std::size_t column = 0; column < 2 * static_cast<std::size_t>(axes.count()); ++column)
          append(tag, hn::LoadU(tag, chunk + column * kLanes), bits,
                 to + column * to_stride + count);
        append(index, hn::Iota(index, static_cast<std::uint32_t>(from[i] * kLanes + lane)), bits,
               to_block + count);
        count += count_bits(bits);
      }
    return count;
  }

  /// Some milliseconds.
  static constexpr std::size_t kChunksPerLook = std::size_t{1} << 16;

  const PlanesView<T>& tree_;
  Axes<D> axes_;
  const T* side_;
  Norm norm_;
  const FunctionRef<void()>* checkpoint_;
  Array<std::uint32_t> front_, next_;
  std::vector<NodeSource> whole_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
