// What searches for groups of queries share: the queries, the group's list of blocks in reach, and
// slots for the candidates of 8 queries.
#if defined(KITH_NEIGHBORS_GROUP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_GROUP_INL_H_
#undef KITH_NEIGHBORS_GROUP_INL_H_
#else
#define KITH_NEIGHBORS_GROUP_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include <limits>

#include "geometry/distance.hpp"
#include "kernels/select-inl.h"
#include "neighbors/rows-inl.h"
#include "neighbors/search_job.hpp"
#include "walk/sources-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// Radii, limits and distances inside are keys of the norm, squares for the Euclidean one.
template <int D, class T, class Norm = Squares>
class GroupSearch : public SearchWorker {
 public:
  explicit GroupSearch(const SearchJob<T>& search)
      : search_(search),
        sources_(search.source, search.side, search.checkpoint, norm_of(search)),
        selector_(search.checkpoint) {
    reserve_slots(8 * kLanes);
  }

  void run(std::size_t group_begin, std::size_t group_end) override {
    for (std::size_t group = group_begin; group < group_end; ++group) {
      const std::size_t first = group * kGroupBlocks;
      const std::size_t last = std::min(search_.queries.block_count(), first + kGroupBlocks);
      set_group(first, last);
      for (std::size_t block = first; block < last; ++block) {
        if (search_.checkpoint) (*search_.checkpoint)();
        set_block(block);
        search_block();
      }
    }
    hwy::FlushStream();
  }

 protected:
  /// Finds and delivers the neighbors of the block of queries that is set.
  virtual void search_block() = 0;

  Bounds<D, T> box_of_block(std::size_t block) const {
    return search_.queries.box(0, block, sources_.axes());
  }

  /// The key of a box's corners, a finite number.
  T finite_diagonal2(const Bounds<D, T>& box) const {
    return std::min(std::numeric_limits<T>::max(),
                    diagonal_key(box, sources_.axes(), sources_.norm()));
  }
  /// Conversion of keys to lengths and back.
  static T length_of(T key) { return kIsSquared ? std::sqrt(key) : key; }
  static T key_of(T length) { return kIsSquared ? length * length : length; }

  bool is_point(const Bounds<D, T>& box) const {
    return std::equal(box.lo, box.lo + sources_.axes().count(), box.hi);
  }

  void set_group(std::size_t first, std::size_t last) {
    group_ = box_of_block(first);
    for (std::size_t block = first + 1; block < last; ++block)
      group_.add(box_of_block(block), sources_.axes());
    listed2_ = -1;
    is_listed_ = has_nodes_ = false;
    ++groups_;
  }

  void set_block(std::size_t block) {
    const std::size_t begin = block * kLanes;
    set_queries({begin, begin + search_.queries.points_of_block(block)});
  }
  /// Queries of one block.
  void set_queries(const IndexRange& positions) {
    position_ = positions.begin;
    const T* block = search_.queries.block(position_ / kLanes, sources_.axes());
    query_ = block + position_ % kLanes;
    indices_ = indices_of(block, sources_.axes()) + position_ % kLanes;
    queries_ = positions.size();
  }
  std::uint32_t query_index(std::size_t j) const { return indices_[j]; }
  std::size_t row_of(std::size_t j) const {
    if (search_.in_tree_order) return position_ + j;
    return search_.rows ? search_.rows[query_index(j)] : query_index(j);
  }
  bool has_own_limits() const {
    return kIsSquared ? search_.limits2 != nullptr : search_.limits != nullptr;
  }
  /// Of all queries, unless each has its own.
  static T shared_limit2(const SearchJob<T>& search) {
    return kIsSquared ? search.limit2 : static_cast<T>(search.limit);
  }
  T limit2_of(std::size_t j) const {
    if (!has_own_limits()) return shared_limit2(search_);
    return kIsSquared ? search_.limits2[query_index(j)]
                      : static_cast<T>(search_.limits[query_index(j)]);
  }

