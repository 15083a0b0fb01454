// THE walk: receivers against sources, plane by plane (jz-tree, III).
//
// A receiving node carries the list of source nodes that may matter to its points. Going down a
// plane the list is refined: a judge says how far the receiver has to look, nodes that begin after
// that are dropped, the others are kept and opened for the receiver's children. Nodes begin at
// (lower bound, smallest index) and end at (upper bound, largest index), so ties are decided as
// neighbors are ordered, and identical points are not a special case. No guess: what a GPU or
// another rank would run on the planes of either builder.
//
// Where only one receiver is asked about, walk/depth_first.hpp is simpler.
#if defined(KITH_WALK_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_WALK_WALK_INL_H_
#undef KITH_WALK_WALK_INL_H_
#else
#define KITH_WALK_WALK_INL_H_
#endif

#include <vector>

#include "geometry/candidate.hpp"
#include "walk/sources-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// `Judge` has
///   Candidate<T> limit(): how far a receiver may have to look at most;
///   Candidate<T> bound<Wrap>(receiver's box, plane, list, limit): how far this one has to look, no
///     farther than the limit, which is its parent's bound; source nodes of the list, which are of
///     that plane, are dropped if they begin after it;
///   bool wraps(receiver's box, bound): may that reach around the box? If not, all axes count as
///     open (Wrap = false) from there on;
///   void leaf<Wrap>(receiver, list, bound): a leaf of the receivers and the leaves of the sources
///     that are left.
/// Not for use by two threads at once.
template <int D, class T, class Judge>
class Walk {
 public:
  /// The views must outlive this.
  Walk(const PlanesView<T>& receivers, const PlanesView<T>& sources, const T* side, Judge& judge)
      : receivers_(receivers),
        sources_(sources),
        refiner_(sources, side),
        judge_(judge),
        lists_(static_cast<std::size_t>(receivers.plane_count + sources.plane_count) + 1) {}

  /// All leaves at or below a receiving node.
  void run(int plane, std::size_t node) {
    open_root();
    descend<true>({plane, node}, sources_.top(), {root_, judge_.limit()}, 0);
  }

 private:
  struct Receiver {
    int plane;
    std::size_t node;
  };
  struct Lists {
    InteractionList<T> kept, opened;
  };

  /// Source nodes that a receiver inherits, not yet judged for it.
  struct Inherited {
    const InteractionList<T>& list;
    Candidate<T> bound;
  };

  template <bool Wrap>
  void descend(const Receiver& receiver, int plane, const Inherited& from, std::size_t depth) {
    Lists& lists = lists_[depth];
    const Bounds<D, T> box = receivers_.box(receiver.plane, receiver.node, axes());
    if constexpr (Wrap) {
      if (!judge_.wraps(box, from.bound)) return descend<false>(receiver, plane, from, depth);
    }
    const Candidate<T> bound = judge_.template bound<Wrap>(box, plane, from.list, from.bound);
    if constexpr (Wrap) {
      if (!judge_.wraps(box, bound))
        return open_kept<false>(receiver, plane,
                                {keep<false>(box, bound, plane, from.list, lists), bound}, depth);
    }
    open_kept<Wrap>(receiver, plane, {keep<Wrap>(box, bound, plane, from.list, lists), bound},
                    depth);
  }

  /// Opens the kept sources, or the receiver, and recurses.
  template <bool Wrap>
  void open_kept(const Receiver& receiver, int plane, const Inherited& kept, std::size_t depth) {
    if (receiver.plane == 0 && plane == 0)
      return judge_.template leaf<Wrap>(receiver.node, kept.list, kept.bound);
    const bool opens = plane > 0 && plane >= receiver.plane;
    if (opens) open(plane, kept.list, lists_[depth].opened);
    const Inherited next{opens ? lists_[depth].opened : kept.list, kept.bound};
    const int below = opens ? plane - 1 : plane;
    if (plane > receiver.plane) return descend<Wrap>(receiver, below, next, depth + 1);
    const IndexRange children = receivers_.children(receiver.plane, receiver.node);
    for (std::size_t child = children.begin; child < children.end; ++child)
      descend<Wrap>({receiver.plane - 1, child}, below, next, depth + 1);
  }

  Axes<D> axes() const { return refiner_.axes(); }

