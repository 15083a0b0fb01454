// The blocks in reach of a group of 64 queries, and the part of them in reach of 8 queries or one.
#if defined(KITH_NEIGHBORS_GROUP_LIST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_GROUP_LIST_INL_H_
#undef KITH_NEIGHBORS_GROUP_LIST_INL_H_
#else
#define KITH_NEIGHBORS_GROUP_LIST_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <hwy/highway.h>
#include <limits>

#include "neighbors/search_job.hpp"
#include "walk/sources-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T, class Norm = Squares>
struct GroupList {
  const SearchJob<T>& job;
  Sources<D, T, Norm>& sources;

  Bounds<D, T> box;         ///< of the group
  std::size_t groups = 0;   ///< set so far
  T reach2 = -1;            ///< the list holds all blocks within
  bool is_listed = false;   ///< false: they are too many
  bool is_wrapped = false;  ///< a pair within may be nearer around the box
  bool has_nodes = false;   ///< small nodes are listed as a whole
  InteractionList<T> blocks;
  InteractionList<T> near;  ///< in reach of 8 queries

  GroupList(const SearchJob<T>& of, Sources<D, T, Norm>& from) : job(of), sources(from) {}

  void set_group(const Bounds<D, T>& of) {
    box = of;
    reach2 = -1;
    is_listed = has_nodes = false;
    ++groups;
  }

  /// Lists the blocks within r2, unless they are more than `limit`.
  void make(T r2, std::size_t limit) {
    reach2 = r2;
    is_wrapped = leaves_box(box, r2);
    const BoxProbe<D, T> probe(box, sources.axes());
    is_listed = is_wrapped ? sources.template list<true>(probe, r2, limit, blocks)
                           : sources.template list<false>(probe, r2, limit, blocks);
    has_nodes = false;
    if (is_listed) reserve_picked(blocks.size);
  }
  /// The same with nodes up to `small2` as a whole.
  void make_with_nodes(T r2, T small2, std::size_t limit) {
    const BoxProbe<D, T> probe(box, sources.axes());
    is_listed = is_wrapped ? sources.template list_nodes<true>(probe, r2, small2, limit, blocks)
                           : sources.template list_nodes<false>(probe, r2, small2, limit, blocks);
    has_nodes = true;
    if (is_listed) reserve_picked(std::max(blocks.size, limit));
  }

  /// Room for the blocks that are picked for one query.
  std::uint32_t* picked(std::size_t j) const { return picked_.data() + j * picked_stride_; }
  void reserve_picked(std::size_t count) {
    if (picked_stride_ >= count + 2 * kLanes) return;
    const std::size_t stride = 2 * count + 4 * kLanes;
    picked_ = Array<std::uint32_t>(kLanes * stride);
    picked_stride_ = stride;
  }

  /// Could a pair within r2 of these queries be nearer around the box? The margin covers every
  /// rounding, squares that vanish too: below the root of the least normal number, differences have
  /// no exact square.
  bool leaves_box(const Bounds<D, T>& queries, T r2) const {
    if (!job.is_periodic) return false;
    const T least = std::max(r2, std::numeric_limits<T>::min());
    const T r = (Norm::kPower == 2 ? std::sqrt(least) : least) * T(1.00001);
    for (int axis = 0; axis < sources.axes().count(); ++axis) {
      const T side = job.side[axis], far = r + T(1e-6) * side;
      if (side > 0 && !(queries.lo[axis] - far > 0 && queries.hi[axis] + far < side)) return true;
    }
    return false;
  }

 private:
  Array<std::uint32_t> picked_;
  std::size_t picked_stride_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
