// Writing a query's neighbors to its row.
#if defined(KITH_NEIGHBORS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_ROWS_INL_H_
#undef KITH_NEIGHBORS_ROWS_INL_H_
#else
#define KITH_NEIGHBORS_ROWS_INL_H_
#endif

#include <algorithm>
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include <limits>

#include "kernels/lanes-inl.h"
#include "neighbors/search_job.hpp"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// Distances from keys, squared or not, in the caller's units, in place; may touch a whole vector
/// after the last.
template <bool IsSquared, class T>
HWY_INLINE void to_distances(T* HWY_RESTRICT d2, std::size_t count, T unscale) {
  const Tag<T> tag;
  const auto factor = hn::Set(tag, unscale);
  for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) {
    auto length = hn::LoadU(tag, d2 + i);
    if constexpr (IsSquared) length = hn::Sqrt(length);
    hn::StoreU(hn::Mul(length, factor), tag, d2 + i);
  }
}

template <class TagT, class X, class Y>
HWY_INLINE void copy(TagT tag, const X* HWY_RESTRICT from, std::size_t count, Y* HWY_RESTRICT to) {
  const std::size_t step = hn::Lanes(tag);
  if (count == 1) {  // the compiler makes a call of the loops below, which takes longer
    *to = static_cast<Y>(*from);
    return;
  }
  // A whole row goes past the cache: it is not read again, and rows of the input order lie
  // anywhere.
  if (reinterpret_cast<std::uintptr_t>(to) % (step * sizeof(Y)) == 0 && count % step == 0) {
    for (std::size_t i = 0; i < count; i += step) hn::Stream(hn::LoadU(tag, from + i), tag, to + i);
    return;
  }
  std::size_t i = 0;
  for (; i + step <= count; i += step) hn::StoreU(hn::LoadU(tag, from + i), tag, to + i);
  for (; i < count; ++i) to[i] = static_cast<Y>(from[i]);
}

/// The same from 32 to 64 bits.
HWY_INLINE void widen(const std::uint32_t* HWY_RESTRICT from, std::size_t count,
                      std::int64_t* HWY_RESTRICT to) {
  const hn::CappedTag<std::uint64_t, kLanes> tag;
  const hn::Rebind<std::uint32_t, decltype(tag)> half;
  auto* HWY_RESTRICT words = reinterpret_cast<std::uint64_t*>(to);
  const std::size_t step = hn::Lanes(tag);
  if (reinterpret_cast<std::uintptr_t>(to) % (step * sizeof(*to)) == 0 && count % step == 0) {
    for (std::size_t i = 0; i < count; i += step)
      hn::Stream(hn::PromoteTo(tag, hn::LoadU(half, from + i)), tag, words + i);
    return;
  }
  std::size_t i = 0;
  for (; i + step <= count; i += step)
    hn::StoreU(hn::PromoteTo(tag, hn::LoadU(half, from + i)), tag, words + i);
  for (; i < count; ++i) to[i] = from[i];
}

/// The neighbors from position `at` of the arrays on.
template <class T>
HWY_INLINE void write_neighbors(const SearchJob<T>& job, const Found<T>& found, std::size_t at) {
  if (job.distance) copy(Tag<T>(), found.distance, found.count, job.distance + at);
  if (job.index32)
    copy(hn::CappedTag<std::int32_t, kLanes>(), reinterpret_cast<const std::int32_t*>(found.index),
         found.count, job.index32 + at);
  if (job.index64) widen(found.index, found.count, job.index64 + at);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
