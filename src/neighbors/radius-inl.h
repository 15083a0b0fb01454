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

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T, class Norm = Squares>
class RadiusSearch final : public GroupSearch<D, T, Norm> {
 public:
  explicit RadiusSearch(const RadiusJob<T>& job) : GroupSearch<D, T, Norm>(job), job_(job) {}

 private:
  using Base = GroupSearch<D, T, Norm>;
  using Base::counts_of_, Base::is_listed_, Base::is_wrapped_, Base::list_, Base::listed2_,
      Base::picked, Base::queries_, Base::query_, Base::sources_, Base::reserve_slots, Base::slots;
  /// Beyond so many blocks a group is spread out, and each query does better from the root.
  static constexpr std::size_t kMaxListed = 1 << 16;

  void search_block() override {
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
  Array<std::uint32_t> everything_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
