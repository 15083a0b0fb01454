// All neighbors within a radius: counted, or listed.
//
// The same lists as for k nearest neighbors, with a radius that is known: blocks in reach of 64
// queries, of 8, of one. Every query is searched twice, first to count and then to fill, so that no
// list is stored twice.
#if defined(KITH_NEIGHBORS_RADIUS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_RADIUS_INL_H_
#undef KITH_NEIGHBORS_RADIUS_INL_H_
#else
#define KITH_NEIGHBORS_RADIUS_INL_H_
#endif

#include <algorithm>
#include <hwy/highway.h>
#include <limits>
#include <numeric>

#include "neighbors/group-inl.h"
#include "walk/wholly_within-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T, class Norm = Squares>
class RadiusSearch final : public SearchWorker {
 public:
  explicit RadiusSearch(const RadiusJob<T>& job)
      : job_(job),
        group_(job, counts_),
        counts_only_(job.counts && !queries_.has_own_limits() &&
                     job.queries.blocks == job.source.blocks),
        wholly_within_(sources_) {}

  void run(std::size_t group_begin, std::size_t group_end) override {
    group_.for_each_block(group_begin, group_end, [&]() HWY_ATTR { search_block(); });
  }

 private:
  /// Beyond this many blocks a group is spread out, and each query does better from the root.
  static constexpr std::size_t kMaxListed = 1 << 16;

  void search_block() {
    const T r2 = queries_.shared_limit2();
    if (counts_only_ && r2 >= 0 && r2 <= std::numeric_limits<T>::max()) return count_block(r2);
    T limit2[kLanes], most = -1;
    for (std::size_t j = 0; j < queries_.size(); ++j) {
      limit2[j] = queries_.limit2(j);
      if (limit2[j] <= std::numeric_limits<T>::max()) most = std::max(most, limit2[j]);
    }
    candidates_.clear();
    for (std::size_t j = 0; j < queries_.size(); ++j)
      if (limit2[j] > std::numeric_limits<T>::max()) {
        collect_all(j);
        limit2[j] = -1;
      }
    if (job_.is_grouped && most > list_.reach2) list_.make(most, kMaxListed);
    if (most < 0) {
      // Nothing is left to search: nothing is strictly within a radius of 0, either.
    } else if (!job_.is_grouped || !list_.is_listed) {
      search_alone(limit2);
    } else if (list_.is_wrapped) {
      search_listed<true>(limit2, most);
    } else {
      search_listed<false>(limit2, most);
    }
    finish();
  }

  template <bool Wrap>
  void search_listed(const T* limit2, T most) {
    const BoxProbe<D, T> probe(queries_.box_of(queries_.block()), sources_.axes());
    sources_.template filter<Wrap>(list_.blocks, probe, most, list_.near);
    for (std::size_t j = 0; j < queries_.size(); ++j) {
      if (limit2[j] < 0) continue;
      std::uint32_t* const picked = list_.picked(j);
      const std::size_t blocks =
          sources_.template pick<Wrap>(list_.near, queries_.point(j), limit2[j], picked);
      candidates_.reserve(blocks * kLanes);
      candidates_.template collect<Wrap>(j, picked, blocks, limit2[j]);
    }
  }

  // ---- numbers alone, of the points of the tree themselves

  void count_block(T r2) {
    if (list_.reach2 < r2) {
      list_.reach2 = r2;
      list_.is_wrapped = list_.leaves_box(list_.box, r2);
      const BoxProbe<D, T> probe(list_.box, sources_.axes());
      group_count_ = list_.is_wrapped
                         ? wholly_within_.template list<true>(probe, r2, list_.blocks)
                         : wholly_within_.template list<false>(probe, r2, list_.blocks);
      list_.reserve_picked(list_.blocks.size);
    }
    list_.is_wrapped ? count_listed<true>(r2) : count_listed<false>(r2);
  }

