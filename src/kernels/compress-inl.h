// Appending the lanes that pass a test, without a branch: chosen lanes move to the front and the
// whole vector is stored; the lanes behind the chosen ones are overwritten by the next append.
//
// Highway 1.0.3's CompressStore does the same, but g++ 12 copies its table to the stack at every
// call: 2.5 times the time of a query. So the tables here are ours. AVX-512 has instructions for
// it, called by their names: for 64-bit lanes Highway has a table there too.
#if defined(KITH_KERNELS_COMPRESS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_KERNELS_COMPRESS_INL_H_
#undef KITH_KERNELS_COMPRESS_INL_H_
#else
#define KITH_KERNELS_COMPRESS_INL_H_
#endif

#include <hwy/highway.h>

#include "kernels/compress_tables.hpp"
#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// The lanes of v whose bit is set, at the front.
template <class TagT, class V>
HWY_INLINE V compressed(TagT tag, V v, unsigned bits) {
  using X = hn::TFromD<TagT>;
#if HWY_TARGET <= HWY_AVX3
  static_assert(hn::MaxLanes(TagT()) == kLanes);
  const hn::RebindToUnsigned<TagT> words;
  const auto from = hn::BitCast(words, v).raw;
  const auto mask = static_cast<__mmask8>(bits);
  if constexpr (sizeof(X) == 8)
    return hn::BitCast(tag, hn::VFromD<decltype(words)>{_mm512_maskz_compress_epi64(mask, from)});
  else
    return hn::BitCast(tag, hn::VFromD<decltype(words)>{_mm256_maskz_compress_epi32(mask, from)});
#else
  constexpr std::size_t kBytes = hn::MaxLanes(TagT()) * sizeof(X);
  if constexpr (kBytes == 32) {
    const hn::Repartition<std::uint32_t, TagT> parts;
    const auto* row = sizeof(X) == 4 ? kCompress.lane8[bits] : kCompress.pair4[bits];
    const auto order =
        hn::PromoteTo(parts, hn::LoadU(hn::Rebind<std::uint8_t, decltype(parts)>(), row));
    return hn::BitCast(
        tag, hn::TableLookupLanes(hn::BitCast(parts, v), hn::IndicesFromVec(parts, order)));
  } else {
    const hn::Repartition<std::uint8_t, TagT> bytes;
    const auto* row = kBytes == 8      ? kCompress.byte2x4[bits]
                      : sizeof(X) == 4 ? kCompress.byte4[bits]
                                       : kCompress.byte2[bits];
    return hn::BitCast(tag, hn::TableLookupBytes(hn::BitCast(bytes, v), hn::Load(bytes, row)));
  }
#endif
}

/// Stores the lanes of v whose bit is set from `to` on; may write a whole vector.
template <class TagT, class V, class X>
HWY_INLINE void append(TagT tag, V v, unsigned bits, X* HWY_RESTRICT to) {
  hn::StoreU(compressed(tag, v, bits), tag, to);
}

HWY_INLINE std::size_t count_bits(unsigned bits) {
  return static_cast<std::size_t>(hwy::PopCount(bits));
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
