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
class RadiusSearch final : public GroupSearch<D, T, Norm> {
 public:
  explicit RadiusSearch(const RadiusJob<T>& job)
      : GroupSearch<D, T, Norm>(job),
        job_(job),
        counts_only_(job.counts && !this->has_own_limits() &&
                     job.queries.blocks == job.source.blocks),
        wholly_within_(this->sources_) {}

 private:
  using Base = GroupSearch<D, T, Norm>;
  using Base::counts_of_, Base::is_listed_, Base::is_wrapped_, Base::list_, Base::listed2_,
      Base::picked, Base::queries_, Base::query_, Base::sources_, Base::reserve_slots, Base::slots;
  /// Beyond so many blocks a group is spread out, and each query does better from the root.
  static constexpr std::size_t kMaxListed = 1 << 16;

  void search_block() override {
    const T r2 = Base::shared_limit2(job_);
    if (counts_only_ && r2 >= 0 && r2 <= std::numeric_limits<T>::max()) return count_block(r2);
    T limit2[kLanes], most = -1;
    for (std::size_t j = 0; j < queries_; ++j) {
      limit2[j] = this->limit2_of(j);
      if (limit2[j] <= std::numeric_limits<T>::max()) most = std::max(most, limit2[j]);
    }
    std::fill(counts_of_, counts_of_ + kLanes, 0);
    for (std::size_t j = 0; j < queries_; ++j)
      if (limit2[j] > std::numeric_limits<T>::max()) {
        take_all(j);
        limit2[j] = -1;
      }
    if (job_.is_grouped && most > listed2_) this->list_group(most, kMaxListed);
    if (most < 0) {
      // Nothing is left to search: nothing is strictly within a radius of 0, either.
    } else if (!job_.is_grouped || !is_listed_) {
      search_alone(limit2);
    } else if (is_wrapped_) {
      search_listed<true>(limit2, most);
    } else {
      search_listed<false>(limit2, most);
    }
    finish();
  }

  template <bool Wrap>
  void search_listed(const T* limit2, T most) {
    const BoxProbe<D, T> probe(this->box_of_block(this->position_ / kLanes), sources_.axes());
    sources_.template filter<Wrap>(list_, probe, most, this->near_);
    for (std::size_t j = 0; j < queries_; ++j) {
      if (limit2[j] < 0) continue;
      const std::size_t blocks =
          sources_.template pick<Wrap>(this->near_, query_ + j, limit2[j], picked(j));
      reserve_slots(blocks * kLanes);
      this->template collect<Wrap>(j, picked(j), blocks, limit2[j]);
    }
  }

  // ---- numbers alone, of the points of the tree themselves

  void count_block(T r2) {
    if (listed2_ < r2) {
      listed2_ = r2;
      is_wrapped_ = this->leaves_box(this->group_, r2);
      const BoxProbe<D, T> probe(this->group_, sources_.axes());
      group_count_ = is_wrapped_ ? wholly_within_.template list<true>(probe, r2, list_)
                                 : wholly_within_.template list<false>(probe, r2, list_);
      this->reserve_picked(list_.size);
    }
    is_wrapped_ ? count_listed<true>(r2) : count_listed<false>(r2);
    // Every point is within reach of itself.
    const std::size_t self = job_.exclude_self ? 1 : 0;
    for (std::size_t j = 0; j < queries_; ++j)
      job_.counts[this->row_of(j)] = static_cast<std::int64_t>(counts_of_[j] - self);
  }

  template <bool Wrap>
  void count_listed(T r2) {
    const BoxProbe<D, T> probe(this->box_of_block(this->position_ / kLanes), sources_.axes());
    const std::size_t inside = group_count_ + filter_listed<Wrap>(probe, r2);
    for (std::size_t j = 0; j < queries_; ++j) {
      const std::size_t blocks =
          sources_.template pick<Wrap>(this->near_, query_ + j, r2, picked(j));
      counts_of_[j] =
          inside + wholly_within_.template count<Wrap>(picked(j), blocks, query_ + j, r2);
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
        list_, probe, r2, this->near_, [&](std::size_t i, Vec<T>, unsigned near) HWY_ATTR {
          const ListColumns<D, T> to{list_.boxes.data() + i, list_.stride, sources_.axes()};
          const auto upper =
              upper2<Wrap>(probe, to, sources_.side(), sources_.axes(), sources_.norm());
          unsigned whole = near & bits_of(tag, hn::Le(upper, reach));
          if (i + hn::Lanes(tag) >= list_.size && list_.source[list_.size - 1] == last)
            whole &= ~(1u << (list_.size - 1 - i));
          blocks += count_bits(whole);
          return near & ~whole;
        });
    return blocks * kLanes;
  }

  void search_alone(const T* limit2) {
    for (std::size_t j = 0; j < queries_; ++j) {
      if (limit2[j] < 0) continue;
      ++this->counts_.alone;
      this->list_alone(j, limit2[j], std::numeric_limits<std::size_t>::max());
      this->collect_alone(j, limit2[j]);
    }
  }

  /// Within an infinite radius, or one whose square is, all points lie.
  void take_all(std::size_t j) {
    const std::size_t blocks = job_.source.block_count();
    if (everything_.size() < blocks) everything_ = Array<std::uint32_t>(blocks);
    std::iota(everything_.begin(), everything_.begin() + blocks, 0u);
    reserve_slots(blocks * kLanes);
    this->template collect<true>(j, everything_.data(), blocks, std::numeric_limits<T>::infinity());
  }

  void finish() {
    if (job_.exclude_self)
      for (std::size_t j = 0; j < queries_; ++j) this->forget(j, this->query_index(j));
    if (job_.counts) {
      for (std::size_t j = 0; j < queries_; ++j)
        job_.counts[this->row_of(j)] = static_cast<std::int64_t>(counts_of_[j]);
      return;
    }
    const std::size_t keep =
        job_.max_neighbors ? job_.max_neighbors : std::numeric_limits<std::size_t>::max();
    const bool is_cut = *std::max_element(counts_of_, counts_of_ + queries_) > keep;
    if (job_.is_sorted || is_cut)
      for (std::size_t j = 0; j < queries_; j += kColumns)
        this->selector_.sort(slots(j), counts_of_ + j, keep);
    for (std::size_t j = 0; j < queries_; ++j) {
      const Found<T> found = this->found(j, std::min(counts_of_[j], keep));
      if (job_.visit)
        (*job_.visit)(found);
      else
        this->write_row(job_, found, static_cast<std::size_t>(job_.offsets[found.row]));
    }
  }

  const RadiusJob<T>& job_;
  const bool counts_only_;
  WhollyWithin<D, T, Norm> wholly_within_;
  std::size_t group_count_ = 0;  ///< points within reach of all queries of the group
  Array<std::uint32_t> everything_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
