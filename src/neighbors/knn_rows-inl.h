// What searches for k nearest neighbors have in common, however they find their candidates: how
// many are needed, how far they may be, the search of last resort, and the rows of the result.
#if defined(KITH_NEIGHBORS_KNN_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_KNN_ROWS_INL_H_
#undef KITH_NEIGHBORS_KNN_ROWS_INL_H_
#else
#define KITH_NEIGHBORS_KNN_ROWS_INL_H_
#endif

#include <algorithm>
#include <hwy/highway.h>
#include <limits>

#include "neighbors/group-inl.h"
#include "walk/best_first-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T, class Norm = Squares>
class KnnRows : public GroupSearch<D, T, Norm> {
 public:
  explicit KnnRows(const KnnJob<T>& job)
      : GroupSearch<D, T, Norm>(job),
        job_(job),
        need_(std::min(job.k + (job.exclude_self ? 1 : 0), job.source.points)),
        best_first_(this->sources_) {
    std::fill(limit2_, limit2_ + kLanes, Base::shared_limit2(job));
    std::fill(most2_, most2_ + kLanes, finite(Base::shared_limit2(job)));
  }

 protected:
  using Base = GroupSearch<D, T, Norm>;
  using Base::counts_of_, Base::forget, Base::queries_, Base::query_, Base::slots;

  /// The limits of the queries that are set.
  void set_limits() {
    if (!this->has_own_limits()) return;
    for (std::size_t j = 0; j < queries_; ++j) {
      limit2_[j] = this->limit2_of(j);
      most2_[j] = finite(limit2_[j]);
    }
  }

  HWY_NOINLINE void search_best_first(std::size_t j) {
    ++this->counts_.best_first;
    const auto& found = best_first_.search(query_ + j, need_, limit2_[j]);
    this->reserve_slots(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      slots(j).d2[i] = found[i].key;
      slots(j).index[i] = found[i].index;
    }
    counts_of_[j] = found.size();
  }

  void sort_rows() {
    std::fill(counts_of_ + queries_, counts_of_ + kLanes, 0);
    if (job_.exclude_self)
      for (std::size_t j = 0; j < queries_; ++j) forget(j, this->query_index(j));
    for (std::size_t j = 0; j < queries_; j += kColumns)
      this->selector_.sort(slots(j), counts_of_ + j, job_.k);
  }
  /// Of a sorted row: the squared radius of the k-th neighbor, or how far was searched if there are
  /// fewer.
  T last2(std::size_t j) const {
    return counts_of_[j] < job_.k ? most2_[j] : slots(j).d2[job_.k - 1];
  }
  void deliver_rows() {
    for (std::size_t j = 0; j < queries_; ++j) deliver(j);
  }

  /// To its row.
  HWY_INLINE void write(const Found<T>& found) const {
    const std::size_t at = found.row * job_.k;
    this->write_row(job_, found, at);
    if (HWY_UNLIKELY(found.count < job_.k)) pad_row(job_, at + found.count, at + job_.k);
  }

  const KnnJob<T>& job_;
  const std::size_t need_;  ///< neighbors to collect, the query itself included
  T limit2_[kLanes];
  T most2_[kLanes];  ///< the largest squared radius to try: the limit, or what is finite

 private:
  static T finite(T limit2) { return std::min(limit2, std::numeric_limits<T>::max()); }

  HWY_INLINE void deliver(std::size_t j) const {
    const std::size_t count = std::min(counts_of_[j], job_.k);
    if (job_.visit && is_visited(j)) return (*job_.visit)(this->found(j, count));
    write(job_.edges2 ? this->measured(j, count) : this->found(j, count));
  }
  HWY_INLINE bool is_visited(std::size_t j) const {
    return !job_.edges2 || last2(j) >= job_.edges2[this->position_ / kGroupQueries];
  }

  BestFirst<D, T, Norm> best_first_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
