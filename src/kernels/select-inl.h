// The nearest of each query's candidates, in order.
#if defined(KITH_KERNELS_SELECT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_KERNELS_SELECT_INL_H_
#undef KITH_KERNELS_SELECT_INL_H_
#else
#define KITH_KERNELS_SELECT_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/compress-inl.h"
#include "kernels/keys-inl.h"
#include "kernels/sorting_network.hpp"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// Candidates as they are sorted one query at a time.
template <class T>
struct Candidate {
  T d2;
  std::uint32_t id;
  bool operator<(const Candidate& other) const {
    return d2 < other.d2 || (d2 == other.d2 && id < other.id);
  }
};

template <class T>
class Selector {
 public:
  /// Orders the candidates of four slots by (d2, index); the first `keep` of each, or as many as there are, come
  /// back in place. counts[q] <= slots.stride less a vector.
  void sort(const Slots<T>& slots, const std::size_t* counts, std::size_t keep) {
    const std::size_t most = *std::max_element(counts, counts + kColumns);
    const std::size_t rows = (most + kSortedRun - 1) / kSortedRun * kSortedRun;
    if (rows == 0) return;
    if (rows > kMaxRows) {
      for (std::size_t q = 0; q < kColumns; ++q) sort_one(slots.from(q), counts[q], keep);
      return;
    }
    for (std::size_t q = 0; q < kColumns; ++q) pad(slots.from(q), counts[q], rows);
    keys_.reserve(rows);
    keys_.pack(slots, rows);
    if (keep <= kSortedRun)
      keep_one_run(rows);
    else
      merge_runs(rows, keep);
    keys_.unpack(std::min(keep, rows), slots);
  }

 private:
  using Key = typename Keys<T>::Key;
  /// Longer networks fall out of the cache: sorts of one query at a time are faster there.
  static constexpr std::size_t kMaxRows = 1024;

  static HWY_INLINE void pad(const Slots<T>& slot, std::size_t count, std::size_t rows) {
    using Bits = hn::RebindToUnsigned<Tag<T>>;
    const auto padding = hn::BitCast(Tag<T>(), hn::Set(Bits(), Keys<T>::kPadding));
    for (std::size_t i = count; i < rows; i += hn::Lanes(Tag<T>())) hn::StoreU(padding, Tag<T>(), slot.d2 + i);
    // Infinity is the padding of doubles, and a d2 as well: the index decides.
    if (sizeof(T) == 8 && count < rows) std::fill(slot.id + count, slot.id + rows, 0xffffffffu);
  }

  template <std::size_t... I>
  static HWY_INLINE void sort_run(Key* run, std::index_sequence<I...>) {
    (Keys<T>::exchange(run[kRunNetwork[I].low], run[kRunNetwork[I].high]), ...);
  }
  HWY_INLINE void load_sorted_run(std::size_t at, Key* run) const {
    for (std::size_t i = 0; i < kSortedRun; ++i) run[i] = keys_.load(at + kColumns * i);
    sort_run(run, std::make_index_sequence<kRunComparators>());
  }

  /// The smallest 16 of all rows, sorted: each further run meets the best so far head to tail, which leaves a
  /// bitonic sequence of the smaller halves.
  void keep_one_run(std::size_t rows) const {
    for (std::size_t column = 0; column < kColumns; column += hn::Lanes(ColumnTag())) {
      Key best[kSortedRun];
      load_sorted_run(column, best);
      for (std::size_t row = kSortedRun; row < rows; row += kSortedRun) {
        Key next[kSortedRun];
        load_sorted_run(column + kColumns * row, next);
        for (std::size_t i = 0; i < kSortedRun; ++i)
          best[i] = Keys<T>::smaller(best[i], next[kSortedRun - 1 - i]);
        merge_bitonic(best);
      }
      for (std::size_t i = 0; i < kSortedRun; ++i) keys_.store(best[i], column + kColumns * i);
    }
  }
  static HWY_INLINE void merge_bitonic(Key* run) {
    HWY_UNROLL(4)
    for (std::size_t half = kSortedRun / 2; half >= 1; half /= 2)
      HWY_UNROLL(16)
      for (std::size_t i = 0; i < kSortedRun; ++i)
        if (!(i & half)) Keys<T>::exchange(run[i], run[i + half]);
  }

  void merge_runs(std::size_t rows, std::size_t keep) {
    for (std::size_t column = 0; column < kColumns; column += hn::Lanes(ColumnTag()))
      for (std::size_t row = 0; row < rows; row += kSortedRun) {
        Key run[kSortedRun];
        load_sorted_run(column + kColumns * row, run);
        for (std::size_t i = 0; i < kSortedRun; ++i) keys_.store(run[i], column + kColumns * (row + i));
      }
    if (rows == kSortedRun) return;
    for (const Comparator c : network(rows, keep))
      for (std::size_t column = 0; column < kColumns; column += hn::Lanes(ColumnTag())) {
        Key low = keys_.load(kColumns * c.low + column), high = keys_.load(kColumns * c.high + column);
        Keys<T>::exchange(low, high);
        keys_.store(low, kColumns * c.low + column);
        keys_.store(high, kColumns * c.high + column);
      }
  }

  const std::vector<Comparator>& network(std::size_t rows, std::size_t keep) {
    if (keep != networks_keep_) networks_.clear();
    networks_keep_ = keep;
    const std::size_t i = rows / kSortedRun;
    if (networks_.size() <= i) networks_.resize(i + 1);
    if (networks_[i].empty()) networks_[i] = merge_network(rows, keep);
    return networks_[i];
  }

  void sort_one(const Slots<T>& slot, std::size_t count, std::size_t keep) {
    row_.resize(count);
    for (std::size_t i = 0; i < count; ++i) row_[i] = {slot.d2[i], slot.id[i]};
    if (keep < count) {
      std::nth_element(row_.begin(), row_.begin() + static_cast<std::ptrdiff_t>(keep), row_.end());
      row_.resize(keep);
    }
    std::sort(row_.begin(), row_.end());
    for (std::size_t i = 0; i < row_.size(); ++i) {
      slot.d2[i] = row_[i].d2;
      slot.id[i] = row_[i].id;
    }
  }

  Keys<T> keys_;
  std::size_t networks_keep_ = 0;
  std::vector<std::vector<Comparator>> networks_;
  std::vector<Candidate<T>> row_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
