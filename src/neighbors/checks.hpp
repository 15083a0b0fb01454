// Checks of the arguments of searches: one text for one process and for ranks.
#pragma once

#include <algorithm>

#include <kith/density.hpp>
#include <kith/neighbors.hpp>
#include <kith/pair_counts.hpp>
#include <kith/radius.hpp>

#include "neighbors/limits.hpp"
#include "tree/input.hpp"

namespace kith {

/// T: of the distances that are asked for.
template <class T>
void check_scalar(const char* call, Scalar points) {
  if (points != scalar_of<T>)
    refuse("{}: {} distances of {} points; call {}<{}>", call, sizeof(T) == 4 ? "float" : "double",
           sizeof(T) == 4 ? "double" : "float", call, sizeof(T) == 4 ? "double" : "float");
}

inline void check_nearest(const char* call, const KnnOptions& options) {
  check_k(call, options.k);
  check_radius(call, "max_radius", options.max_radius);
  check_norm(call, options.p);
}

/// `points`: the scalar of the tree.
template <class T>
void check_nearest(const char* call, Scalar points, const KnnOptions& options) {
  check_scalar<T>(call, points);
  check_nearest(call, options);
}

inline void check_balls(const RadiusOptions& options, std::size_t queries) {
  if (!options.radii.empty() && options.radii.size() != queries)
    refuse("radius: {} radii for {} queries; give one for each", options.radii.size(), queries);
  if (!options.radii.empty() && options.radius != 0)
    refuse("radius: both radius = {} and radii are given; give one of them", options.radius);
  check_radius("radius", "radius", options.radius);
  check_norm("radius", options.p);
  for (const double r : options.radii) check_radius("radius", "a radius", r);
}

/// The points that are searched, as queries must fit them.
struct Searched {
  const Box& box;
  int dimension;
  Scalar scalar;

  int bits() const { return scalar == Scalar::float32 ? 32 : 64; }
};

/// For queries that are not the points themselves.
inline void check_not_self(const char* call, bool exclude_self) {
  if (exclude_self)
    refuse("{}: exclude_self with other queries; it is for the points' own neighbors", call);
}

inline void check_queries(const char* call, const Searched& points, const PointsView& queries) {
  check_view(call, queries, points.box);
  if (queries.dimension != points.dimension || queries.scalar != points.scalar)
    refuse(
        "{}: queries of dimension {} and {} bits for points of dimension {} and {} bits; they must "
        "agree",
        call, queries.dimension, queries.scalar == Scalar::float32 ? 32 : 64, points.dimension,
        points.bits());
}

inline void check_pair_options(const Searched& receivers, const Searched& sources,
                               const PairCountOptions& options) {
  if (receivers.dimension != sources.dimension || receivers.scalar != sources.scalar)
    refuse(
        "pair_counts: points of dimension {} and {} bits, and of dimension {} and {} bits; they "
        "must agree",
        receivers.dimension, receivers.bits(), sources.dimension, sources.bits());
  for (int axis = 0; axis < sources.dimension; ++axis) {
    const Box &a = receivers.box, &b = sources.box;
    if (a.side(axis) != b.side(axis) || (a.is_periodic(axis) && a.origin(axis) != b.origin(axis)))
      refuse(
          "pair_counts: axis {} has side {} and origin {} for the receivers, {} and {} for the "
          "sources; put both in the same box",
          axis, a.side(axis), a.origin(axis), b.side(axis), b.origin(axis));
  }
  check_norm("pair_counts", options.p);
  for (const double r : options.radii) check_radius("pair_counts", "a radius", r);
  if (!options.cumulative && !std::is_sorted(options.radii.begin(), options.radii.end()))
    refuse("pair_counts: radii that do not ascend, with cumulative = false; sort them");
}

/// Numbers of receivers and sources.
inline void check_pair_total(std::uint64_t receivers, std::uint64_t sources) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (sources > 0 && receivers > kMost / sources)
    fail(ErrorCode::too_large,
         "pair_counts: {} times {} points make more than 2^63 - 1 pairs; count a part of them",
         receivers, sources);
}

inline void check_density(const DensityOptions& options, int dimension, std::size_t points) {
  if (dimension > 3) refuse("sph_density: {} dimensions; it is defined for 1, 2 and 3", dimension);
  if (!options.mass.empty() && options.mass.size() != points)
    refuse("sph_density: {} masses for {} points; give one for each", options.mass.size(), points);
  for (std::size_t i = 0; i < options.mass.size(); ++i)
    if (!std::isfinite(options.mass[i]))
      refuse("sph_density: mass {} of point {}; it must be finite", options.mass[i], i);
}

}  // namespace kith
