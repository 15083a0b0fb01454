// Keys that order candidates by (d2, index), in rows of four: one query per column, so that a
// comparator works on four queries at once without a shuffle.
//
// float: the bits of d2 and the index side by side in 64 bits, compared as a double. Positive
// doubles order like integers; a bias keeps them normal numbers, and the largest d2 (the padding)
// finite. double: the pair (d2, 2^52 + index), two doubles.
#if defined(KITH_KERNELS_KEYS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_KERNELS_KEYS_INL_H_
#undef KITH_KERNELS_KEYS_INL_H_
#else
#define KITH_KERNELS_KEYS_INL_H_
#endif

#include <hwy/highway.h>

#include "base/array.hpp"
#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// Queries that are sorted together.
inline constexpr std::size_t kColumns = 4;
using ColumnTag = hn::CappedTag<double, kColumns>;

/// One slot of candidates per query: d2 and index from `slot * stride` on. Room for whole vectors
/// after the last.
template <class T>
struct Slots {
  T* d2 = nullptr;
  std::uint32_t* index = nullptr;
  std::size_t stride = 0;

  Slots from(std::size_t slot) const { return {d2 + slot * stride, index + slot * stride, stride}; }
};

template <class T>
class Keys;

template <>
class Keys<float> {
 public:
  struct Key {
    hn::Vec<ColumnTag> value;
  };
  static constexpr std::uint32_t kPadding = 0x7fc00000;  // the bits of a d2 that comes last

  void reserve(std::size_t rows) {
    if (keys_.size() < kColumns * rows) keys_ = Array<double>(2 * kColumns * rows);
  }
  HWY_INLINE Key load(std::size_t at) const { return {hn::Load(ColumnTag(), keys_.data() + at)}; }
  HWY_INLINE void store(const Key& key, std::size_t at) const {
    hn::Store(key.value, ColumnTag(), keys_.data() + at);
  }
  static HWY_INLINE Key smaller(const Key& a, const Key& b) { return {hn::Min(a.value, b.value)}; }
  static HWY_INLINE void exchange(Key& a, Key& b) {
    const auto low = hn::Min(a.value, b.value);
    b.value = hn::Max(a.value, b.value);
    a.value = low;
  }

  /// Rows [0, rows) from four slots.
  HWY_INLINE void pack(const Slots<float>& slots, std::size_t rows) const {
    double* HWY_RESTRICT to = keys_.data();
    for (std::size_t row = 0; row < rows; row += hn::Lanes(Word())) {
      Wide low[kColumns], high[kColumns];
      for (std::size_t q = 0; q < kColumns; ++q) zip(slots.from(q), row, low[q], high[q]);
      hn::StoreInterleaved4(low[0], low[1], low[2], low[3], Pair(), to + kColumns * row);
      hn::StoreInterleaved4(high[0], high[1], high[2], high[3], Pair(),
                            to + kColumns * row + kColumns * hn::Lanes(Pair()));
    }
  }

  /// Back to the slots.
  HWY_INLINE void unpack(std::size_t rows, const Slots<float>& slots) const {
    const double* HWY_RESTRICT from = keys_.data();
    for (std::size_t row = 0; row < rows; row += hn::Lanes(Word())) {
      Wide low[kColumns], high[kColumns];
      hn::LoadInterleaved4(Pair(), from + kColumns * row, low[0], low[1], low[2], low[3]);
      hn::LoadInterleaved4(Pair(), from + kColumns * row + kColumns * hn::Lanes(Pair()), high[0],
                           high[1], high[2], high[3]);
      for (std::size_t q = 0; q < kColumns; ++q) unzip(low[q], high[q], slots.from(q), row);
    }
  }

 private:
  using Word = hn::CappedTag<std::uint32_t, 8>;
  using Pair = hn::Repartition<double, Word>;
  using Wide = hn::Vec<Pair>;
  static constexpr std::uint32_t kBias = 0x00100000;

  /// The order of rows within a vector does not matter: they are about to be sorted.
  static HWY_INLINE void zip(const Slots<float>& slot, std::size_t row, Wide& low, Wide& high) {
    const Word word;
    const hn::RepartitionToWide<Word> wide;
    const auto index = hn::LoadU(word, slot.index + row);
    const auto d2 = hn::Add(hn::BitCast(word, hn::LoadU(hn::RebindToFloat<Word>(), slot.d2 + row)),
                            hn::Set(word, kBias));
    low = hn::BitCast(Pair(), hn::ZipLower(wide, index, d2));
    high = hn::BitCast(Pair(), hn::ZipUpper(wide, index, d2));
  }
  static HWY_INLINE void unzip(Wide low, Wide high, const Slots<float>& slot, std::size_t row) {
    const Word word;
    const auto a = hn::BitCast(word, low), b = hn::BitCast(word, high);
    hn::StoreU(hn::ConcatEven(word, b, a), word, slot.index + row);
    const auto d2 = hn::Sub(hn::ConcatOdd(word, b, a), hn::Set(word, kBias));
    hn::StoreU(hn::BitCast(hn::RebindToFloat<Word>(), d2), hn::RebindToFloat<Word>(),
               slot.d2 + row);
  }

