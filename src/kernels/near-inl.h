// Which of 8 points or boxes are within reach, as bits; and the small operations on bits and
// parents that joins are made of.
//
// Included once per SIMD target. A reach2 must be finite: empty boxes are infinitely far. Unused
// lanes of a block (NaN) are near no point, but may count as near a box.
#if defined(KITH_KERNELS_NEAR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_KERNELS_NEAR_INL_H_
#undef KITH_KERNELS_NEAR_INL_H_
#else
#define KITH_KERNELS_NEAR_INL_H_
#endif

#include <atomic>
#include <bit>
#include <cstdint>

#include "kernels/bit_table.hpp"
#include "kernels/lanes-inl.h"

// GCC defines a macro; Clang needs __has_feature.
#if defined(__SANITIZE_THREAD__)
#define KITH_HAS_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KITH_HAS_THREAD_SANITIZER 1
#endif
#endif
#ifndef KITH_HAS_THREAD_SANITIZER
#define KITH_HAS_THREAD_SANITIZER 0
#endif

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// How far is near, and in which space: the same for all tests of one call.
template <int D, class T>
struct Range {
  Axes<D> axes;
  T reach2;
  T side[kAxisRoom<D>];
};

template <bool Wrap, int D, class T>
HWY_INLINE unsigned points_near(const T* HWY_RESTRICT point, const T* HWY_RESTRICT block,
                                const Range<D, T>& range) {
  const Tag<T> tag;
  const auto reach2 = hn::Set(tag, range.reach2);
  unsigned bits = 0;
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag))
    bits |=
        bits_of(tag, hn::Le(distance2<Wrap>(point, block, lane, range.side, range.axes), reach2))
        << lane;
  return bits;
}

template <bool Wrap, int D, class T>
HWY_INLINE unsigned points_near(const Bounds<D, T>& box, const T* HWY_RESTRICT block,
                                const Range<D, T>& range) {
  const Tag<T> tag;
  const auto reach2 = hn::Set(tag, range.reach2);
  unsigned bits = 0;
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag))
    bits |= bits_of(tag, hn::Le(lower2_of_points<Wrap>(box, block, lane, range.side, range.axes),
                                reach2))
            << lane;
  return bits;
}

/// `from` is a point or a box.
template <bool Wrap, class From, int D, class T>
HWY_INLINE unsigned boxes_near(const From& from, const T* HWY_RESTRICT chunk,
                               const Range<D, T>& range) {
  const Tag<T> tag;
  const auto reach2 = hn::Set(tag, range.reach2);
  unsigned bits = 0;
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag))
    bits |= bits_of(tag, hn::Le(lower2<Wrap>(from, chunk, lane, range.side, range.axes), reach2))
            << lane;
  return bits;
}

/// Which of 8 neighboring parents equal a value. Other threads may be storing to them (relaxed,
/// see parallel/union_find.hpp): every lane is a value that was there at some time, an ancestor
/// for good, since the machine loads aligned lanes whole; an old one costs a test that finds
/// nothing new.
HWY_INLINE unsigned equal_parents(const std::uint32_t* HWY_RESTRICT parents, std::uint32_t value) {
#if KITH_HAS_THREAD_SANITIZER
  unsigned equal = 0;  // the same in the words of the language, which the sanitizer understands
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::atomic_ref parent(const_cast<std::uint32_t&>(parents[lane]));
    equal |= unsigned{parent.load(std::memory_order_relaxed) == value} << lane;
  }
  return equal;
#else
  const Tag<std::uint32_t> tag;
  unsigned equal = 0;
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag))
    equal |= bits_of(tag, hn::Eq(hn::Load(tag, parents + lane), hn::Set(tag, value))) << lane;
  return equal;
#endif
}

/// Writes base + the number of each set bit to `out`, without a branch, and returns the end. Room
/// for 8 values is needed for any bits.
HWY_INLINE std::uint32_t* append(std::uint32_t* HWY_RESTRICT out, std::uint32_t base,
                                 unsigned bits) {
  const Tag<std::uint32_t> tag;
  const hn::Rebind<std::uint8_t, decltype(tag)> bytes;
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
    const auto numbers = hn::PromoteTo(tag, hn::LoadU(bytes, kSetBits[bits] + lane));
    hn::StoreU(hn::Add(numbers, hn::Set(tag, base)), tag, out + lane);
  }
  return out + std::popcount(bits);
}

/// Appends (base + the number of each set bit) << 32 | low; returns the new end.
HWY_INLINE std::uint64_t* append_pairs(std::uint64_t* HWY_RESTRICT out, std::uint32_t base,
                                       unsigned bits, std::uint32_t low) {
  const Tag<std::uint64_t> tag;
  const hn::Rebind<std::uint8_t, decltype(tag)> bytes;
  const auto rest = hn::Set(tag, std::uint64_t{base} << 32 | low);
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
    const hn::Rebind<std::uint32_t, decltype(tag)> halves;
    const auto numbers = hn::PromoteTo(halves, hn::LoadU(bytes, kSetBits[bits] + lane));
    hn::StoreU(hn::Add(hn::ShiftLeft<32>(hn::PromoteTo(tag, numbers)), rest), tag, out + lane);
  }
  return out + std::popcount(bits);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