  /// Lists the blocks within r2 of the group, unless they are more than `limit`.
  void list_group(T r2, std::size_t limit) {
    listed2_ = r2;
    is_wrapped_ = leaves_box(group_, r2);
    const BoxProbe<D, T> probe(group_, sources_.axes());
    is_listed_ = is_wrapped_ ? sources_.template list<true>(probe, r2, limit, list_)
                             : sources_.template list<false>(probe, r2, limit, list_);
    has_nodes_ = false;
    if (is_listed_) reserve_picked(list_.size);
  }
  /// The same with small nodes as a whole.
  void list_group_nodes(T r2, T small2, std::size_t limit) {
    const BoxProbe<D, T> probe(group_, sources_.axes());
    is_listed_ = is_wrapped_ ? sources_.template list_nodes<true>(probe, r2, small2, limit, list_)
                             : sources_.template list_nodes<false>(probe, r2, small2, limit, list_);
    has_nodes_ = true;
    if (is_listed_) reserve_picked(std::max(list_.size, limit));
  }
  void reserve_picked(std::size_t blocks) {
    if (picked_stride_ >= blocks + 2 * kLanes) return;
    const std::size_t stride = 2 * blocks + 4 * kLanes;
    picked_ = Array<std::uint32_t>(kLanes * stride);
    picked_stride_ = stride;
  }

  /// Could a pair within r2 of these queries be nearer around the box? The margin covers every
  /// rounding, squares that vanish too: below the root of the least normal number, differences have
  /// no exact square.
  bool leaves_box(const Bounds<D, T>& queries, T r2) const {
    if (!search_.is_periodic) return false;
    const T r = length_of(std::max(r2, std::numeric_limits<T>::min())) * T(1.00001);
    for (int axis = 0; axis < sources_.axes().count(); ++axis) {
      const T side = search_.side[axis], far = r + T(1e-6) * side;
      if (side > 0 && !(queries.lo[axis] - far > 0 && queries.hi[axis] + far < side)) return true;
    }
    return false;
  }

  /// The blocks in reach of one query, without its group; false if they are more than `limit`.
  bool list_alone(std::size_t j, T r2, std::size_t limit) {
    const PointProbe<D, T> probe(query_ + j, kLanes, sources_.axes());
    return search_.is_periodic ? sources_.template list<true>(probe, r2, limit, alone_)
                               : sources_.template list<false>(probe, r2, limit, alone_);
  }
  void collect_alone(std::size_t j, T r2) {
    reserve_slots(alone_.size * kLanes);
    if (search_.is_periodic)
      collect<true>(j, alone_.source.data(), alone_.size, r2);
    else
      collect<false>(j, alone_.source.data(), alone_.size, r2);
  }

  template <bool Wrap>
  HWY_INLINE void collect(std::size_t j, const std::uint32_t* picked, std::size_t blocks, T r2) {
    const Slots<T> slot = slots(j);
    if (HWY_UNLIKELY(blocks > kBlocksPerLook)) return collect_all<Wrap>(j, picked, blocks, r2);
    counts_of_[j] =
        sources_.template collect<Wrap>(picked, blocks, query_ + j, r2, slot.d2, slot.index);
  }

  /// The same for a large part of the tree, which takes its time.
  template <bool Wrap>
  HWY_NOINLINE void collect_all(std::size_t j, const std::uint32_t* picked, std::size_t blocks,
                                T r2) {
    const Slots<T> slot = slots(j);
    std::size_t count = 0;
    for (std::size_t begin = 0; begin < blocks; begin += kBlocksPerLook) {
      sources_.look();
      count +=
          sources_.template collect<Wrap>(picked + begin, std::min(kBlocksPerLook, blocks - begin),
                                          query_ + j, r2, slot.d2 + count, slot.index + count);
    }
    counts_of_[j] = count;
  }