  void open_root() {
    root_.reserve(1, sources_.dimension);
    for (int column = 0; column < 2 * sources_.dimension; ++column)
      root_.boxes[static_cast<std::size_t>(column) * root_.stride] =
          sources_.chunk(sources_.top(), 0, axes())[column_at(column)];
    root_.source[0] = 0;
    root_.close(1, sources_.dimension);
  }

  /// The candidates that do not begin after the bound.
  template <bool Wrap>
  const InteractionList<T>& keep(const Bounds<D, T>& box, const Candidate<T>& bound, int plane,
                                 const InteractionList<T>& candidates, Lists& lists) const {
    const Tag<T> tag;
    const std::uint32_t* HWY_RESTRICT smallest = sources_.plane(plane).smallest;
    const std::uint32_t* HWY_RESTRICT source = candidates.source.data();
    const std::size_t size = candidates.size;
    refiner_.template filter<Wrap, true>(
        candidates, BoxProbe<D, T>(box, axes()), bound.key, lists.kept,
        [&](std::size_t i, Vec<T> lower, unsigned bits) HWY_ATTR {
          unsigned ties = bits & bits_of(tag, hn::Eq(lower, hn::Set(tag, bound.key)));
          for (; HWY_UNLIKELY(ties != 0); ties &= ties - 1) {
            const auto lane = static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(ties));
            // An infinite bound reaches the padding.
            if (i + lane >= size || smallest[source[i + lane]] > bound.index) bits &= ~(1u << lane);
          }
          return bits;
        });
    return lists.kept;
  }

  /// The children of all nodes of a list.
  void open(int plane, const InteractionList<T>& nodes, InteractionList<T>& out) const {
    const int below = plane - 1;
    std::size_t room = nodes.size * kLanes;
    if (!sources_.is_implicit()) {
      room = 0;
      for (std::size_t i = 0; i < nodes.size; ++i)
        room += sources_.children(plane, nodes.source[i]).size();
    }
    out.reserve(room, sources_.dimension);
    std::size_t count = 0;
    for (std::size_t i = 0; i < nodes.size; ++i) {
      const IndexRange children = sources_.children(plane, nodes.source[i]);
      for (std::size_t child = children.begin; child < children.end;) {
        const std::size_t lane = child % kLanes,
                          end = std::min(children.end, child - lane + kLanes);
        count = copy_lanes(below, child / kLanes, {lane, lane + end - child}, out, count);
        child = end;
      }
    }
    out.close(count, sources_.dimension);
  }

  /// Appends some lanes of a chunk.
  HWY_INLINE std::size_t copy_lanes(int plane, std::size_t chunk, const IndexRange& lanes,
                                    InteractionList<T>& out, std::size_t count) const {
    const Tag<T> tag;
    const hn::Rebind<std::uint32_t, Tag<T>> index;
    const T* HWY_RESTRICT from = sources_.chunk(plane, chunk, axes());
    T* HWY_RESTRICT to = out.boxes.data() + count;
    // Lanes after the last are overwritten by the next boxes.
    for (std::size_t lane = lanes.begin; lane < lanes.end; lane += hn::Lanes(tag)) {
      for (std::size_t column = 0; column < 2 * static_cast<std::size_t>(axes().count()); ++column)
        hn::StoreU(load_lanes(from + column * kLanes, lane), tag,
                   to + column * out.stride + (lane - lanes.begin));
      hn::StoreU(hn::Iota(index, static_cast<std::uint32_t>(chunk * kLanes + lane)), index,
                 out.source.data() + count + (lane - lanes.begin));
    }
    return count + lanes.size();
  }

  /// A vector of a column from some lane on; nothing is read after the column.
  static HWY_INLINE Vec<T> load_lanes(const T* HWY_RESTRICT column, std::size_t lane) {
    const Tag<T> tag;
    if (HWY_LIKELY(lane + hn::Lanes(tag) <= kLanes)) return hn::LoadU(tag, column + lane);
    T part[2 * kLanes] = {};
    std::copy(column + lane, column + kLanes, part);
    return hn::LoadU(tag, part);
  }

  const PlanesView<T>& receivers_;
  const PlanesView<T>& sources_;
  const Sources<D, T> refiner_;
  Judge& judge_;
  InteractionList<T> root_;
  std::vector<Lists> lists_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