  template <bool Wrap>
  void count_listed(T r2) {
    const BoxProbe<D, T> probe(queries_.box_of(queries_.block()), sources_.axes());
    // Every point is within reach of itself.
    const std::size_t self = job_.exclude_self ? 1 : 0;
    const std::size_t others = group_count_ + filter_listed<Wrap>(probe, r2) - self;
    for (std::size_t j = 0; j < queries_.size(); ++j) {
      std::uint32_t* const picked = list_.picked(j);
      const T* const point = queries_.point(j);
      const std::size_t blocks = sources_.template pick<Wrap>(list_.near, point, r2, picked);
      job_.counts[queries_.row(j)] = static_cast<std::int64_t>(
          others + wholly_within_.template count<Wrap>(picked, blocks, point, r2));
    }
  }

  /// Leaves blocks that are within reach of all queries out of the list; how many points they have.
  template <bool Wrap>
  std::size_t filter_listed(const BoxProbe<D, T>& probe, T r2) {
    const Tag<T> tag;
    const auto reach = hn::Set(tag, r2);
    const std::size_t last = job_.source.block_count() - 1;  // may be short of points
    std::size_t blocks = 0;
    sources_.template filter<Wrap, false>(
        list_.blocks, probe, r2, list_.near, [&](std::size_t i, Vec<T>, unsigned near) HWY_ATTR {
          const InteractionList<T>& all = list_.blocks;
          const ListColumns<D, T> to{all.boxes.data() + i, all.stride, sources_.axes()};
          const auto upper =
              upper2<Wrap>(probe, to, sources_.side(), sources_.axes(), sources_.norm());
          unsigned whole = near & bits_of(tag, hn::Le(upper, reach));
          if (i + hn::Lanes(tag) >= all.size && all.source[all.size - 1] == last)
            whole &= ~(1u << (all.size - 1 - i));
          blocks += count_bits(whole);
          return near & ~whole;
        });
    return blocks * kLanes;
  }

  void search_alone(const T* limit2) {
    for (std::size_t j = 0; j < queries_.size(); ++j) {
      if (limit2[j] < 0) continue;
      ++counts_.alone;
      candidates_.collect_from_root(j, limit2[j], std::numeric_limits<std::size_t>::max());
    }
  }

  /// Within an infinite radius, or one whose square is, all points lie.
  void collect_all(std::size_t j) {
    const std::size_t blocks = job_.source.block_count();
    if (everything_.size() < blocks) everything_ = Array<std::uint32_t>(blocks);
    std::iota(everything_.begin(), everything_.begin() + blocks, 0u);
    candidates_.reserve(blocks * kLanes);
    candidates_.template collect<true>(j, everything_.data(), blocks,
                                       std::numeric_limits<T>::infinity());
  }

  void finish() {
    if (job_.exclude_self) candidates_.remove_queries();
    if (job_.counts) {
      for (std::size_t j = 0; j < queries_.size(); ++j)
        job_.counts[queries_.row(j)] = static_cast<std::int64_t>(candidates_.count(j));
      return;
    }
    const std::size_t keep =
        job_.max_neighbors ? job_.max_neighbors : std::numeric_limits<std::size_t>::max();
    const std::size_t* const counts = candidates_.counts();
    const bool is_cut = *std::max_element(counts, counts + queries_.size()) > keep;
    if (job_.is_sorted || is_cut) candidates_.sort(keep);
    for (std::size_t j = 0; j < queries_.size(); ++j) {
      const Found<T> found = candidates_.found(j, std::min(candidates_.count(j), keep));
      if (job_.visit)
        (*job_.visit)(found);
      else
        candidates_.write_row(found, static_cast<std::size_t>(job_.offsets[found.row]));
    }
  }

  const RadiusJob<T>& job_;
  GroupSearch<D, T, Norm> group_;
  Sources<D, T, Norm>& sources_ = group_.sources;
  const QueryBlock<D, T, Norm::kPower == 2>& queries_ = group_.queries;
  GroupList<D, T, Norm>& list_ = group_.list;
  Candidates<D, T, Norm>& candidates_ = group_.candidates;

  const bool counts_only_;
  WhollyWithin<D, T, Norm> wholly_within_;
  std::size_t group_count_ = 0;  ///< points within reach of all queries of the group
  Array<std::uint32_t> everything_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
