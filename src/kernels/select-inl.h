// The nearest of each query's candidates, in order.
#if defined(KITH_KERNELS_SELECT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_KERNELS_SELECT_INL_H_
#undef KITH_KERNELS_SELECT_INL_H_
#else
#define KITH_KERNELS_SELECT_INL_H_
#endif

#include <algorithm>
#include <hwy/highway.h>
#include <utility>
#include <vector>

#include "base/checked_sort.hpp"
#include "base/function_ref.hpp"
#include "geometry/candidate.hpp"
#include "kernels/compress-inl.h"
#include "kernels/keys-inl.h"
#include "kernels/sorting_network.hpp"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <class T>
class Selector {
 public:
  /// `checkpoint`, which may be null, is called now and then while long lists are sorted.
  explicit Selector(const FunctionRef<void()>* checkpoint = nullptr) : checkpoint_(checkpoint) {}

  /// Orders the candidates of four slots by (d2, index); the first `keep` of each, or as many as
  /// there are, come back in place. counts[q] <= slots.stride less a vector.
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
  /// Beyond this many candidates the rows fall out of the cache, and the network's n log^2 n shows.
  static constexpr std::size_t kMaxRows = 1 << 15;

  static HWY_INLINE void pad(const Slots<T>& slot, std::size_t count, std::size_t rows) {
    using Bits = hn::RebindToUnsigned<Tag<T>>;
    const auto padding = hn::BitCast(Tag<T>(), hn::Set(Bits(), Keys<T>::kPadding));
    for (std::size_t i = count; i < rows; i += hn::Lanes(Tag<T>()))
      hn::StoreU(padding, Tag<T>(), slot.d2 + i);
    // Infinity is the padding of doubles, and a d2 as well: the index decides.
    if (sizeof(T) == 8 && count < rows)
      std::fill(slot.index + count, slot.index + rows, 0xffffffffu);
  }

  template <std::size_t... I>
  static HWY_INLINE void sort_run(Key* run, std::index_sequence<I...>) {
    (Keys<T>::exchange(run[kRunNetwork[I].low], run[kRunNetwork[I].high]), ...);
  }
  HWY_INLINE void load_sorted_run(std::size_t at, Key* run) const {
    for (std::size_t i = 0; i < kSortedRun; ++i) run[i] = keys_.load(at + kColumns * i);
    sort_run(run, std::make_index_sequence<kRunComparators>());
  }

  /// The smallest 16 of all rows, sorted: each further run meets the best so far head to tail,
  /// which leaves a bitonic sequence of the smaller halves.
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
      store_run(best, column);
    }
  }
  static HWY_INLINE void merge_bitonic(Key* run) {
    HWY_UNROLL(4)
    for (std::size_t half = kSortedRun / 2; half >= 1; half /= 2) HWY_UNROLL(16)
    for (std::size_t i = 0; i < kSortedRun; ++i)
      if (!(i & half)) Keys<T>::exchange(run[i], run[i + half]);
  }

  /// Sorts as far as the first `keep` rows need it: bitonic merges of longer and longer runs, whose
  /// last four steps stay within 16 rows and so in registers. Rows past the last count as infinite.
  /// Batcher's merge has fewer comparators, but all of them go through memory: a search for k = 128
  /// took 28 % longer with it.
  void merge_runs(std::size_t rows, std::size_t keep) const {
    for (std::size_t column = 0; column < kColumns; column += hn::Lanes(ColumnTag())) {
      for (std::size_t row = 0; row < rows; row += kSortedRun) {
        Key run[kSortedRun];
        load_sorted_run(column + kColumns * row, run);
        store_run(run, column + kColumns * row);
      }
      for (std::size_t length = kSortedRun; length < rows; length *= 2)
        merge_neighbors(column, length, rows, 2 * length < rows ? rows : std::min(keep, rows));
    }
  }

  /// Merges runs of one length, two and two; only the first `wanted` rows are asked for.
  HWY_INLINE void merge_neighbors(std::size_t column, std::size_t length, std::size_t rows,
                                  std::size_t wanted) const {
    for (std::size_t begin = 0; begin + length < rows; begin += 2 * length) {
      // Head to tail: leaves the smaller half before the larger, both bitonic.
      const std::size_t end = std::min(begin + 2 * length, rows);
      for (std::size_t high = begin + length; high < end; ++high)
        exchange_rows(column, 2 * begin + 2 * length - 1 - high, high);
    }
    for (std::size_t half = length / 2; half >= kSortedRun; half /= 2)
      for (std::size_t begin = 0; begin < wanted; begin += 2 * half)
        for (std::size_t low = begin; low < begin + half && low + half < rows; ++low)
          exchange_rows(column, low, low + half);
    for (std::size_t row = 0; row < wanted; row += kSortedRun) {
      Key run[kSortedRun];
      for (std::size_t i = 0; i < kSortedRun; ++i)
        run[i] = keys_.load(column + kColumns * (row + i));
      merge_bitonic(run);
      store_run(run, column + kColumns * row);
    }
  }

  HWY_INLINE void exchange_rows(std::size_t column, std::size_t low, std::size_t high) const {
    Key a = keys_.load(column + kColumns * low), b = keys_.load(column + kColumns * high);
    Keys<T>::exchange(a, b);
    keys_.store(a, column + kColumns * low);
    keys_.store(b, column + kColumns * high);
  }
  HWY_INLINE void store_run(const Key* run, std::size_t at) const {
    for (std::size_t i = 0; i < kSortedRun; ++i) keys_.store(run[i], at + kColumns * i);
  }

  void sort_one(const Slots<T>& slot, std::size_t count, std::size_t keep) {
    row_.resize(count);
    for (std::size_t i = 0; i < count; ++i) row_[i] = {slot.d2[i], slot.index[i]};
    const auto check = [&] {
      if (checkpoint_) (*checkpoint_)();
    };
    check();
    if (keep < count) {
      checked_nth_element(row_.begin(), row_.begin() + static_cast<std::ptrdiff_t>(keep),
                          row_.end(), check);
      row_.resize(keep);
    }
    checked_sort(row_.begin(), row_.end(), check);
    for (std::size_t i = 0; i < row_.size(); ++i) {
      slot.d2[i] = row_[i].key;
      slot.index[i] = row_[i].index;
    }
  }

  Keys<T> keys_;
  const FunctionRef<void()>* checkpoint_;
  std::vector<Candidate<T>> row_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