  Array<double> keys_;
};

template <>
class Keys<double> {
 public:
  struct Key {
    hn::Vec<ColumnTag> d2, index;
  };
  static constexpr std::uint64_t kPadding = 0x7ff0000000000000;

  void reserve(std::size_t rows) {
    if (d2_.size() >= kColumns * rows) return;
    d2_ = Array<double>(2 * kColumns * rows);
    index_ = Array<double>(2 * kColumns * rows);
  }
  HWY_INLINE Key load(std::size_t at) const {
    return {hn::Load(ColumnTag(), d2_.data() + at), hn::Load(ColumnTag(), index_.data() + at)};
  }
  HWY_INLINE void store(const Key& key, std::size_t at) const {
    hn::Store(key.d2, ColumnTag(), d2_.data() + at);
    hn::Store(key.index, ColumnTag(), index_.data() + at);
  }
  static HWY_INLINE Key smaller(const Key& a, const Key& b) {
    const auto is_b = is_less(b, a);
    return {hn::IfThenElse(is_b, b.d2, a.d2), hn::IfThenElse(is_b, b.index, a.index)};
  }
  static HWY_INLINE void exchange(Key& a, Key& b) {
    const auto is_b = is_less(b, a);
    const Key low{hn::IfThenElse(is_b, b.d2, a.d2), hn::IfThenElse(is_b, b.index, a.index)};
    b = {hn::IfThenElse(is_b, a.d2, b.d2), hn::IfThenElse(is_b, a.index, b.index)};
    a = low;
  }

  HWY_INLINE void pack(const Slots<double>& slots, std::size_t rows) const {
    const ColumnTag tag;
    for (std::size_t row = 0; row < rows; row += hn::Lanes(tag)) {
      hn::Vec<ColumnTag> d2[kColumns], index[kColumns];
      for (std::size_t q = 0; q < kColumns; ++q) {
        d2[q] = hn::LoadU(tag, slots.from(q).d2 + row);
        const auto low =
            hn::LoadU(hn::Rebind<std::uint32_t, ColumnTag>(), slots.from(q).index + row);
        const auto wide = hn::PromoteTo(Bits(), low);
        index[q] = hn::BitCast(tag, hn::Or(wide, hn::Set(Bits(), kTwo52)));
      }
      hn::StoreInterleaved4(d2[0], d2[1], d2[2], d2[3], tag, d2_.data() + kColumns * row);
      hn::StoreInterleaved4(index[0], index[1], index[2], index[3], tag,
                            index_.data() + kColumns * row);
    }
  }

  HWY_INLINE void unpack(std::size_t rows, const Slots<double>& slots) const {
    const ColumnTag tag;
    const hn::Rebind<std::uint32_t, ColumnTag> word;
    for (std::size_t row = 0; row < rows; row += hn::Lanes(tag)) {
      hn::Vec<ColumnTag> d2[kColumns], index[kColumns];
      hn::LoadInterleaved4(tag, d2_.data() + kColumns * row, d2[0], d2[1], d2[2], d2[3]);
      hn::LoadInterleaved4(tag, index_.data() + kColumns * row, index[0], index[1], index[2],
                           index[3]);
      for (std::size_t q = 0; q < kColumns; ++q) {
        hn::StoreU(d2[q], tag, slots.from(q).d2 + row);
        hn::StoreU(hn::TruncateTo(word, hn::BitCast(Bits(), index[q])), word,
                   slots.from(q).index + row);
      }
    }
  }

 private:
  using Bits = hn::RebindToUnsigned<ColumnTag>;
  static constexpr std::uint64_t kTwo52 = 0x4330000000000000;

  static HWY_INLINE hn::Mask<ColumnTag> is_less(const Key& a, const Key& b) {
    return hn::Or(hn::Lt(a.d2, b.d2), hn::And(hn::Eq(a.d2, b.d2), hn::Lt(a.index, b.index)));
  }

  Array<double> d2_, index_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
