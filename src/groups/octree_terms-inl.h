// The loop over the terms of the tree code for every SIMD target: all of octree_terms.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "groups/octree_terms-inl.h"
#include <hwy/foreach_target.h>  // includes this file once per target
#include <limits>

#include "groups/octree_terms.hpp"
#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {
namespace {

/// Lanes from `first` on. Every operation is rounded once and has its place in the order of terms,
/// so the bits are those of a loop over numbers.
template <int D>
void subtract_in_lanes(const OctreeTerms& terms, Axes<D> axes, double softening2, std::size_t first,
                       OctreeReceivers& to) {
  const Tag<double> tag;
  const auto lane = hn::Add(hn::Iota(tag, 0), hn::Set(tag, static_cast<double>(first)));
  const auto softening = hn::Set(tag, softening2);
  const auto far = hn::Set(tag, std::numeric_limits<double>::infinity());
  Vec<double> at[kAxisRoom<D>];
  for (int axis = 0; axis < axes.count(); ++axis) at[axis] = hn::LoadU(tag, to.at[axis] + first);
  auto potential = hn::LoadU(tag, to.potential + first);
  const double* row = terms.row;
  for (std::size_t term = 0; term < terms.count; ++term, row += axes.count() + 2) {
    auto r2 = softening;
    for (int axis = 0; axis < axes.count(); ++axis) {
      const auto dx = hn::Sub(at[axis], hn::Set(tag, row[2 + axis]));
      r2 = hn::Add(r2, hn::Mul(dx, dx));
    }
    r2 = hn::IfThenElse(hn::Eq(lane, hn::Set(tag, row[1])), far, r2);
    potential = hn::Sub(potential, hn::Div(hn::Set(tag, row[0]), hn::Sqrt(r2)));
  }
  hn::StoreU(potential, tag, to.potential + first);
}

template <int D>
void subtract_on_target(const OctreeTerms& terms, std::size_t d, double softening2,
                        OctreeReceivers& to) {
  for (std::size_t first = 0; first < kLanes; first += hn::Lanes(Tag<double>()))
    subtract_in_lanes(terms, Axes<D>(static_cast<int>(d)), softening2, first, to);
}

void subtract_3(const OctreeTerms& terms, std::size_t d, double softening2, OctreeReceivers& to) {
  subtract_on_target<3>(terms, d, softening2, to);
}
void subtract_any(const OctreeTerms& terms, std::size_t d, double softening2, OctreeReceivers& to) {
  subtract_on_target<kAnyDimension>(terms, d, softening2, to);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith {
namespace {
HWY_EXPORT(subtract_3);
HWY_EXPORT(subtract_any);
}  // namespace

void subtract_terms(const OctreeTerms& terms, std::size_t d, double softening2,
                    OctreeReceivers& to) {
  if (d == 3)
    HWY_DYNAMIC_DISPATCH(subtract_3)(terms, d, softening2, to);
  else
    HWY_DYNAMIC_DISPATCH(subtract_any)(terms, d, softening2, to);
}

}  // namespace kith
#endif
