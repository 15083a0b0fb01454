// The nearest neighbor of each point of a tree (k = 1), without a guess.
//
// The points around a query on the curve bound its distance: with itself among them the bound is 0,
// else its own block and the two beside it give a close one. The points within the bounds of 8
// queries are found for all of them at once, one query per lane, and the few pairs of a query and a
// block that remain are worked off in one loop without a branch.
#if defined(KITH_NEIGHBORS_NEAREST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_NEAREST_INL_H_
#undef KITH_NEIGHBORS_NEAREST_INL_H_
#else
#define KITH_NEIGHBORS_NEAREST_INL_H_
#endif

#include <algorithm>
#include <hwy/highway.h>
#include <limits>

#include "kernels/near-inl.h"
#include "neighbors/knn_alone-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T>
class NearestSearch final : public SearchWorker {
 public:
  explicit NearestSearch(const KnnJob<T>& job)
      : job_(job),
        group_(job, counts_),
        rows_(job, group_),
        alone_(job, group_, rows_),
        beside_(job.exclude_self ? 1 : 0) {}

  void run(std::size_t group_begin, std::size_t group_end) override {
    group_.for_each_block(group_begin, group_end, [&]() HWY_ATTR { search_block(); });
  }

  /// Is this a search for one neighbor of each point of the tree?
  static bool serves(const KnnJob<T>& job) {
    return job.k == 1 && job.is_grouped && job.queries.blocks == job.source.blocks && !job.edges2;
  }

 private:
  /// Indices as wide as coordinates.
  using Wide = hn::RebindToUnsigned<Tag<T>>;
  using WideIndex = hn::TFromD<Wide>;

  void search_block() {
    const std::size_t block = queries_.block();
    if (met_group_ != list_.groups) meet_group(block);
    rows_.set_limits();
    first2_ = group_first2_ + (block - group_begin_) * kLanes;
    first_ = group_first_ + (block - group_begin_) * kLanes;
    const Bounds<D, T> box = queries_.box_of(block);
    const T reach2 = *std::max_element(first2_, first2_ + queries_.size());
    if (queries_.size() > 1 && queries_.is_point(box)) {
      alone_.search_equal_queries();
      rows_.sort();
      return rows_.deliver();
    }
    if (make_near(box, reach2))
      list_.is_wrapped ? search_near<true>() : search_near<false>();
    else
      search_each_alone();
    for (std::size_t j = 0; j < queries_.size(); ++j) settle(j);
    deliver();
  }

  /// Lists the blocks within reach2 of the block: from the group's list, or from the root if that
  /// is too long; false if a list for each query is better.
  bool make_near(const Bounds<D, T>& box, T reach2) {
    if (reach2 == 0 && alone_.has_ties()) return false;
    if (list_.reach2 < 0 && group_reach2_ < std::numeric_limits<T>::max())
      list_.make(group_reach2_, alone_.max_listed());
    const BoxProbe<D, T> probe(box, sources_.axes());
    if (list_.is_listed && reach2 <= list_.reach2) {
      if (list_.is_wrapped)
        sources_.template filter<true>(list_.blocks, probe, reach2, list_.near);
      else
        sources_.template filter<false>(list_.blocks, probe, reach2, list_.near);
      return true;
    }
    if (!(reach2 < std::numeric_limits<T>::max())) return false;
    list_.is_wrapped = list_.leaves_box(box, reach2);
    return list_.is_wrapped
               ? sources_.template list<true>(probe, reach2, alone_.max_listed(), list_.near)
               : sources_.template list<false>(probe, reach2, alone_.max_listed(), list_.near);
  }

  /// Where the points of a group are not close together.
  void search_each_alone() {
    for (std::size_t j = 0; j < queries_.size(); ++j) {
      const T bound2 = first2_[j];
      const bool is_collected = !(bound2 == 0 && alone_.has_ties()) &&
                                bound2 < std::numeric_limits<T>::max() &&
                                candidates_.collect_from_root(j, bound2, alone_.max_picked());
      if (!is_collected) alone_.search(j);
      if (job_.exclude_self) candidates_.remove(j, queries_.index(j));
    }
  }

  // ---- the blocks around a query on the curve

