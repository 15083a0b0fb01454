#include "atoms/near_row.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "atoms/near_row.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "kernels/compress-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {
namespace {

/// Atoms of one run. The last step may load atoms behind it, whose bits are cleared.
HWY_INLINE NeighborKey* near_of_run(const AtomBins& bins, const AtomBins::Run& run,
                                    const Vector3& own, double limit2, NeighborKey* out) {
  const Tag<double> tag;
  const hn::RebindToUnsigned<Tag<double>> words;
  const hn::Rebind<std::uint32_t, decltype(words)> halves;
  constexpr std::size_t kStep = hn::MaxLanes(Tag<double>());
  const Vector3& offset = bins.image(run.code).offset;
  const auto limit = hn::Set(tag, limit2);
  const auto code = hn::Set(words, run.code);
  for (std::size_t p = run.begin; p < run.end; p += kStep) {
    const auto part = [&](std::size_t axis) HWY_ATTR {
      const double* column = bins.columns().x[axis].data();
      return hn::Add(hn::Sub(hn::LoadU(tag, column + p), hn::Set(tag, own[axis])),
                     hn::Set(tag, offset[axis]));
    };
    const auto x = part(0), y = part(1), z = part(2);
    const auto d2 = hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
    const std::size_t rest = run.end - p;
    const unsigned lanes = rest < kStep ? (1u << rest) - 1 : (1u << kStep) - 1;
    const unsigned near = bits_of(tag, hn::Le(d2, limit)) & lanes;
    const auto index = hn::PromoteTo(words, hn::LoadU(halves, bins.indices() + p));
    append(words, hn::Or(hn::ShiftLeft<32>(index), code), near, out);
    out += count_bits(near);
  }
  return out;
}

std::size_t near_row(const AtomBins& bins, std::span<const AtomBins::Run> runs, const Vector3& own,
                     double limit2, NeighborKey* found) {
  NeighborKey* out = found;
  for (const AtomBins::Run& run : runs) out = near_of_run(bins, run, own, limit2, out);
  return static_cast<std::size_t>(out - found);
}

/// Each key goes to its rank, the number of those before it: no branch depends on the keys. (Left
/// to the compiler, with sums along the other keys, this took twice the time.)
void rank_row(NeighborKey* keys, std::size_t n, std::uint64_t images, RowSortScratch& scratch) {
  const hn::ScalableTag<std::int32_t> tag;
  const std::size_t step = hn::Lanes(tag);
  std::int32_t* HWY_RESTRICT key = scratch.narrow;
  for (std::size_t i = 0; i < n; ++i)
    key[i] = static_cast<std::int32_t>((keys[i] >> 32) * images + (keys[i] & 0xffffffff));
  for (std::size_t i = 0; i < n; i += 2 * step) {
    const auto own = hn::LoadU(tag, key + i), next = hn::LoadU(tag, key + i + step);
    auto rank = hn::Zero(tag), next_rank = hn::Zero(tag);
    for (std::size_t j = 0; j < n; ++j) {
      const auto other = hn::Set(tag, key[j]);
      rank = hn::Sub(rank, hn::VecFromMask(tag, hn::Lt(other, own)));
      next_rank = hn::Sub(next_rank, hn::VecFromMask(tag, hn::Lt(other, next)));
    }
    hn::StoreU(rank, tag, scratch.rank + i);
    hn::StoreU(next_rank, tag, scratch.rank + i + step);
  }
  for (std::size_t i = 0; i < n; ++i) scratch.sorted[scratch.rank[i]] = keys[i];
  for (std::size_t i = 0; i < n; ++i) keys[i] = scratch.sorted[i];
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {
namespace {
HWY_EXPORT(near_row);
HWY_EXPORT(rank_row);
}  // namespace

std::size_t find_near(const AtomBins& bins, std::span<const AtomBins::Run> runs, const Vector3& own,
                      double limit2, NeighborKey* found) {
  return HWY_DYNAMIC_DISPATCH(near_row)(bins, runs, own, limit2, found);
}

void sort_row(NeighborKey* keys, std::size_t n, std::uint64_t images, RowSortScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(rank_row)(keys, n, images, scratch);
}

}  // namespace kith
#endif