  /// The neighbors of a query, from `at` of the arrays on; a long row piece by piece.
  HWY_INLINE void write_row(const SearchJob<T>& job, const Found<T>& found, std::size_t at) const {
    if (HWY_LIKELY(found.count <= kPointsPerLook)) return write_neighbors(job, found, at);
    for (std::size_t begin = 0; begin < found.count; begin += kPointsPerLook) {
      sources_.look();
      const std::size_t count = std::min(kPointsPerLook, found.count - begin);
      write_neighbors(job, {found.row, count, found.index + begin, found.distance + begin},
                      at + begin);
    }
  }

  /// Removes the query itself from its candidates.
  void forget(std::size_t j, std::uint32_t self) {
    const Slots<T> slot = slots(j);
    const std::size_t count = counts_of_[j];
    const auto at =
        static_cast<std::size_t>(std::find(slot.index, slot.index + count, self) - slot.index);
    if (at == count) return;
    slot.d2[at] = slot.d2[count - 1];
    slot.index[at] = slot.index[count - 1];
    --counts_of_[j];
  }

  /// What a row gets, in place: the first candidates of a query, sorted before.
  HWY_INLINE Found<T> found(std::size_t j, std::size_t count) const {
    if (!search_.wants_d2) return measured(j, count);
    return {row_of(j), count, slots(j).index, slots(j).d2};
  }
  /// The same with distances, even if visitors want d2.
  HWY_INLINE Found<T> measured(std::size_t j, std::size_t count) const {
    to_distances<kIsSquared>(slots(j).d2, count, search_.unscale);
    return {row_of(j), count, slots(j).index, slots(j).d2};
  }

  Slots<T> slots(std::size_t j) const {
    return Slots<T>{d2_.data(), index_.data(), slot_stride_}.from(j);
  }
  std::uint32_t* picked(std::size_t j) const { return picked_.data() + j * picked_stride_; }

  /// Room for `count` candidates in each slot; keeps what is there.
  void reserve_slots(std::size_t count) {
    if (HWY_LIKELY(count + 4 * kLanes <= slot_stride_)) return;
    const std::size_t stride = (2 * count + 8 * kLanes) / kSortedRun * kSortedRun;
    Array<T> d2(kLanes * stride);
    Array<std::uint32_t> index(kLanes * stride);
    for (std::size_t j = 0; slot_stride_ > 0 && j < kLanes; ++j) {
      std::copy_n(slots(j).d2, slot_stride_, d2.data() + j * stride);
      std::copy_n(slots(j).index, slot_stride_, index.data() + j * stride);
    }
    d2_ = std::move(d2);
    index_ = std::move(index);
    slot_stride_ = stride;
  }

  static constexpr bool kIsSquared = Norm::kPower == 2;
  static Norm norm_of(const SearchJob<T>& search) {
    if constexpr (kIsSquared)
      return {};
    else
      return {search.p == 1};
  }

  /// About a millisecond each.
  static constexpr std::size_t kBlocksPerLook = std::size_t{1} << 15;
  static constexpr std::size_t kPointsPerLook = std::size_t{1} << 18;

  const SearchJob<T>& search_;
  Sources<D, T, Norm> sources_;
  Selector<T> selector_;

  Bounds<D, T> group_;
  std::size_t groups_ = 0;  ///< set so far
  T listed2_ = -1;          ///< the group's list holds all blocks within
  bool is_listed_ = false, is_wrapped_ = false;
  bool has_nodes_ = false;  ///< as well as blocks
  InteractionList<T> list_, near_, alone_;
  Array<std::uint32_t> picked_;
  std::size_t picked_stride_ = 0;

  std::size_t position_ = 0;  ///< of the first query
  const T* query_ = nullptr;  ///< its coordinates, a column of 8 apart; the others follow
  const std::uint32_t* indices_ = nullptr;  ///< of the queries
  std::size_t queries_ = 0;
  std::size_t counts_of_[kLanes] = {};
  Array<T> d2_;
  Array<std::uint32_t> index_;
  std::size_t slot_stride_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
