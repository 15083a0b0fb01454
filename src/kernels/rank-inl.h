// A bound on the number of a given rank among many, without sorting them.
#if defined(KITH_KERNELS_RANK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_KERNELS_RANK_INL_H_
#undef KITH_KERNELS_RANK_INL_H_
#else
#define KITH_KERNELS_RANK_INL_H_
#endif

#include <bit>
#include <hwy/highway.h>
#include <limits>
#include <type_traits>

#include "kernels/compress-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// How many of the first `count` values are at most `most`.
template <class T>
HWY_INLINE std::size_t count_within(const T* HWY_RESTRICT values, std::size_t count, T most) {
  const Tag<T> tag;
  const auto bound = hn::Set(tag, most);
  const std::size_t step = hn::Lanes(tag), whole = count / step * step;
  std::size_t within = 0;
  for (std::size_t i = 0; i < whole; i += step)
    within += count_bits(bits_of(tag, hn::Le(hn::LoadU(tag, values + i), bound)));
  for (std::size_t i = whole; i < count; ++i) within += values[i] <= most ? 1 : 0;
  return within;
}

/// A finite number that at least `rank` of these (0 or more, never NaN) are not above, at most 1/16
/// more than the least such number; the largest finite number if there are too few. The bits of
/// positive numbers are in their order, so halving finds it.
template <class T>
HWY_NOINLINE T rank_bound(const T* values, std::size_t count, std::size_t rank) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kFine = Bits{1} << (std::numeric_limits<T>::digits - 5);
  const T most = std::numeric_limits<T>::max();
  if (count < rank) return most;
  if (count_within(values, count, T(0)) >= rank) return 0;
  Bits low = 0, high = std::bit_cast<Bits>(most);
  // The bits of a value in the middle of the list are a good start: values that belong together
  // differ by a few octaves only.
  const Bits start = std::bit_cast<Bits>(values[count / 2]);
  if (start < high) {
    const bool is_enough = count_within(values, count, values[count / 2]) >= rank;
    (is_enough ? high : low) = start;
    for (Bits step = 8 * kFine; high - low > step; step *= 2) {
      const Bits next = is_enough ? high - step : low + step;
      const bool has_rank = count_within(values, count, std::bit_cast<T>(next)) >= rank;
      (has_rank ? high : low) = next;
      if (has_rank != is_enough) break;
    }
  }
  while (high - low > kFine) {
    const Bits middle = low + (high - low) / 2;
    (count_within(values, count, std::bit_cast<T>(middle)) >= rank ? high : low) = middle;
  }
  return std::bit_cast<T>(high);
}

/// Keeps the candidates within `most`, in place; how many they are. Room for a vector after the
/// last.
template <class T>
HWY_NOINLINE std::size_t keep_within(T* HWY_RESTRICT d2, std::uint32_t* HWY_RESTRICT index,
                                     std::size_t count, T most) {
  const Tag<T> tag;
  const hn::Rebind<std::uint32_t, Tag<T>> word;
  const auto bound = hn::Set(tag, most);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) {
    const auto values = hn::LoadU(tag, d2 + i);
    const unsigned there = count - i < hn::Lanes(tag) ? (1u << (count - i)) - 1 : ~0u;
    const unsigned bits = bits_of(tag, hn::Le(values, bound)) & there;
    const auto indices = hn::LoadU(word, index + i);
    append(tag, values, bits, d2 + kept);
    append(word, indices, bits, index + kept);
    kept += count_bits(bits);
  }
  return kept;
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