  /// For the queries of the group that begins with this block.
  void meet_group(std::size_t begin) {
    met_group_ = list_.groups;
    group_begin_ = begin;
    group_reach2_ = 0;
    const std::size_t end = std::min(job_.queries.block_count(), begin + kGroupBlocks);
    for (std::size_t block = begin; block < end; ++block) {
      group_.queries.set_block(block);
      rows_.set_limits();
      if (job_.is_periodic)
        meet<true>(block);
      else
        meet<false>(block);
      const T* first2 = group_first2_ + (block - begin) * kLanes;
      group_reach2_ = std::max(group_reach2_, *std::max_element(first2, first2 + queries_.size()));
    }
    group_.queries.set_block(begin);
  }

  /// Finds the first neighbor of each query among these blocks, one query per lane.
  template <bool Wrap>
  HWY_NOINLINE void meet(std::size_t block) {
    const Tag<T> tag;
    const Wide wide;
    const std::size_t begin = block - std::min(block, beside_);
    const std::size_t end = std::min(job_.source.block_count(), block + beside_ + 1);
    const std::size_t at = (block - group_begin_) * kLanes;
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
      auto first2 = hn::LoadU(tag, rows_.most2() + lane);
      auto first = hn::Set(wide, kNoIndex);
      for (std::size_t other = begin; other < end; ++other)
        meet_block<Wrap>(other, lane, other == block, first2, first);
      hn::Store(first2, tag, group_first2_ + at + lane);
      hn::Store(first, wide, group_first_ + at + lane);
    }
  }

  /// Unused lanes are NaN, which does not come before anything.
  template <bool Wrap>
  HWY_INLINE void meet_block(std::size_t block, std::size_t lane, bool is_own, Vec<T>& first2,
                             hn::Vec<Wide>& first) const {
    const Tag<T> tag;
    const Wide wide;
    const Axes<D> axes = sources_.axes();
    const T* HWY_RESTRICT points = sources_.tree().block(block, axes);
    const std::uint32_t* HWY_RESTRICT indices = indices_of(points, axes);
    const bool skips_self = is_own && job_.exclude_self;
    const auto lanes = hn::Iota(wide, static_cast<WideIndex>(lane));
    for (std::size_t i = 0; i < kLanes; ++i) {
      const auto d2 = distance2<Wrap>(PointAt<T>{points + i, kLanes},
                                      PointColumns<T>{queries_.point(lane)}, sources_.side(), axes);
      const auto index = hn::Set(wide, WideIndex{indices[i]});
      auto comes_first =
          hn::Or(hn::Lt(d2, first2),
                 hn::And(hn::Eq(d2, first2), hn::RebindMask(tag, hn::Lt(index, first))));
      if (skips_self) {
        const auto is_other = hn::Ne(lanes, hn::Set(wide, static_cast<WideIndex>(i)));
        comes_first = hn::And(comes_first, hn::RebindMask(tag, is_other));
      }
      first2 = hn::IfThenElse(comes_first, d2, first2);
      first = hn::IfThenElse(hn::RebindMask(wide, comes_first), index, first);
    }
  }

  // ---- all others

  template <bool Wrap>
  void search_near() {
    const std::size_t size = list_.near.size;
    if (tests_.size() < (size + 1) * kLanes) tests_ = Array<std::uint64_t>(2 * (size + 1) * kLanes);
    candidates_.reserve(size * kLanes);
    candidates_.clear();
    collect<Wrap>(list_tests<Wrap>());
  }

  /// One box of a list, in all lanes.
  struct ListBoxAt {
    const T* HWY_RESTRICT at;
    std::size_t stride;
    Axes<D> axes;
    HWY_INLINE Vec<T> lower(int axis) const {
      return hn::Set(Tag<T>(), at[static_cast<std::size_t>(axis) * stride]);
    }
    HWY_INLINE Vec<T> upper(int axis) const { return lower(axes.count() + axis); }
  };

  /// The pairs of a query and a block within its bound, less those that met.
  template <bool Wrap>
  HWY_NOINLINE std::size_t list_tests() const {
    const Tag<T> tag;
    const Axes<D> axes = sources_.axes();
    const T* HWY_RESTRICT query = queries_.point(0);
    const T* HWY_RESTRICT first2 = first2_;
    const T* HWY_RESTRICT boxes = list_.near.boxes.data();
    const std::uint32_t* HWY_RESTRICT source = list_.near.source.data();
    const T* HWY_RESTRICT side = sources_.side();
    const std::size_t size = list_.near.size, stride = list_.near.stride;
    const std::size_t met = queries_.block() - beside_, met_size = 2 * beside_ + 1;
    const unsigned asked = (1u << queries_.size()) - 1;
    std::uint64_t* test = tests_.data();
    for (std::size_t i = 0; i < size; ++i) {
      const ListBoxAt box{boxes + i, stride, axes};
      unsigned bits = 0;
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag))
        bits |= bits_of(tag, hn::Le(lower2<Wrap>(PointColumns<T>{query + lane}, box, side, axes),
                                    hn::Load(tag, first2 + lane)))
                << lane;
      test = append_pairs(test, 0, source[i] - met < met_size ? 0 : bits & asked, source[i]);
    }
    return static_cast<std::size_t>(test - tests_.data());
  }

  /// Collects the points of the pairs that are within the bounds.
  template <bool Wrap>
  HWY_NOINLINE void collect(std::size_t tests) {
    const Tag<T> tag;
    const typename Sources<D, T>::Index word;
    const Axes<D> axes = sources_.axes();
    const T* HWY_RESTRICT base = sources_.tree().blocks;
    const T* HWY_RESTRICT query = queries_.point(0);
    const T* HWY_RESTRICT first2 = first2_;
    const T* HWY_RESTRICT side = sources_.side();
    const std::uint64_t* HWY_RESTRICT test = tests_.data();
    const Slots<T> all = candidates_.slots(0);
    const std::size_t stride = block_stride<T>(axes);
    for (std::size_t i = 0; i < tests; ++i) {
      const std::size_t j = test[i] >> 32;
      const T* HWY_RESTRICT block = base + static_cast<std::uint32_t>(test[i]) * stride;
      const auto reach = hn::Set(tag, first2[j]);
      const Slots<T> slot = all.from(j);
      std::size_t count = candidates_.count(j);
      for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
        const auto d2 = distance2<Wrap>(PointAt<T>{query + j, kLanes},
                                        PointColumns<T>{block + lane}, side, axes);
        const unsigned bits = bits_of(tag, hn::Le(d2, reach));
        append(tag, d2, bits, slot.d2 + count);
        append(word, hn::LoadU(word, indices_of(block, axes) + lane), bits, slot.index + count);
        count += count_bits(bits);
      }
      candidates_.count(j) = count;
    }
  }

  /// The first of a query's candidates: few, if any.
  HWY_INLINE void settle(std::size_t j) {
    const Slots<T> slot = candidates_.slots(j);
    Candidate<T> first{first2_[j], static_cast<std::uint32_t>(first_[j])};
    for (std::size_t i = 0; i < candidates_.count(j); ++i)
      first = std::min(first, Candidate<T>{slot.d2[i], slot.index[i]});
    first2_[j] = first.key;
    first_[j] = first.index;
  }

  void deliver() {
    if (!job_.wants_d2) to_distances<true>(first2_, queries_.size(), job_.unscale);
    std::uint32_t index[2 * kLanes];  // rows are written by vectors
    std::copy_n(first_, kLanes, index);
    for (std::size_t j = 0; j < queries_.size(); ++j) {
      const Found<T> found{queries_.row(j), std::size_t{index[j] != kNoIndex}, index + j,
                           first2_ + j};
      if (job_.visit)
        (*job_.visit)(found);
      else
        rows_.write(found);
    }
  }

  const KnnJob<T>& job_;
  GroupSearch<D, T> group_;
  Sources<D, T>& sources_ = group_.sources;
  const QueryBlock<D, T, true>& queries_ = group_.queries;
  GroupList<D, T>& list_ = group_.list;
  Candidates<D, T>& candidates_ = group_.candidates;
  KnnRows<D, T> rows_;
  KnnAlone<D, T> alone_;

  const std::size_t beside_;                          ///< blocks on either side to meet
  std::size_t met_group_ = 0, group_begin_ = 0;       ///< the group that met, its first block
  T group_reach2_ = 0;                                ///< the largest bound of its queries
  alignas(64) T group_first2_[kGroupQueries];         ///< the first neighbors so far
  alignas(64) WideIndex group_first_[kGroupQueries];  ///< and their indices
  T* first2_ = nullptr;                               ///< of the queries that are set
  WideIndex* first_ = nullptr;
  Array<std::uint64_t> tests_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
